import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { ALL_STATUSES, evaluator, jobIn, PRICE, REASON, STATUS } from "../support/escrow.ts"
import { buyer, provider, treasury } from "../support/keys.ts"
import { assertions, atTime, contractAt, freshWorld, walletOf } from "../support/world.ts"

describe("complete", () => {
  it("E3: pays the provider 39.40 of 40.00, credits 0.60, and the evaluator nothing", async () => {
    const world = await freshWorld()
    const { escrow, usdc } = world
    const job = await jobIn(world, "Submitted")
    const tx = await job.asEvaluator.write.complete([job.id, REASON, "0x"])
    await assertions.emitWithArgs(tx, escrow, "JobCompleted", [job.id, evaluator.address, REASON])
    await assertions.emitWithArgs(tx, escrow, "PaymentReleased", [job.id, provider.address, 39_400_000n])
    await assertions.emitWithArgs(tx, escrow, "FeeAccrued", [job.id, 600_000n])
    assert.equal(await usdc.read.balanceOf([provider.address]), 39_400_000n)
    assert.equal(await usdc.read.balanceOf([evaluator.address]), 0n)
    assert.equal(await usdc.read.balanceOf([treasury.address]), 0n)
    assert.equal(await escrow.read.accruedFees(), 600_000n)
    assert.equal(await escrow.read.statusOf([job.id]), STATUS.Completed)
  })

  it("rounds the fee down, in the provider's favour", async () => {
    for (const [price, fee] of [
      [1n, 0n],
      [66n, 0n],
      [67n, 1n],
      [133n, 1n],
      [134n, 2n],
      [25_000_000n, 375_000n],
    ] as const) {
      const world = await freshWorld()
      const job = await jobIn(world, "Open")
      await job.asClient.write.setBudget([job.id, price, "0x"])
      await world.usdc.write.mint([buyer.address, price])
      const token = contractAt(world.usdc.abi, world.usdc.address, await walletOf(buyer.address))
      await token.write.approve([world.escrow.address, price])
      await job.asClient.write.fund([job.id, price, "0x"])
      await job.asProvider.write.submit([job.id, REASON, "0x"])
      await job.asEvaluator.write.complete([job.id, REASON, "0x"])
      assert.equal(await world.usdc.read.balanceOf([provider.address]), price - fee)
      assert.equal(await world.escrow.read.accruedFees(), fee)
    }
  })

  it("is the evaluator's", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Submitted")
    await assertions.revertWithCustomErrorWithArgs(job.asClient.write.complete([job.id, REASON, "0x"]), world.escrow, "Unauthorized", [
      job.id,
      buyer.address,
    ])
    await assertions.revertWithCustomErrorWithArgs(job.asProvider.write.complete([job.id, REASON, "0x"]), world.escrow, "Unauthorized", [
      job.id,
      provider.address,
    ])
  })

  it("E6: is over at expiry, so that no one races a refund", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Submitted")
    await atTime(job.expiredAt, () =>
      assertions.revertWithCustomErrorWithArgs(job.asEvaluator.write.complete([job.id, REASON, "0x"]), world.escrow, "JobHasExpired", [
        job.id,
        BigInt(job.expiredAt),
      ]),
    )
    const again = await jobIn(world, "Submitted")
    await atTime(again.expiredAt - 1, () => again.asEvaluator.write.complete([again.id, REASON, "0x"]))
    assert.equal(await world.usdc.read.balanceOf([provider.address]), 39_400_000n)
  })

  for (const status of ALL_STATUSES.filter((name) => name !== "Submitted"))
    it(`refuses a job that is ${status}`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      await assertions.revertWithCustomErrorWithArgs(job.asEvaluator.write.complete([job.id, REASON, "0x"]), world.escrow, "WrongStatus", [
        job.id,
        STATUS[status],
      ])
    })

  it("E11: a blocked provider makes it fail as a whole, and it can be tried again", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Submitted")
    await world.usdc.write.blacklist([provider.address])
    await assertions.revertWithCustomError(job.asEvaluator.write.complete([job.id, REASON, "0x"]), world.usdc, "AccountBlacklisted")
    assert.equal(await world.escrow.read.statusOf([job.id]), STATUS.Submitted)
    await world.usdc.write.unBlacklist([provider.address])
    await job.asEvaluator.write.complete([job.id, REASON, "0x"])
    assert.equal(await world.usdc.read.balanceOf([provider.address]), PRICE - 600_000n)
  })

  it("E2, E11: neither a blocked treasury nor anyone else can change what the provider gets", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Submitted")
    await world.usdc.write.blacklist([treasury.address])
    await job.asEvaluator.write.complete([job.id, REASON, "0x"])
    assert.equal(await world.usdc.read.balanceOf([provider.address]), 39_400_000n)
    await assertions.revertWithCustomError(world.escrow.write.collectFees(), world.usdc, "AccountBlacklisted")
    assert.equal(await world.escrow.read.accruedFees(), 600_000n)
    await world.usdc.write.unBlacklist([treasury.address])
    await world.escrow.write.collectFees()
    assert.equal(await world.usdc.read.balanceOf([treasury.address]), 600_000n)
  })
})

describe("collectFees", () => {
  it("pays what accrued to the treasury, whoever asks, and only that", async () => {
    const world = await freshWorld()
    const held = await jobIn(world, "Funded")
    await jobIn(world, "Completed")
    await jobIn(world, "Completed")
    await assertions.emitWithArgs(world.escrow.write.collectFees(), world.escrow, "FeesCollected", [treasury.address, 1_200_000n])
    assert.equal(await world.usdc.read.balanceOf([treasury.address]), 1_200_000n)
    assert.equal(await world.escrow.read.accruedFees(), 0n)
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), PRICE)
    await world.escrow.write.collectFees()
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), PRICE)
    assert.equal(await world.escrow.read.statusOf([held.id]), STATUS.Funded)
  })
})
