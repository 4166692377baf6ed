/** What the linter's cases are made of: one change to an example contract, and the one finding that follows. */
import { inlineRoster, type LintOptions, readRoster, type TemplateName } from "../../../orchestrator/contract/index.ts"
import type { JsonValue, sha256Hex } from "../../../orchestrator/json/index.ts"
import { fixtureContract } from "../support/examples.ts"

export type Case = {
  what: string
  code: string
  path: string
  severity?: "reject" | "warn"
  base?: TemplateName
  changes?: Readonly<Record<string, JsonValue | undefined>>
  options?: LintOptions
}
export const rubric: JsonValue = {
  check_id: "r1",
  type: "llm_rubric",
  class: "judgment",
  rubric: "record_schema",
  model: "model-1",
  votes: 3,
  pass_threshold: 0.6,
  temperature: 0,
}
export const audit: JsonValue = {
  check_id: "a1",
  type: "sample_audit",
  class: "judgment",
  population: "deliverable",
  sample_size: 20,
  rule: "rubric",
  max_failures: 0,
}
export const snip: JsonValue = fixtureContract("claim-file").acceptance.checks[0] as JsonValue
export const suite: JsonValue = fixtureContract("code-fix").acceptance.checks[0] as JsonValue
export const image = `sha256:${"ab".repeat(32)}`

export const rosterWith = (change: (panelist: Record<string, JsonValue>, index: number) => void): JsonValue => {
  const list = structuredClone(readRoster(fixtureContract("code-fix"))) as JsonValue as Record<string, JsonValue>[]
  list.forEach(change)
  return inlineRoster(list as unknown as Parameters<typeof inlineRoster>[0])
}

export const report = (findings: JsonValue[]): JsonValue => ({
  mediator: "med.pool.0192",
  buyer: "buyer.acme-ci",
  provider: "fixer.pyagent",
  depth: 2,
  from_block: 1,
  to_block: 100,
  findings,
})
export const clean = report([])
export const wallets = fixtureContract("code-fix")
export const c1 = "/acceptance/checks/0"

/** The fixture's inputs as if they lay in a directory, some of them changed or (null) absent. */
export function handed(changes: Readonly<Record<string, ReturnType<typeof sha256Hex> | null>>): NonNullable<LintOptions["inputs"]> {
  const map = new Map(fixtureContract("code-fix").inputs.map(({ name, sha256 }) => [name, sha256] as const))
  for (const [name, hash] of Object.entries(changes)) {
    if (hash === null) map.delete(name)
    else map.set(name, hash)
  }
  return map
}
