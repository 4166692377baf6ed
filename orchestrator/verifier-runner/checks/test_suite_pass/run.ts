/** `test_suite_pass`: the pinned suite passes on the base commit with the deliverable applied (AFG §6, example A). */
import { randomBytes } from "node:crypto"
import type { CheckOf } from "../../../contract/index.ts"
import { folderPrefix } from "../../../contract/tree-hash.ts"
import { isAfgError } from "../../../errors.ts"
import type { JsonValue } from "../../../json/index.ts"
import type { Sha256 } from "../../../types.ts"
import { hashFiles, overlay, type TreeFile } from "../../files/tree.ts"
import type { AppliedPatch } from "../../patch/apply.ts"
import { PATCH_REFUSALS } from "../../patch/types.ts"
import { type Case, type CheckContext, CheckError, type CheckReport, type Output } from "../check.ts"
import { type BaseRun, runBase, type Suites } from "./base-run.ts"
import { type CandidateRun, runCandidate } from "./candidate-run.ts"
import { readTestCommand, type TestCommand } from "./command.ts"
import { junitXml, runLog } from "./evidence.ts"
import { forbiddenChanges } from "./forbidden.ts"
import { mayRerun, type SuiteVerdict, suiteVerdict } from "./verdict.ts"

type Check = CheckOf<"test_suite_pass">
type Summary = Record<string, JsonValue>

const LISTED = 20

/** Everything that is known before a container runs. */
type Prepared = {
  check: Check
  command: TestCommand
  base: { files: readonly TreeFile[] }
  suites: Suites
  /** The folder that is the visible suite's, such as `tests/`; empty where its files lie among others. */
  suiteFolder: string
  input_hashes: Record<string, Sha256>
}

const prepare = async (check: Check, context: CheckContext): Promise<Prepared> => {
  const repo = await context.input(check.repo)
  const base = await context.base(check.repo, check.base_commit)
  const visible = await context.folder(check.test_suite_sha256, base)
  const hidden = check.hidden_suite_sha256 === undefined ? null : await context.folder(check.hidden_suite_sha256, base)
  const inputs = [repo, visible, ...(hidden === null ? [] : [hidden])].map(({ name, sha256 }) => [name, sha256] as const)
  return {
    check,
    command: readTestCommand(check.test_command),
    base,
    suites: { visible: visible.files, hidden: hidden?.files ?? [] },
    suiteFolder: folderPrefix(context.contract.inputs.find(({ name }) => name === visible.name) ?? { uri: "" }),
    input_hashes: { deliverable: context.deliverable.sha256, ...Object.fromEntries(inputs) },
  }
}

const failed = (prepared: Prepared, code: string, summary: Summary): CheckReport => ({
  status: "fail",
  summary: { code, ...summary },
  cases: [],
  counts: {},
  runner_image: prepared.check.runner_image,
  input_hashes: prepared.input_hashes,
  outputs: [],
})

const tally = (cases: readonly Case[]): { passed: number; failed: number; skipped: number } => {
  const passed = cases.filter(([, outcome]) => outcome === "passed" || outcome === "passed-on-rerun").length
  const skipped = cases.filter(([, outcome]) => outcome === "skipped").length
  return { passed, failed: cases.length - passed - skipped, skipped }
}

/** What differs between the runner before and after may be the suite's own doing: then the same files change it without the patch too. */
const changedBySuite = async (context: CheckContext, prepared: Prepared, base: BaseRun, run: CandidateRun): Promise<boolean> => {
  const files = new Set(run.problems.filter(({ code }) => code === "runner_changed").map(({ file }) => file))
  if (files.size === 0) return false
  const narrowed = (expectation: BaseRun["hidden"]) => ({ files: (expectation?.files ?? []).filter(({ file }) => files.has(file)) })
  const without = await runCandidate(context, {
    ...runInput(prepared, base, candidateTree(prepared, prepared.base.files)),
    visible: narrowed(base.visible),
    hidden: narrowed(base.hidden),
  })
  const suiteDoes = new Set(
    without.problems.filter(({ code }) => code === "runner_changed").map(({ file, detail }) => `${file}: ${detail}`),
  )
  return run.problems.filter(({ code }) => code === "runner_changed").every(({ file, detail }) => suiteDoes.has(`${file}: ${detail}`))
}

/** The tree to test: the suite's folder as the base commit has it, whatever else was put there, and both suites laid over all. */
const candidateTree = ({ base, suites, suiteFolder }: Prepared, patched: readonly TreeFile[]): TreeFile[] => {
  const inFolder = ({ path }: TreeFile): boolean => suiteFolder !== "" && path.startsWith(suiteFolder)
  return overlay([...patched.filter((file) => !inFolder(file)), ...base.files.filter(inFolder)], [...suites.visible, ...suites.hidden])
}

/** Null where the patch puts a file in the suites' way. */
const treeOrConflict = (prepared: Prepared, patched: readonly TreeFile[]): TreeFile[] | null => {
  try {
    return candidateTree(prepared, patched)
  } catch (error) {
    if (isAfgError(error) && error.code === "tree-conflict") return null
    throw error
  }
}

const runInput = ({ check, command }: Prepared, base: BaseRun, tree: readonly TreeFile[]) => ({
  image: check.runner_image,
  timeout_s: check.timeout_s,
  tree,
  visible: base.visible,
  hidden: base.hidden,
  options: command.options,
  random: randomBytes,
})

