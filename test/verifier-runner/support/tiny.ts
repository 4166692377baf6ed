/** A repository as small as a repository can be: one module with a fault, two visible tests, one hidden. */
import { type Contract, exampleContract } from "../../../orchestrator/contract/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import { blobUri } from "../../../orchestrator/store/blobs.ts"
import {
  type CheckResult,
  type Engine,
  hashFiles,
  runVerification,
  sha256Of,
  type TreeFile,
  type Verification,
} from "../../../orchestrator/verifier-runner/index.ts"
import { makeBundle } from "../../../scripts/fixtures/git-bundle.ts"
import { replaceFile } from "./diff.ts"

export const file = (path: string, text: string, mode: TreeFile["mode"] = "100644"): TreeFile => ({ path, mode, bytes: Buffer.from(text) })

export const MODULE = "src/calc.py"
export const FAULTY = "def double(value):\n    return value + 2\n"
export const FIXED = "def double(value):\n    return value * 2\n"
export const TARGET = "tests/test_calc.py::test_double"

const TEST_FILE = `from calc import double


def test_double():
    assert double(3) == 6


def test_two():
    assert double(2) == 4
`
const HIDDEN_FILE = "from calc import double\n\n\ndef test_large():\n    assert double(10**9) == 2 * 10**9\n"
const BASE = [
  file("pytest.ini", "[pytest]\npythonpath = src\n"),
  file("pyproject.toml", '[project]\nname = "calc"\nversion = "1"\n'),
  file(MODULE, FAULTY),
  file("tests/test_calc.py", TEST_FILE),
]

export type Tiny = {
  contract: Contract
  bundle: Uint8Array
  visible: TreeFile[]
  hidden: TreeFile[]
}

export type TinyOptions = {
  base?: readonly TreeFile[]
  /** Files of the visible suite. */
  visible?: (path: string) => boolean
  hidden?: readonly TreeFile[]
  /** Changes to the members of the test_suite_pass check. */
  check?: Record<string, unknown>
  image?: string
}

type SuiteCheck = Extract<Contract["acceptance"]["checks"][number], { type: "test_suite_pass" }>

/** A contract and everything that it pins. */
export const tiny = async (options: TinyOptions = {}): Promise<Tiny> => {
  const base = options.base ?? BASE
  const { bundle, ids } = await makeBundle([{ message: "Begin", at: 1_785_571_200, files: base }])
  const visible = base.filter(({ path }) => (options.visible ?? ((one) => one.startsWith("tests/")))(path))
  const hidden = [...(options.hidden ?? [file("hidden/test_large.py", HIDDEN_FILE)])]
  const example = exampleContract("code-fix", { addressOf: (role) => localAccount(role).address, runner_image: options.image })
  const hashes = { repo: sha256Of(bundle), visible: hashFiles(visible), hidden: hidden.length > 0 ? hashFiles(hidden) : undefined }
  const [suite, match] = example.acceptance.checks
  if (suite?.type !== "test_suite_pass" || match?.type !== "hash_match") throw new Error("example A has these two checks")
  const { hidden_suite_sha256: _hidden, ...rest } = suite
  const check = {
    ...rest,
    base_commit: ids.at(-1),
    test_suite_sha256: hashes.visible,
    ...(hashes.hidden === undefined ? {} : { hidden_suite_sha256: hashes.hidden }),
    target_tests: [TARGET],
    timeout_s: 60,
    ...options.check,
  } as SuiteCheck
  const contract: Contract = {
    ...example,
    inputs: [
      { name: "repo@base", uri: blobUri(hashes.repo), sha256: hashes.repo, sealed: false },
      { name: "tests", uri: "tests/", sha256: hashes.visible, sealed: false },
      ...(hashes.hidden === undefined ? [] : [{ name: "hidden_tests", uri: "sealed", sha256: hashes.hidden, sealed: true }]),
    ],
    acceptance: { combine: "all", checks: [check, { ...match, expected: hashes.visible }] },
  }
  return { contract, bundle, visible, hidden }
}

/** A patch that makes `src/calc.py` this text. */
export const calc = (text: string): string => replaceFile(MODULE, FAULTY, text)

/** Runs all checks of a tiny contract on a patch. */
export const verifyTiny = (
  world: Tiny,
  patch: string | Uint8Array,
  engine: Engine,
  contract: Contract = world.contract,
): Promise<Verification> => {
  const deliverable = typeof patch === "string" ? Buffer.from(patch) : patch
  return runVerification({
    contract,
    submission: { n: 1, deliverable, sha256: sha256Of(deliverable), submittedAt: 1_790_000_000 },
    resolveInput: async (name) => (name === "repo@base" ? world.bundle : null),
    reveal: async () => world.hidden,
    signer: null,
    engine,
    clock: () => 1_790_000_100,
  })
}

export const resultOf = (verification: Verification, id: string): CheckResult => {
  const result = verification.bundle.check_results.find(({ check_id }) => check_id === id)
  if (result === undefined) throw new Error(`no result of ${id}`)
  return result
}
