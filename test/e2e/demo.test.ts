/** The demonstration's three paths, as anyone would start them, and what anyone can check afterwards with what it leaves. */
import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose"
import { findRedis } from "../../orchestrator/cli/doctor/servers.ts"
import type { DemoSummary } from "../../scripts/demo/summary.ts"
import { startAfg, summaryOf } from "./support/demo.ts"
import { assertHappy, assertMembers, assertNothingLeft, dataDirOf } from "./support/happy.ts"

/** The suite's server where there is one; else the demonstration starts its own, where Redis is installed. */
const REDIS_URL = process.env.TEST_REDIS_URL
const redis = REDIS_URL !== undefined || findRedis() !== null

const UNTOUCHED = { buyer: "100.00", provider: "0.00", treasury: "0.00", resolver: "0.00", escrow: "0.00" }

const json = async (args: readonly string[]): Promise<{ code: number | null; document: Record<string, unknown> }> => {
  const { code, stdout } = await startAfg([...args, "--json"]).ended
  return { code, document: JSON.parse(stdout) as Record<string, unknown> }
}

/** Verifies the human's confirmation with a library that is not ours, given the service's published keys and nothing else. */
const confirmationOf = async ({ evidence, jwks }: DemoSummary): Promise<Record<string, unknown>> => {
  const keys = createLocalJWKSet(JSON.parse(readFileSync(jwks, "utf8")) as JSONWebKeySet)
  const { payload, protectedHeader } = await compactVerify(readFileSync(evidence ?? "", "utf8"), keys)
  assert.equal(protectedHeader.alg, "ES256")
  return JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>
}

const assertEvidence = async (summary: DemoSummary): Promise<void> => {
  const bundle = summary.bundle ?? ""
  const verified = await json(["evidence", "verify", bundle])
  assert.equal(verified.code, 0, JSON.stringify(verified.document))
  assert.deepEqual([verified.document.valid, verified.document.merkle_root, verified.document.problems], [true, summary.merkle_root, []])
  const { labels } = (await json(["evidence", "prove", bundle])).document as { labels: string[] }
  assert.ok(labels.length > 0)
  const [label = ""] = labels
  const proved = await json(["evidence", "prove", bundle, label])
  assert.equal(proved.code, 0)
  assert.deepEqual([proved.document.label, String(proved.document.root).replace(/^0x/, "")], [label, summary.merkle_root])
  const hashed = await json(["contract", "hash", join(bundle, "contract.json")])
  assert.deepEqual(hashed, { code: 0, document: { contract_hash: summary.contract_hash } })
}

describe("afg demo --json", () => {
  it(`happy${redis ? ", timers on Redis" : ""}: paid 39.40 of 40.00, with evidence that anyone can verify`, async () => {
    const demo = startAfg(["demo", "--json", ...(redis ? ["--redis"] : [])], { REDIS_URL })
    const summary = await assertHappy(demo, await demo.ended)
    assert.equal(summary.timers, redis ? "redis" : "store")
    await confirmationOf(summary)
    await assertEvidence(summary)
  })

  it("deadline: nothing is delivered, and the buyer has all of it back", async () => {
    const demo = startAfg(["demo", "--path", "deadline", "--json"])
    const summary = summaryOf(await demo.ended)
    assertMembers(summary, "deadline")
    const { state, cause, verdict, merkle_root, bundle, tx } = summary
    assert.deepEqual(
      { state, cause, verdict, merkle_root, bundle },
      { state: "REFUNDED", cause: "NO_SUBMISSION", verdict: null, merkle_root: null, bundle: null },
    )
    assert.deepEqual(summary.balances, { before: UNTOUCHED, after: UNTOUCHED })
    assert.deepEqual([tx.submit, tx.verdict], [[], []])
    for (const hash of [tx.bind, tx.fund, tx.settle]) assert.match(hash ?? "null", /^0x[0-9a-f]{64}$/)
    assert.deepEqual(summary.confirmation, { outcome: "success", method: "scripted-demo" })
    await confirmationOf(summary)
    await assertNothingLeft(demo, dataDirOf(summary))
  })

  it("refuse: the human rejects, and no way around that funds or binds anything", async () => {
    const demo = startAfg(["demo", "--path", "refuse", "--json"])
    const summary = summaryOf(await demo.ended)
    assertMembers(summary, "refuse")
    const { state, cause, verdict, bundle, tx } = summary
    assert.deepEqual({ state, cause, verdict, bundle }, { state: "AGREED", cause: null, verdict: null, bundle: null })
    assert.deepEqual(tx, { bind: null, fund: null, submit: [], verdict: [], settle: null })
    assert.deepEqual(summary.balances, { before: UNTOUCHED, after: UNTOUCHED })
    const codes = summary.refusals.map(({ code }) => code)
    assert.deepEqual(codes.slice(0, 3), ["confirmation_required", "confirmation_denied", "confirmation_mismatch"])
    // The resolver's own custom error, not a node's message.
    assert.match(codes[3] ?? "", /^[A-Z][A-Za-z]+$/)
    assert.equal(codes.length, 4)
    assert.deepEqual(summary.confirmation, { outcome: "denied", method: "scripted-demo" })
    // The denial is signed evidence too.
    await confirmationOf(summary)
    await assertNothingLeft(demo, dataDirOf(summary))
  })

  it("stops everything when it is interrupted, and says so in one document", async () => {
    const demo = startAfg(["demo", "--json"])
    const [, dataDir = ""] = await demo.said(/logs and evidence: ([^)]+)\)/)
    await demo.said(/ ✓ .*network /)
    demo.child.kill("SIGTERM")
    const { code, stdout } = await demo.ended
    assert.notEqual(code, 0)
    assert.equal(typeof (JSON.parse(stdout) as { error: { code: string } }).error.code, "string")
    assert.ok(existsSync(dataDir))
    await assertNothingLeft(demo, dataDir)
  })
})
