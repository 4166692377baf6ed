import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { ALL_STATUSES, evaluator, jobIn, PRICE, REASON, STATUS } from "../support/escrow.ts"
import { buyer, provider, stranger } from "../support/keys.ts"
import { assertions, atTime, freshWorld, time } from "../support/world.ts"

describe("reject", () => {
  for (const status of ["Funded", "Submitted"] as const)
    it(`by the evaluator refunds a ${status} job in full`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      const tx = await job.asEvaluator.write.reject([job.id, REASON, "0x"])
      await assertions.emitWithArgs(tx, world.escrow, "JobRejected", [job.id, evaluator.address, REASON])
      await assertions.emitWithArgs(tx, world.escrow, "Refunded", [job.id, buyer.address, PRICE])
      assert.equal(await world.usdc.read.balanceOf([buyer.address]), PRICE)
      assert.equal(await world.escrow.read.accruedFees(), 0n)
    })

  it("by the client withdraws an Open job, and moves no money though it has a budget", async () => {
    const world = await freshWorld()
    const victim = await jobIn(world, "Funded")
    const job = await jobIn(world, "Open")
    await assertions.emitWithArgs(job.asClient.write.reject([job.id, REASON, "0x"]), world.escrow, "JobRejected", [
      job.id,
      buyer.address,
      REASON,
    ])
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), PRICE)
    assert.equal(await world.escrow.read.statusOf([victim.id]), STATUS.Funded)
  })

  it("is the client's while Open and the evaluator's afterwards", async () => {
    const world = await freshWorld()
    const open = await jobIn(world, "Open")
    await assertions.revertWithCustomErrorWithArgs(open.asEvaluator.write.reject([open.id, REASON, "0x"]), world.escrow, "Unauthorized", [
      open.id,
      evaluator.address,
    ])
    for (const status of ["Funded", "Submitted"] as const) {
      const job = await jobIn(world, status)
      await assertions.revertWithCustomErrorWithArgs(job.asClient.write.reject([job.id, REASON, "0x"]), world.escrow, "Unauthorized", [
        job.id,
        buyer.address,
      ])
      await assertions.revertWithCustomErrorWithArgs(job.asProvider.write.reject([job.id, REASON, "0x"]), world.escrow, "Unauthorized", [
        job.id,
        provider.address,
      ])
    }
  })

  it("still refunds after expiry", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Submitted")
    await atTime(job.expiredAt + 1_000_000, () => job.asEvaluator.write.reject([job.id, REASON, "0x"]))
    assert.equal(await world.usdc.read.balanceOf([buyer.address]), PRICE)
  })

  for (const status of ["Completed", "Rejected", "Expired"] as const)
    it(`refuses a job that is ${status}`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      await assertions.revertWithCustomErrorWithArgs(job.asEvaluator.write.reject([job.id, REASON, "0x"]), world.escrow, "WrongStatus", [
        job.id,
        STATUS[status],
      ])
    })
})

describe("claimRefund", () => {
  for (const status of ["Funded", "Submitted"] as const)
    it(`refunds a ${status} job in full from expiry on, whoever asks`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      await atTime(job.expiredAt - 1, () =>
        assertions.revertWithCustomErrorWithArgs(world.escrow.write.claimRefund([job.id]), world.escrow, "JobNotExpired", [
          job.id,
          BigInt(job.expiredAt),
        ]),
      )
      const tx = await atTime(job.expiredAt, () => world.escrow.write.claimRefund([job.id]))
      await assertions.emitWithArgs(tx, world.escrow, "JobExpired", [job.id])
      await assertions.emitWithArgs(tx, world.escrow, "Refunded", [job.id, buyer.address, PRICE])
      assert.equal(await world.usdc.read.balanceOf([buyer.address]), PRICE)
    })

  it("E1, E8: pays nothing for a job that has a budget but was never funded", async () => {
    const world = await freshWorld()
    const victim = await jobIn(world, "Funded")
    const attack = await jobIn(world, "Open")
    await time.increaseTo(attack.expiredAt + 10)
    await assertions.revertWithCustomErrorWithArgs(world.escrow.write.claimRefund([attack.id]), world.escrow, "WrongStatus", [
      attack.id,
      STATUS.Open,
    ])
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), PRICE)
    await victim.asEvaluator.write.reject([victim.id, REASON, "0x"])
    assert.equal(await world.usdc.read.balanceOf([buyer.address]), PRICE)
  })

  for (const status of ALL_STATUSES.filter((name) => name !== "Funded" && name !== "Submitted"))
    it(`refuses a job that is ${status}`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      await time.increaseTo(job.expiredAt + 10)
      await assertions.revertWithCustomErrorWithArgs(world.escrow.write.claimRefund([job.id]), world.escrow, "WrongStatus", [
        job.id,
        STATUS[status],
      ])
    })

  it("E11: a blocked client makes it fail as a whole; it succeeds once unblocked", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Funded")
    await world.usdc.write.blacklist([buyer.address])
    await time.increaseTo(job.expiredAt)
    await assertions.revertWithCustomError(world.escrow.write.claimRefund([job.id]), world.usdc, "AccountBlacklisted")
    await world.usdc.write.unBlacklist([buyer.address])
    await world.escrow.write.claimRefund([job.id])
    assert.equal(await world.usdc.read.balanceOf([buyer.address]), PRICE)
    assert.equal(await world.usdc.read.balanceOf([stranger.address]), 0n)
  })
})
