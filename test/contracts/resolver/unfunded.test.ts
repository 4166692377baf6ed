import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { numberToHex, zeroAddress, zeroHash } from "viem"
import { escrowAs } from "../support/escrow.ts"
import { boundJob, cause, fundedJob, makeJob, openJob, outcome, state, submittedJob } from "../support/job.ts"
import { buyer, provider, stranger } from "../support/keys.ts"
import { jobOnLyingRail } from "../support/lying-rail.ts"
import { assertions, atTime, freshWorld, time } from "../support/world.ts"

const LAPSE = 3
const NOTHING = 0

describe("lapse", () => {
  for (const late of [-1, 0, 1])
    it(`${late > 0 ? "records" : "refuses"} an unfunded job at fundBy ${late < 0 ? "− 1" : `+ ${late}`}`, async () => {
      const world = await freshWorld()
      const job = await boundJob(world)
      const attempt = () => atTime(job.terms.clock.fundBy + late, job.lapse)
      if (late > 0) {
        await assertions.emitWithArgs(attempt(), world.resolver, "Lapsed", [job.ref, job.termsHash])
        assert.equal((await job.facts()).lapsed, true)
        assert.deepEqual(await job.standing(), { state: "LAPSED", decision: "NONE", outcome: "NONE", cause: "NOT_FUNDED" })
      } else await assertions.revertWithCustomErrorWithArgs(attempt(), world.resolver, "ActRefused", [LAPSE, state("AGREED"), NOTHING])
    })

  it("an unfunded job reads as LAPSED after fundBy before anyone has said so", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await time.increaseTo(job.terms.clock.fundBy + 1)
    assert.deepEqual(await job.standing(), { state: "LAPSED", decision: "NONE", outcome: "NONE", cause: "NOT_FUNDED" })
  })

  it("funded late but before lapse is FUNDED, and cannot lapse", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await time.increaseTo(job.terms.clock.fundBy + 1_000)
    await job.fund()
    assert.equal((await job.standing()).state, "FUNDED")
    await assertions.revertWithCustomErrorWithArgs(job.lapse(), world.resolver, "ActRefused", [LAPSE, state("FUNDED"), NOTHING])
    await job.submit()
    await assertions.revertWithCustomErrorWithArgs(job.lapse(), world.resolver, "HeadMismatch", [job.ref])
  })

  it("happens once", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await time.increaseTo(job.terms.clock.fundBy + 1)
    await job.lapse()
    await assertions.revertWithCustomErrorWithArgs(job.lapse(), world.resolver, "ActRefused", [LAPSE, state("LAPSED"), NOTHING])
  })

  it("needs a bound job and its own terms", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    await assertions.revertWithCustomErrorWithArgs(job.lapse(), world.resolver, "NotBound", [job.ref])
    await job.bind()
    const other = await openJob(world)
    await assertions.revertWithCustomErrorWithArgs(
      world.resolver.write.lapse([job.ref, other.parts.time]),
      world.resolver,
      "HeadMismatch",
      [job.ref],
    )
  })

  it("closes every other act: submission, verdict, concession, settlement", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await time.increaseTo(job.terms.clock.fundBy + 1)
    await job.lapse()
    await job.fund()
    await assertions.revertWithCustomError(job.submit(), world.resolver, "ActRefused")
    await assertions.revertWithCustomError(job.concede(2), world.resolver, "ActRefused")
    await assertions.revertWithCustomErrorWithArgs(job.settle(), world.resolver, "NotDecided", [job.ref, state("LAPSED")])
    assert.deepEqual(await job.standing(), { state: "LAPSED", decision: "NONE", outcome: "REFUND", cause: "UNBOUND" })
  })
})

describe("refundUnbound", () => {
  for (const onRail of ["Funded", "Submitted"] as const)
    it(`returns the money of a job that was ${onRail} without being bound, whoever asks`, async () => {
      const world = await freshWorld()
      const job = await openJob(world)
      await job.fund()
      if (onRail === "Submitted") await world.escrow.write.submitWithAuthorization([...(await job.railSubmitArgs(zeroHash))])
      const tx = await job.refundUnbound()
      await assertions.emitWithArgs(tx, world.resolver, "Settled", [
        job.ref,
        zeroHash,
        outcome("REFUND"),
        cause("UNBOUND"),
        zeroHash,
        zeroHash,
      ])
      assert.equal(await world.usdc.read.balanceOf([buyer.address]), 40_000_000n)
      await assertions.revertWithCustomErrorWithArgs(job.refundUnbound(), world.resolver, "NotFunded", [job.ref, 4])
    })

  it("returns what was paid after the job had lapsed", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await time.increaseTo(job.terms.clock.fundBy + 1)
    await job.lapse()
    await job.fund()
    await job.refundUnbound()
    assert.equal(await world.usdc.read.balanceOf([buyer.address]), 40_000_000n)
    assert.deepEqual(await job.standing(), { state: "LAPSED", decision: "NONE", outcome: "NONE", cause: "NOT_FUNDED" })
  })

  it("never touches a bound job, at any time", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await assertions.revertWithCustomErrorWithArgs(job.refundUnbound(), world.resolver, "AlreadyBound", [job.ref])
    await time.increaseTo(job.terms.clock.expiry + 1)
    await assertions.revertWithCustomErrorWithArgs(job.refundUnbound(), world.resolver, "AlreadyBound", [job.ref])
    const funded = await fundedJob(world)
    await assertions.revertWithCustomErrorWithArgs(funded.refundUnbound(), world.resolver, "AlreadyBound", [funded.ref])
  })

  it("needs money, a job, and the evaluator's role in it", async () => {
    const world = await freshWorld()
    const open = await openJob(world)
    await assertions.revertWithCustomErrorWithArgs(open.refundUnbound(), world.resolver, "NotFunded", [open.ref, 0])
    const unknown = numberToHex(77n, { size: 32 })
    await assertions.revertWithCustomErrorWithArgs(world.resolver.write.refundUnbound([unknown]), world.escrow, "UnknownJob", [77n])
    const foreign = await openJob(world)
    const asBuyer = await escrowAs(world, buyer.address)
    const expiredAt = BigInt(foreign.terms.clock.expiry)
    await asBuyer.write.createJobWithBudget([provider.address, stranger.address, expiredAt, "", zeroAddress, 1n])
    const jobId = await world.escrow.read.jobCount()
    await world.usdc.write.mint([buyer.address, 1n])
    const other = makeJob(world, jobId, { ...foreign.terms, ref: numberToHex(jobId, { size: 32 }) })
    await world.escrow.write.fundWithAuthorization([...(await other.fundArgs(1n))])
    await assertions.revertWithCustomErrorWithArgs(other.refundUnbound(), world.escrow, "Unauthorized", [jobId, world.resolver.address])
  })

  it("reverts when the rail does not refund", async () => {
    const { job, claim, obey } = await jobOnLyingRail(false)
    await claim("Funded")
    await obey("Completed", "Funded")
    const unbound = numberToHex(2n, { size: 32 })
    await assertions.revertWithCustomErrorWithArgs(job.world.resolver.write.refundUnbound([unbound]), job.world.resolver, "RailDisobeyed", [
      unbound,
      1,
    ])
  })
})
