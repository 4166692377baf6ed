/** AACP §8.1: every outcome but unverifiable ends the evidence; §8.3: a success uses it up. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  memoryOutcomes,
  memoryReplayStore,
  OUTCOMES,
  type Outcome,
  readPolicy,
  signEvidence,
  staticKeys,
  verifyEvidence,
} from "../../orchestrator/aacp/index.ts"
import { CAUSES, failing, flipped } from "./outcome-causes.ts"
import { CONFIRMED_AT, evidenceOf, key, makeKey, NOW, request, sign, validInput, verify } from "./support.ts"

describe("finality (AACP §8.1)", () => {
  const FINAL = OUTCOMES.filter((outcome) => !["absent", "unverifiable", "success", "replay"].includes(outcome))
  for (const outcome of FINAL) {
    it(`${outcome} stays, even when the cause goes away`, async () => {
      const row = CAUSES[outcome][0]
      assert.ok(row)
      const outcomes = memoryOutcomes()
      const change = await row.change()
      const first = await validInput({ ...change, outcomes })
      assert.equal((await verifyEvidence(first)).outcome, outcome)
      const again = await verifyEvidence({ ...(await validInput()), evidence: first.evidence, outcomes })
      assert.equal(again.outcome, outcome)
    })
  }

  it("holds for the other spelling of the same ES256 signature", async () => {
    const outcomes = memoryOutcomes()
    const jws = await sign()
    assert.equal((await verify({ evidence: jws, outcomes, audience: "agent:other" })).outcome, "diverted")
    assert.equal((await verify({ evidence: withOtherS(jws), outcomes })).outcome, "diverted")
  })

  it("does not hold for unverifiable", async () => {
    const outcomes = memoryOutcomes()
    const jws = await sign()
    assert.equal((await verify({ evidence: jws, outcomes, keys: staticKeys({ keys: [] }) })).outcome, "unverifiable")
    assert.equal((await verify({ evidence: jws, outcomes })).outcome, "success")
  })

  it("cannot be forced on good evidence by a forged signature", async () => {
    const outcomes = memoryOutcomes()
    const jws = await sign()
    assert.equal((await verify({ evidence: flipped(jws), outcomes })).outcome, "invalid")
    assert.equal((await verify({ evidence: jws, outcomes })).outcome, "success")
  })

  it("a refusal that cannot be remembered is a refusal all the same", async () => {
    const outcomes = { recall: () => null, remember: failing }
    assert.equal((await verify({ outcomes, audience: "agent:other" })).outcome, "diverted")
  })
})

/** n − s in place of s: as valid as the original under JOSE. */
const withOtherS = (jws: string): string => {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const end = jws.lastIndexOf(".")
  const signature = Buffer.from(jws.slice(end + 1), "base64url")
  const s = BigInt(`0x${signature.subarray(32).toString("hex")}`)
  const other = Buffer.from((order - s).toString(16).padStart(64, "0"), "hex")
  return `${jws.slice(0, end)}.${Buffer.concat([signature.subarray(0, 32), other]).toString("base64url")}`
}

describe("what is consumed", () => {
  it("nothing unless every step passed", async () => {
    for (const outcome of OUTCOMES.filter((name) => name !== "success" && name !== "replay")) {
      for (const { change } of CAUSES[outcome]) {
        const consumed: string[] = []
        const replay = { seen: () => false, consume: (mark: { requestId: string }) => consumed.push(mark.requestId) > 0 }
        const changed = await change()
        if (changed.replay !== undefined) continue
        await verifyEvidence(await validInput({ ...changed, replay }))
        assert.deepEqual(consumed, [], outcome)
      }
    }
  })

  it("is keyed by service and request id, and kept beyond the evidence's life", async () => {
    const marks: unknown[] = []
    const replay = { seen: () => false, consume: (mark: unknown) => marks.push(mark) > 0 }
    const input = await validInput({ replay })
    const { evidenceDigest } = await verifyEvidence(input)
    const [mark] = marks as [{ keepUntil: number }]
    assert.ok(mark.keepUntil > CONFIRMED_AT + 300)
    const { keepUntil: _until, ...rest } = mark
    assert.deepEqual(rest, { service: "https://cs.example.com", requestId: request["request-id"], evidenceDigest, now: NOW })
  })

  it("the same id at another service is another id", async () => {
    const other = makeKey("cs-2", "ES256", { iss: "https://other.example" })
    const keys = staticKeys({ keys: [key.jwk, other.jwk] })
    const shared = { keys, replay: memoryReplayStore(), policy: readPolicy({}) }
    assert.equal((await verify(shared)).outcome, "success")
    assert.equal((await verify({ ...shared, evidence: await signEvidence(evidenceOf(), other.signer) })).outcome, "success")
  })

  it("a hundred presentations at once: one success", async () => {
    const input = await validInput()
    const results = await Promise.all(Array.from({ length: 100 }, () => verifyEvidence(input)))
    const count = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length
    assert.deepEqual([count("success"), count("replay")], [1, 99])
  })
})
