import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { openJob, PASS } from "./support/job.ts"
import { buyer, provider, treasury } from "./support/keys.ts"
import { assertions, freshWorld, gasOf, time, USDC } from "./support/world.ts"

describe("worked example A on chain", () => {
  it("pays 39.40 of 40.00, keeps 0.60 for the treasury to pull, and leaves nothing in the resolver", async () => {
    const world = await freshWorld()
    const { usdc, escrow, resolver } = world
    const job = await openJob(world)
    const gas: Record<string, bigint> = {}
    gas.bind = await gasOf(await job.bind())
    await job.fund()
    gas.submit = await gasOf(await job.submit())
    gas.verdict = await gasOf(await job.verdict(PASS))
    await time.increase(job.terms.clock.buyerReview + 1)
    assert.deepEqual(await job.standing(), { state: "VERIFIED_PASS", decision: "RELEASE", outcome: "RELEASE", cause: "REVIEW_ELAPSED" })
    const settled = await job.settle()
    gas.settle = await gasOf(settled)
    assert.equal(await usdc.read.balanceOf([provider.address]), 39_400_000n)
    assert.equal(await usdc.read.balanceOf([buyer.address]), 0n)
    await escrow.write.collectFees()
    assert.equal(await usdc.read.balanceOf([treasury.address]), 600_000n)
    assert.equal(await usdc.read.balanceOf([resolver.address]), 0n)
    assert.equal(await usdc.read.balanceOf([escrow.address]), 0n)
    assert.equal(USDC, 1_000_000n)
    console.log(gas)
    await assertions.revertWithCustomError(job.settle(), resolver, "AlreadySettled")
  })
})
