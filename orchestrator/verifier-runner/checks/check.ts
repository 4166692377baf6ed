/** What a check is to the runner: one folder below `checks/`, found by its type in `registry.ts`. */
import type { Check, CheckOf, CheckType, Contract } from "../../contract/index.ts"
import type { JsonValue } from "../../json/index.ts"
import type { Sha256 } from "../../types.ts"
import type { Engine } from "../engine/types.ts"
import type { CheckStatus } from "../evidence/schema.ts"
import type { TreeFile } from "../files/tree.ts"
import type { AppliedPatch } from "../patch/apply.ts"
import type { PatchRefusal } from "../patch/types.ts"

/** One case and how it ended, such as `["tests/test_a.py::test_b", "passed"]`. */
export type Case = readonly [id: string, outcome: string]

/** Bytes that a check leaves as evidence. Sealed ones tell of a sealed input. */
export type Output = { name: string; bytes: Uint8Array; sealed: boolean }

/** What a check found. Everything but outputs and log is the same for everyone who runs it on the same inputs. */
export type CheckReport = {
  status: CheckStatus
  /** Counts and reasons for people. `code` says why it is not a pass. */
  summary: Record<string, JsonValue>
  cases: readonly Case[]
  counts: Readonly<Record<string, number>>
  runner_image?: string
  input_hashes: Readonly<Record<string, Sha256>>
  outputs: readonly Output[]
  /** Output of what ran, for people. */
  log?: Output
}

/** A pinned input whose bytes are those that the contract names. */
export type ResolvedInput = {
  name: string
  sha256: Sha256
  sealed: boolean
  /** A file's bytes; absent for a folder. */
  bytes?: Uint8Array
  /** A folder's files, paths relative to the repository's root; absent for a file. */
  files?: readonly TreeFile[]
}

export type BaseTree = { tree: string; files: readonly TreeFile[] }

/** What a check may use. Inputs and trees are resolved once per verification. */
export type CheckContext = {
  contract: Contract
  deliverable: { bytes: Uint8Array; sha256: Sha256 }
  /** Throws {@link CheckError} `input-unknown`, `input-missing`, `input-hash-mismatch`. */
  input: (name: string) => Promise<ResolvedInput>
  /** The folder that has a tree hash: an input, or a folder of `base` that an input's uri names. */
  folder: (hash: Sha256, base: BaseTree) => Promise<ResolvedInput & { files: readonly TreeFile[] }>
  /** A repository at a commit. Throws {@link CheckError} `repo-unusable`. */
  base: (repo: string, commit: string) => Promise<BaseTree>
  /** The same with the deliverable applied as a patch. */
  patched: (repo: string, commit: string, known?: readonly string[]) => Promise<AppliedPatch | { refused: PatchRefusal }>
  engine: Engine
  signal: AbortSignal | undefined
  progress: (text: string) => void
}

/** The verifier's or an input's fault, never the deliverable's: the check ends as `error`. */
export class CheckError extends Error {
  readonly code: string
  /** Whether running again may help. */
  readonly retry: boolean
  constructor(code: string, message: string, retry = false) {
    super(message)
    this.code = code
    this.retry = retry
  }
}

export type CheckKind<T extends CheckType> = {
  type: T
  /** Why this verifier cannot run the check, known before anything is funded; empty when it can. */
  unsupported: (check: CheckOf<T>, contract: Contract) => readonly { code: string; path: string; message: string }[]
  run: (check: CheckOf<T>, context: CheckContext) => Promise<CheckReport>
}

/** A kind whose type is only known at run time. */
export type AnyCheckKind = {
  type: CheckType
  unsupported: (check: Check, contract: Contract) => readonly { code: string; path: string; message: string }[]
  run: (check: Check, context: CheckContext) => Promise<CheckReport>
}

/** Makes a kind usable for checks of any type; each is only ever given its own. */
export const erased = <T extends CheckType>(kind: CheckKind<T>): AnyCheckKind => {
  const own = (check: Check): CheckOf<T> => {
    if (check.type !== kind.type) throw new CheckError("check-unavailable", `${check.type} is not ${kind.type}`)
    return check as CheckOf<T>
  }
  return {
    type: kind.type,
    unsupported: (check, contract) => kind.unsupported(own(check), contract),
    run: async (check, context) => kind.run(own(check), context),
  }
}
