import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { encodeFunctionData, toFunctionSelector, zeroHash } from "viem"
import { escrowAs } from "../support/escrow.ts"
import { boundJob, cause, FAIL, fundedJob, hash, INCONCLUSIVE, type Job, outcome, PASS, state, submittedJob } from "../support/job.ts"
import { buyer, fallback, provider, treasury } from "../support/keys.ts"
import { jobOnLyingRail } from "../support/lying-rail.ts"
import { assertions, atTime, deployDouble, deployWorldOn, freshWorld, time } from "../support/world.ts"

const COMPLETED = 3
const REJECTED = 4
const EXPIRED = 5

const settledAs = async (job: Job, how: "RELEASE" | "REFUND", why: Parameters<typeof cause>[0], root = job.record.merkleRoot) => {
  const { world } = job
  const tx = await job.settle()
  await assertions.emitWithArgs(tx, world.resolver, "Settled", [job.ref, job.termsHash, outcome(how), cause(why), root, zeroHash])
  const released = how === "RELEASE"
  await assertions.emitWithArgs(tx, world.escrow, released ? "JobCompleted" : "JobRejected", [
    job.jobId,
    world.resolver.address,
    root,
  ] as never)
  assert.equal(await world.escrow.read.statusOf([job.jobId]), released ? COMPLETED : REJECTED)
  const facts = await job.facts()
  assert.deepEqual([facts.settled, facts.settledCause], [outcome(how), cause(why)])
  const standing = await job.standing()
  assert.deepEqual([standing.state, standing.outcome, standing.cause], [released ? "RELEASED" : "REFUNDED", how, why])
  assert.equal(await world.usdc.read.balanceOf([world.resolver.address]), 0n)
}

