/** What the happy path must come to, however often something was killed on the way. */
import assert from "node:assert/strict"
import { dirname } from "node:path"
import type { DemoSummary } from "../../../scripts/demo/summary.ts"
import { containersOf, type Ended, orchestratorStarts, type Running, summaryOf } from "./demo.ts"

const TX = /^0x[0-9a-f]{64}$/
const HASH = /^[0-9a-f]{64}$/

/** 40.00 paid: 39.40 to the provider, 0.60 (150 basis points) to the treasury. */
export const assertPaid = (summary: DemoSummary): void => {
  const { state, cause, verdict, ruling, balances, tx, confirmation } = summary
  assert.deepEqual({ state, cause, verdict, ruling }, { state: "RELEASED", cause: "REVIEW_ELAPSED", verdict: "PASS", ruling: null })
  assert.deepEqual(balances, {
    before: { buyer: "100.00", provider: "0.00", treasury: "0.00", resolver: "0.00", escrow: "0.00" },
    after: { buyer: "60.00", provider: "39.40", treasury: "0.60", resolver: "0.00", escrow: "0.00" },
  })
  assert.deepEqual(confirmation, { outcome: "success", method: "scripted-demo" })
  for (const hash of [tx.bind, tx.fund, tx.settle, ...tx.submit, ...tx.verdict]) assert.match(hash ?? "null", TX)
  assert.deepEqual([tx.submit.length, tx.verdict.length], [1, 1])
  assert.match(summary.contract_hash, HASH)
  assert.match(summary.merkle_root ?? "null", HASH)
  assert.deepEqual(
    summary.refusals.map(({ code }) => code),
    ["confirmation_replay"],
  )
}

/** The members that are promised, in every summary. */
export const assertMembers = (summary: DemoSummary, path: DemoSummary["path"]): void => {
  const promised = [
    ...["job", "path", "rail", "state", "cause", "contract_hash", "merkle_root", "verdict", "ruling"],
    ...["balances", "tx", "confirmation", "bundle", "evidence", "seconds"],
  ]
  for (const member of promised) assert.ok(member in summary, `${member} is missing`)
  assert.deepEqual({ job: summary.job, path: summary.path, rail: summary.rail }, { job: "a", path, rail: "erc8183" })
  assert.ok(summary.seconds > 0)
}

/** No process, port, container or volume outlives it. */
export const assertNothingLeft = async (demo: Running, dataDir: string): Promise<void> => {
  assert.deepEqual(demo.descendants(), [], "processes are left")
  const [start] = orchestratorStarts(dataDir)
  await assert.rejects(fetch(`${start?.api}/healthz`), "the API's port still answers")
  assert.deepEqual(await containersOf(dataDir), [], "containers or volumes are left")
}

export const dataDirOf = (summary: DemoSummary): string => dirname(summary.jwks)

/** All of it, for a run that has ended. */
export const assertHappy = async (demo: Running, ended: Ended): Promise<DemoSummary> => {
  const summary = summaryOf(ended)
  assertMembers(summary, "happy")
  assertPaid(summary)
  await assertNothingLeft(demo, dataDirOf(summary))
  return summary
}
