/** What is signed for one job, carried to another. Each attempt is made where the original would have counted. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Hex } from "viem"
import { afgResolverAbi } from "../../../deployments/abi/index.ts"
import { FAIL, fundedJob, hash, type Job, openJob, PASS, submittedJob } from "../support/job.ts"
import { assertions, contractAt, freshWorld, time, viem, type World } from "../support/world.ts"

/** Two jobs with the same contract hash, deliverable, parties, verifier and number of submissions. */
const twins = async (world: World): Promise<[Job, Job]> => {
  const [one, two] = [await fundedJob(world), await fundedJob(world)]
  for (const job of [one, two]) await job.submit(hash("the same deliverable"))
  assert.equal(one.terms.contractHash, two.terms.contractHash)
  assert.notEqual(one.termsHash, two.termsHash)
  return [one, two]
}

/** Nothing of the victim's changed. */
const untouched = async (job: Job, act: () => Promise<unknown>): Promise<void> => {
  const { resolver, escrow, usdc } = job.world
  const look = async () => [
    await resolver.read.headOf([job.ref]),
    await resolver.read.factsOf([job.ref]),
    await escrow.read.getJob([job.jobId]),
    await usdc.read.balanceOf([escrow.address]),
  ]
  const before = await look()
  await act()
  assert.deepEqual(await look(), before)
}

describe("a verdict signed for one job, posted to another whose terms copy its contract hash (probe 22)", () => {
  it("is refused under the other's terms, and under its own", async () => {
    const world = await freshWorld()
    const [victim, cheat] = await twins(world)
    const [, , , n, finding, root, signature] = await cheat.verdictArgs(PASS)
    await untouched(victim, async () => {
      const posted = world.resolver.write.verdict([victim.ref, victim.parts.act, victim.record, n, finding, root, signature])
      await assertions.revertWithCustomError(posted, world.resolver, "NotAVerifier")
      const own = world.resolver.write.verdict([victim.ref, cheat.parts.act, victim.record, n, finding, root, signature])
      await assertions.revertWithCustomErrorWithArgs(own, world.resolver, "HeadMismatch", [victim.ref])
    })
  })
})

describe("a concession or submission signed for one job, posted to another (probe 22)", () => {
  it("is refused", async () => {
    const world = await freshWorld()
    const [victim, cheat] = await twins(world)
    await untouched(victim, async () => {
      for (const party of [1, 2] as const) {
        const signature = (await cheat.concedeArgs(party))[5]
        const posted = world.resolver.write.concede([victim.ref, victim.parts.act, victim.record, 1, party, signature])
        await assertions.revertWithCustomError(posted, world.resolver, "InvalidSignature")
      }
    })
    for (const job of [victim, cheat]) await job.verdict(FAIL)
    await untouched(victim, async () => {
      const [, , , n, deliverable, uri, signature] = await cheat.submitArgs(2, hash("second"))
      const posted = world.resolver.write.submit([victim.ref, victim.terms, victim.record, n, deliverable, uri, signature])
      await assertions.revertWithCustomError(posted, world.resolver, "InvalidSignature")
    })
  })
})

describe("a decision reached in job A, settled with job B's escrow reference (probe 2)", () => {
  it("reverts, and B is untouched", async () => {
    const world = await freshWorld()
    const [a, b] = await twins(world)
    await a.concede(2)
    await untouched(b, async () => {
      for (const attempt of [
        world.resolver.write.settle([b.ref, a.parts.time, a.record]),
        world.resolver.write.settle([b.ref, { ...a.parts.time, ref: b.ref }, a.record]),
      ])
        await assertions.revertWithCustomErrorWithArgs(attempt, world.resolver, "HeadMismatch", [b.ref])
      await assertions.revertWithCustomError(b.settle(), world.resolver, "NotDecided")
    })
    const before = await b.world.escrow.read.statusOf([b.jobId])
    await a.settle()
    assert.equal(await world.escrow.read.statusOf([b.jobId]), before)
    assert.equal(await world.escrow.read.statusOf([a.jobId]), 4)
  })
})

describe("what is signed for one resolver, carried to another on the same escrow", () => {
  it("binds nothing", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    const { address } = await viem.deployContract("ERC8183Resolver", [world.escrow.address])
    const other = contractAt(afgResolverAbi, address)
    await assertions.revertWithCustomError(other.write.bind([...(await job.bindArgs())]), other, "InvalidSignature")
  })
})

describe("the same act twice", () => {
  it("counts once: bind, submission, verdict, concession", async () => {
    const world = await freshWorld()
    const { resolver } = world
    const job = await openJob(world)
    const bind = await job.bindArgs()
    await resolver.write.bind([...bind])
    await assertions.revertWithCustomError(resolver.write.bind([...bind]), resolver, "AlreadyBound")
    await job.fund()
    await assertions.revertWithCustomError(resolver.write.bind([...bind]), resolver, "AlreadyBound")
    await world.escrow.write.submitWithAuthorization([...(await job.railSubmitArgs(hash("deliverable-1")))])
    const submission = await job.submitArgs(1, hash("deliverable-1"))
    await job.submitOnly()
    await assertions.revertWithCustomError(resolver.write.submit([...submission]), resolver, "HeadMismatch")
    const verdict = await job.verdictArgs(FAIL)
    await job.verdict(FAIL)
    await assertions.revertWithCustomError(resolver.write.verdict([...verdict]), resolver, "HeadMismatch")
    const concession = await job.concedeArgs(2)
    await job.concede(2)
    await assertions.revertWithCustomError(resolver.write.concede([...concession]), resolver, "ActRefused")
  })

  it("a submission withdrawn by a later one does not come back", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(FAIL)
    const second = await job.submitArgs(2, hash("deliverable-2"))
    await job.submit()
    await job.verdict(FAIL)
    const signature: Hex = second[6]
    const posted = world.resolver.write.submit([job.ref, job.terms, job.record, 3, hash("deliverable-2"), hash("uri-2"), signature])
    await assertions.revertWithCustomError(posted, world.resolver, "InvalidSignature")
    const again = world.resolver.write.submit([job.ref, job.terms, job.record, 2, hash("deliverable-2"), hash("uri-2"), signature])
    await assertions.revertWithCustomErrorWithArgs(again, world.resolver, "WrongSubmission", [2n, 3n])
  })
})

describe("jobs side by side", () => {
  it("end each by its own facts, and the escrow pays each its own", async () => {
    const world = await freshWorld()
    const released = await submittedJob(world)
    const refunded = await submittedJob(world)
    const waiting = await fundedJob(world)
    await released.verdict(PASS)
    await refunded.verdict(FAIL)
    await refunded.concede(2)
    await refunded.settle()
    await time.increase(released.terms.clock.buyerReview + 1)
    await released.settle()
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), 40_600_000n)
    assert.equal((await waiting.standing()).state, "FUNDED")
  })
})