describe("settle", () => {
  it("REVIEW_ELAPSED: PASS and a silent buyer; 40.00 is 39.40 and 0.60", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(PASS)
    const end = (await job.facts()).verdictAt + job.terms.clock.buyerReview
    await atTime(end, () =>
      assertions.revertWithCustomErrorWithArgs(job.settle(), world.resolver, "NotDecided", [job.ref, state("VERIFIED_PASS")]),
    )
    await time.setNextBlockTimestamp(end + 1)
    await settledAs(job, "RELEASE", "REVIEW_ELAPSED", hash("root-1"))
    await world.escrow.write.collectFees()
    assert.equal(await world.usdc.read.balanceOf([provider.address]), 39_400_000n)
    assert.equal(await world.usdc.read.balanceOf([treasury.address]), 600_000n)
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), 0n)
  })

  it("FAIL_FINAL with attempts left: not before deliveryBy", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(FAIL)
    const { deliveryBy } = job.terms.clock
    await atTime(deliveryBy, () =>
      assertions.revertWithCustomErrorWithArgs(job.settle(), world.resolver, "NotDecided", [job.ref, state("VERIFIED_FAIL")]),
    )
    await time.setNextBlockTimestamp(deliveryBy + 1)
    await settledAs(job, "REFUND", "FAIL_FINAL")
    assert.equal(await world.usdc.read.balanceOf([buyer.address]), 40_000_000n)
  })

  it("FAIL_FINAL with attempts left and a verdict near deliveryBy: not before the dispute window ends", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(FAIL)
    await atTime(job.terms.clock.deliveryBy, () => job.submit())
    await job.verdict(FAIL)
    const end = (await job.facts()).verdictAt + job.terms.clock.providerDispute
    assert.ok(end > job.terms.clock.deliveryBy)
    await atTime(end, () => assertions.revertWithCustomError(job.settle(), world.resolver, "NotDecided"))
    await time.setNextBlockTimestamp(end + 1)
    await settledAs(job, "REFUND", "FAIL_FINAL", hash("root-2"))
  })

  it("FAIL_FINAL on the last attempt: when the dispute window ends", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world, { clock: { maxSubmissions: 1 } })
    await job.verdict(FAIL)
    const end = (await job.facts()).verdictAt + job.terms.clock.providerDispute
    assert.ok(end < job.terms.clock.deliveryBy)
    await atTime(end, () => assertions.revertWithCustomError(job.settle(), world.resolver, "NotDecided"))
    await time.setNextBlockTimestamp(end + 1)
    await settledAs(job, "REFUND", "FAIL_FINAL")
  })

  it("NO_SUBMISSION: E7, though the provider submitted on the rail alone", async () => {
    const world = await freshWorld()
    for (const onRail of [false, true]) {
      const job = await fundedJob(world)
      if (onRail) await world.escrow.write.submitWithAuthorization([...(await job.railSubmitArgs(hash("late")))])
      const { deliveryBy } = job.terms.clock
      await atTime(deliveryBy, () =>
        assertions.revertWithCustomErrorWithArgs(job.settle(), world.resolver, "NotDecided", [job.ref, state("FUNDED")]),
      )
      await time.setNextBlockTimestamp(deliveryBy + 1)
      await settledAs(job, "REFUND", "NO_SUBMISSION", zeroHash)
    }
  })

  it("DEFAULT_RULING: every verifier silent past the window is DISPUTED, never refunded by that timer alone", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    const { verification, mediatorRuling, appealFiling } = job.terms.clock
    const missed = (await job.facts()).submittedAt + verification
    const at = async (moment: number, name: Parameters<typeof state>[0]) =>
      atTime(moment, () => assertions.revertWithCustomErrorWithArgs(job.settle(), world.resolver, "NotDecided", [job.ref, state(name)]))
    await at(missed, "SUBMITTED")
    await at(missed + 1, "DISPUTED")
    await at(missed + mediatorRuling, "DISPUTED")
    await at(missed + mediatorRuling + 1, "RULED")
    await at(missed + mediatorRuling + appealFiling, "RULED")
    await time.setNextBlockTimestamp(missed + mediatorRuling + appealFiling + 1)
    await settledAs(job, "REFUND", "DEFAULT_RULING", zeroHash)
  })

  it("DEFAULT_RULING after the fallback's INCONCLUSIVE counts from that verdict and anchors its root", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(INCONCLUSIVE)
    await job.verdict(INCONCLUSIVE, fallback, hash("fallback root"))
    const { mediatorRuling, appealFiling } = job.terms.clock
    const decided = (await job.facts()).verdictAt + mediatorRuling + appealFiling
    await atTime(decided, () => assertions.revertWithCustomError(job.settle(), world.resolver, "NotDecided"))
    await time.setNextBlockTimestamp(decided + 1)
    await settledAs(job, "REFUND", "DEFAULT_RULING", hash("fallback root"))
  })

  describe("at and after expiry refunds whatever was decided:", () => {
    it("a second before, RELEASE goes through", async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      await job.verdict(PASS)
      await time.setNextBlockTimestamp(job.terms.clock.expiry - 1)
      await settledAs(job, "RELEASE", "REVIEW_ELAPSED")
    })

    for (const late of [0, 1, 1_000_000])
      it(`RELEASE becomes EXPIRY at + ${late}`, async () => {
        const world = await freshWorld()
        const job = await submittedJob(world)
        await job.verdict(PASS)
        await time.setNextBlockTimestamp(job.terms.clock.expiry + late)
        await settledAs(job, "REFUND", "EXPIRY")
        assert.equal((await job.standing()).decision, "RELEASE")
        assert.equal(await world.usdc.read.balanceOf([buyer.address]), 40_000_000n)
      })

    it("REFUND keeps its cause", async () => {
      const world = await freshWorld()
      const job = await fundedJob(world)
      await time.setNextBlockTimestamp(job.terms.clock.expiry)
      await settledAs(job, "REFUND", "NO_SUBMISSION", zeroHash)
    })

    it("a buyer's concession becomes EXPIRY too, a provider's stays CONCEDED", async () => {
      const world = await freshWorld()
      for (const [party, why] of [
        [1, "EXPIRY"],
        [2, "CONCEDED"],
      ] as const) {
        const job = await submittedJob(world)
        await job.concede(party)
        await time.setNextBlockTimestamp(job.terms.clock.expiry)
        await settledAs(job, "REFUND", why)
      }
    })
  })

  it("happens once", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.concede(1)
    await job.settle()
    await assertions.revertWithCustomErrorWithArgs(job.settle(), world.resolver, "AlreadySettled", [job.ref])
  })

  it("needs a bound, funded job and its own terms and record", async () => {
    const world = await freshWorld()
    const { resolver } = world
    const job = await boundJob(world)
    await assertions.revertWithCustomErrorWithArgs(job.settle(), resolver, "NotFunded", [job.ref, 0])
    await job.fund()
    const { time: parts } = job.parts
    await assertions.revertWithCustomErrorWithArgs(resolver.write.settle([zeroHash, parts, job.record]), resolver, "NotBound", [zeroHash])
    for (const altered of [
      { ...parts, contractHash: hash("x") },
      { ...parts, ref: hash("x") },
      { ...parts, rolesHash: hash("x") },
      { ...parts, moneyHash: hash("x") },
      { ...parts, clock: { ...parts.clock, deliveryBy: 1 } },
      { ...parts, clock: { ...parts.clock, expiry: 1 } },
    ])
      await assertions.revertWithCustomErrorWithArgs(resolver.write.settle([job.ref, altered, job.record]), resolver, "HeadMismatch", [
        job.ref,
      ])
    for (const altered of [
      { ...job.record, deliverableHash: hash("x") },
      { ...job.record, merkleRoot: hash("x") },
      { ...job.record, documentHash: hash("x") },
    ])
      await assertions.revertWithCustomErrorWithArgs(resolver.write.settle([job.ref, parts, altered]), resolver, "HeadMismatch", [job.ref])
  })

  it("E11: fails as a whole while the receiver is blocked, and goes through later", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(PASS)
    await world.usdc.write.blacklist([provider.address])
    await time.increase(job.terms.clock.buyerReview + 1)
    await assertions.revertWithCustomError(job.settle(), world.usdc, "AccountBlacklisted")
    assert.equal((await job.facts()).settled, 0)
    await world.usdc.write.unBlacklist([provider.address])
    await settledAs(job, "RELEASE", "REVIEW_ELAPSED")
  })
})