const runAll = async (context: CheckContext, prepared: Prepared, base: BaseRun, tree: readonly TreeFile[]) => {
  const { check } = prepared
  const requirements = { mustPass: check.must_pass, targets: check.target_tests ?? [] }
  const runs: CandidateRun[] = []
  for (;;) {
    context.progress(runs.length === 0 ? "running the suite with the patch" : `running the suite again (${runs.length})`)
    const run = await runCandidate(context, runInput(prepared, base, tree))
    runs.push(run)
    const verdict = suiteVerdict(runs, requirements)
    if (runs.length > (check.flake_reruns ?? 0) || !mayRerun(run, verdict, requirements.targets)) return { runs, verdict }
  }
}

const reasonOf = (runs: readonly CandidateRun[], verdict: SuiteVerdict): { code: string; detail?: string } | null => {
  const problems = runs.flatMap((run) => run.problems)
  const changed = problems.find(({ code }) => code === "runner_changed")
  const stopped = runs.find((run) => run.stopped !== null)?.stopped
  const first = changed ?? problems[0]
  if (changed) return { code: changed.code, detail: `${changed.file}: ${changed.detail}` }
  if (stopped) return { code: stopped.code, detail: stopped.detail }
  if (first) return { code: first.code, detail: `${first.file}: ${first.detail}` }
  return verdict.failed.visible.length > 0 || verdict.failed.hidden.length > 0 ? { code: "tests_failed" } : null
}

const report = (
  prepared: Prepared,
  base: BaseRun,
  applied: AppliedPatch,
  runs: readonly CandidateRun[],
  verdict: SuiteVerdict,
): CheckReport => {
  const reason = reasonOf(runs, verdict)
  const sealed = prepared.suites.hidden.length > 0
  const secret =
    (reason?.detail ?? "").length > 0 &&
    runs.some(({ answers }) => answers.some(({ file, hidden }) => hidden && reason?.detail?.startsWith(file)))
  const [visible, hidden] = [tally(verdict.visible), tally(verdict.hidden)]
  const outputs: Output[] = [
    { name: "junit_xml", bytes: junitXml("suite", verdict.visible), sealed: false },
    ...(sealed ? [{ name: "hidden_junit_xml", bytes: junitXml("hidden suite", verdict.hidden), sealed }] : []),
  ]
  return {
    status: reason === null ? "pass" : "fail",
    summary: {
      ...visible,
      ...(sealed ? { hidden } : {}),
      ...(base.targets.size === 0
        ? {}
        : { targets: [...verdict.targets].map(([id, after]) => ({ id, before: base.targets.get(id) ?? "missing", after })) }),
      runs: runs.length,
      patched_tree: hashFiles(applied.files),
      changed_paths: applied.changes.map(({ path }) => path).slice(0, LISTED),
      ...(reason === null
        ? {}
        : { code: reason.code, ...(reason.detail === undefined ? {} : { detail: secret ? "in the hidden suite" : reason.detail }) }),
      ...(verdict.failed.visible.length === 0 ? {} : { failed_tests: verdict.failed.visible.slice(0, LISTED) }),
    },
    cases: [...verdict.visible, ...verdict.hidden],
    counts: { ...visible, hidden_passed: hidden.passed, hidden_failed: hidden.failed, hidden_skipped: hidden.skipped },
    runner_image: prepared.check.runner_image,
    input_hashes: prepared.input_hashes,
    outputs,
    log: runLog(base.answers, runs, sealed),
  }
}

export const runTestSuitePass = async (check: Check, context: CheckContext): Promise<CheckReport> => {
  const prepared = await prepare(check, context)
  const { suites, base: tree } = prepared
  const hiddenPaths = suites.hidden.map(({ path }) => path)
  const applied = await context.patched(check.repo, check.base_commit, hiddenPaths)
  if ("refused" in applied) {
    const { code, detail, path } = applied.refused
    return failed(prepared, code, { reason: PATCH_REFUSALS[code], detail, ...(path === undefined ? {} : { path }) })
  }
  const forbidden = forbiddenChanges({ check, changes: applied.changes, before: tree.files, after: applied.files, hidden: hiddenPaths })
  const [first] = forbidden
  if (first)
    return failed(prepared, "forbidden_path", {
      path: first.path,
      reason: first.why,
      forbidden: forbidden.slice(0, LISTED).map(({ path, why }) => ({ path, why })),
    })
  const candidate = treeOrConflict(prepared, applied.files)
  if (candidate === null)
    return failed(prepared, "forbidden_path", { reason: "a file is where the suites have a folder, or the other way round" })
  context.progress("collecting the pinned suite")
  const base = await runBase(context, {
    image: check.runner_image,
    timeout_s: check.timeout_s,
    tree: candidateTree(prepared, tree.files),
    suites,
    command: prepared.command,
    targets: check.target_tests ?? [],
    random: randomBytes,
  })
  const known = new Set(base.visible.files.flatMap(({ tests }) => tests.map(({ id }) => id)))
  const unknown = check.must_pass === "all" ? undefined : check.must_pass.find((id) => !known.has(id))
  if (unknown !== undefined) throw new CheckError("test-unknown", `there is no test ${unknown} in the suite`)
  const { runs, verdict } = await runAll(context, prepared, base, candidate)
  const [firstRun] = runs
  if (firstRun && (await changedBySuite(context, prepared, base, firstRun)))
    throw new CheckError("suite-unusable", "the suite itself changes the test runner, so nobody can tell whether the deliverable does")
  return report(prepared, base, applied, runs, verdict)
}
