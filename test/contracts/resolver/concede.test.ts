import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { zeroHash } from "viem"
import { boundJob, cause, FAIL, fundedJob, hash, INCONCLUSIVE, type Job, outcome, PASS, state, submittedJob } from "../support/job.ts"
import { buyer, fallback, malleate, provider, stranger } from "../support/keys.ts"
import { assertions, atTime, freshWorld } from "../support/world.ts"

const CONCEDE = 2
const BUYER = 1
const PROVIDER = 2

const refuse = (attempt: Promise<`0x${string}`>, job: Job, name: Parameters<typeof state>[0], decision = 0) =>
  assertions.revertWithCustomErrorWithArgs(attempt, job.world.resolver, "ActRefused", [CONCEDE, state(name), decision])

describe("concede", () => {
  it("by the buyer releases at once; the state stays", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    const tx = await job.concede(BUYER)
    await assertions.emitWithArgs(tx, world.resolver, "Conceded", [job.ref, job.termsHash, 1, BUYER])
    assert.deepEqual(await job.standing(), { state: "SUBMITTED", decision: "RELEASE", outcome: "RELEASE", cause: "CONCEDED" })
    await atTime(job.terms.clock.deliveryBy, () => world.usdc.write.mint([stranger.address, 1n]))
    assert.equal((await job.standing()).state, "SUBMITTED")
    const settled = await job.settle()
    await assertions.emitWithArgs(settled, world.resolver, "Settled", [
      job.ref,
      job.termsHash,
      outcome("RELEASE"),
      cause("CONCEDED"),
      zeroHash,
      zeroHash,
    ])
    assert.equal(await world.usdc.read.balanceOf([provider.address]), 39_400_000n)
  })

  it("by the provider refunds at once, from FUNDED on", async () => {
    const world = await freshWorld()
    const job = await fundedJob(world)
    await job.concede(PROVIDER)
    assert.deepEqual(await job.standing(), { state: "FUNDED", decision: "REFUND", outcome: "REFUND", cause: "CONCEDED" })
    await job.settle()
    assert.equal(await world.usdc.read.balanceOf([buyer.address]), 40_000_000n)
  })

  it("is possible in every state before an appeal while nothing is decided", async () => {
    const world = await freshWorld()
    const prepared: [Parameters<typeof state>[0], (job: Job) => Promise<unknown>][] = [
      ["SUBMITTED", async () => {}],
      ["VERIFIED_PASS", (job) => job.verdict(PASS)],
      ["VERIFIED_FAIL", (job) => job.verdict(FAIL)],
      ["DISPUTED", (job) => job.verdict(INCONCLUSIVE).then(() => job.verdict(INCONCLUSIVE, fallback))],
    ]
    for (const [name, prepare] of prepared)
      for (const party of [BUYER, PROVIDER] as const) {
        const job = await submittedJob(world)
        await prepare(job)
        await job.concede(party)
        const standing = await job.standing()
        assert.deepEqual([standing.state, standing.cause], [name, "CONCEDED"])
      }
    const ruled = await submittedJob(world)
    const { submittedAt } = await ruled.facts()
    const { verification, mediatorRuling } = ruled.terms.clock
    await atTime(submittedAt + verification + mediatorRuling + 1, () => ruled.concede(BUYER))
    assert.deepEqual([(await ruled.standing()).state, (await ruled.standing()).outcome], ["RULED", "RELEASE"])
  })

  it("needs something to accept when it is the buyer's", async () => {
    const world = await freshWorld()
    const job = await fundedJob(world)
    await refuse(job.concede(BUYER), job, "FUNDED")
  })

  it("needs money on the rail", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await assertions.revertWithCustomErrorWithArgs(job.concede(PROVIDER), world.resolver, "NotFunded", [job.ref, 0])
  })

  it("happens once, by one party, and not after settlement", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.concede(PROVIDER)
    await refuse(job.concede(PROVIDER), job, "SUBMITTED", outcome("REFUND"))
    await refuse(job.concede(BUYER), job, "SUBMITTED", outcome("REFUND"))
    await job.settle()
    await refuse(job.concede(BUYER), job, "REFUNDED", outcome("REFUND"))
  })

  for (const late of [0, 1])
    it(`PASS: ${late === 0 ? "counts until the review ends" : "is refused once RELEASE is decided"}`, async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      await job.verdict(PASS)
      const { verdictAt } = await job.facts()
      const attempt = () => atTime(verdictAt + job.terms.clock.buyerReview + late, () => job.concede(PROVIDER))
      if (late === 0) await attempt()
      else await refuse(attempt(), job, "VERIFIED_PASS", outcome("RELEASE"))
    })

  it("is refused at expiry, though nothing was decided by the facts before it", async () => {
    const world = await freshWorld()
    const job = await fundedJob(world)
    await atTime(job.terms.clock.expiry, () => refuse(job.concede(PROVIDER), job, "FUNDED", outcome("REFUND")))
  })

  it("wants party, number and signature right", async () => {
    const world = await freshWorld()
    const { resolver } = world
    const job = await submittedJob(world)
    const [ref, terms, record, n, , signature] = await job.concedeArgs(BUYER)
    for (const party of [0, 3, 255])
      await assertions.revertWithCustomErrorWithArgs(
        resolver.write.concede([ref, terms, record, n, party, signature]),
        resolver,
        "InvalidParty",
        [BigInt(party)],
      )
    await assertions.revertWithCustomErrorWithArgs(
      resolver.write.concede([ref, terms, record, 0, BUYER, signature]),
      resolver,
      "WrongSubmission",
      [0n, 1n],
    )
    for (const [party, signed] of [
      [PROVIDER, signature],
      [BUYER, malleate(signature)],
      [BUYER, (await job.concedeArgs(PROVIDER))[5]],
      [BUYER, (await job.concedeArgs(BUYER, stranger))[5]],
    ] as const)
      await assertions.revertWithCustomErrorWithArgs(
        resolver.write.concede([ref, terms, record, n, party, signed]),
        resolver,
        "InvalidSignature",
        [party === BUYER ? buyer.address : provider.address],
      )
  })

  it("reacts to what stood when it was signed: a verdict or a submission in between voids it", async () => {
    const world = await freshWorld()
    const { resolver } = world
    const job = await submittedJob(world)
    const early = await job.concedeArgs(BUYER)
    await job.verdict(FAIL)
    await assertions.revertWithCustomError(resolver.write.concede([...early]), resolver, "HeadMismatch")
    const [ref, terms, , n, party, signature] = early
    await assertions.revertWithCustomError(
      resolver.write.concede([ref, terms, job.record, n, party, signature]),
      resolver,
      "InvalidSignature",
    )
    const onFail = await job.concedeArgs(BUYER)
    await job.submit(hash("again"))
    await assertions.revertWithCustomError(
      resolver.write.concede([ref, terms, job.record, 2, party, onFail[5]]),
      resolver,
      "InvalidSignature",
    )
  })
})