describe("settle on a rail that ended without us", () => {
  it("records the rail's own refund after expiry, once, and calls nothing", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(PASS)
    await time.increaseTo(job.terms.clock.expiry)
    await world.escrow.write.claimRefund([job.jobId])
    await assertions.emitWithArgs(job.settle(), world.resolver, "SettledElsewhere", [job.ref, job.termsHash, outcome("REFUND")])
    assert.equal(await world.escrow.read.statusOf([job.jobId]), EXPIRED)
    assert.deepEqual(await job.standing(), { state: "REFUNDED", decision: "RELEASE", outcome: "REFUND", cause: "ELSEWHERE" })
    await assertions.revertWithCustomErrorWithArgs(job.settle(), world.resolver, "AlreadySettled", [job.ref])
  })

  it("records a job that its client withdrew before funding", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await (await escrowAs(world, buyer.address)).write.reject([job.jobId, zeroHash, "0x"])
    await assertions.emitWithArgs(job.settle(), world.resolver, "SettledElsewhere", [job.ref, job.termsHash, outcome("REFUND")])
  })

  it("records a release elsewhere as a release", async () => {
    const { job, claim } = await jobOnLyingRail(true)
    await claim("Completed")
    await assertions.emitWithArgs(job.settle(), job.world.resolver, "SettledElsewhere", [job.ref, job.termsHash, outcome("RELEASE")])
    assert.equal((await job.standing()).state, "RELEASED")
  })
})

describe("settle on a rail that lies", () => {
  for (const after of ["Open", "Funded", "Submitted", "Rejected", "Expired"] as const)
    it(`reverts when complete leaves ${after}`, async () => {
      const { job, obey } = await jobOnLyingRail(true)
      await obey(after, "Rejected")
      await time.increase(job.terms.clock.buyerReview + 1)
      await assertions.revertWithCustomError(job.settle(), job.world.resolver, "RailDisobeyed")
      assert.equal((await job.facts()).settled, 0)
      await obey("Completed", "Rejected")
      await job.settle()
    })

  for (const after of ["Open", "Funded", "Submitted", "Completed"] as const)
    it(`reverts when reject leaves ${after}`, async () => {
      const { job, claim, obey } = await jobOnLyingRail(false)
      await claim("Funded")
      await obey("Completed", after)
      await time.increaseTo(job.terms.clock.deliveryBy + 1)
      await assertions.revertWithCustomError(job.settle(), job.world.resolver, "RailDisobeyed")
      await obey("Completed", "Rejected")
      await job.settle()
    })
})

describe("settle re-entered", () => {
  const ALREADY_SETTLED = toFunctionSelector("AlreadySettled(bytes32)")
  const settleData = (job: Job) =>
    encodeFunctionData({ abi: job.world.resolver.abi, functionName: "settle", args: [job.ref, job.parts.time, job.record] })

  it("from the rail: the second finds the first one's mark", async () => {
    const { job, rail, obey } = await jobOnLyingRail(true)
    await obey("Completed", "Rejected")
    await time.increase(job.terms.clock.buyerReview + 1)
    await rail.write("arm", [job.world.resolver.address, settleData(job)])
    await job.settle()
    assert.equal(await rail.read("succeeded"), false)
    assert.equal((await rail.read("result")) as string, `${ALREADY_SETTLED}${job.ref.slice(2)}`)
  })

  it("from the token: paid once, by settle, concede or refundUnbound alike", async () => {
    const token = await deployDouble("ReentrantToken")
    const world = await deployWorldOn(token.address)
    for (const attack of ["settle", "concede", "refundUnbound"] as const) {
      const job = await submittedJob(world)
      const concession = await job.concedeArgs(1)
      await job.concede(2)
      const data =
        attack === "settle"
          ? settleData(job)
          : attack === "concede"
            ? encodeFunctionData({ abi: world.resolver.abi, functionName: "concede", args: [...concession] })
            : encodeFunctionData({ abi: world.resolver.abi, functionName: "refundUnbound", args: [job.ref] })
      await token.write("arm", [world.resolver.address, data])
      const before = await world.usdc.read.balanceOf([buyer.address])
      await job.settle()
      assert.equal(await token.read("armed"), false)
      assert.equal(await token.read("succeeded"), false)
      assert.equal((await world.usdc.read.balanceOf([buyer.address])) - before, 40_000_000n)
    }
  })
})
