import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { maxUint96, zeroAddress } from "viem"
import { ALL_STATUSES, escrowAs, evaluator, jobIn, PRICE, STATUS } from "../support/escrow.ts"
import { buyer, provider, stranger } from "../support/keys.ts"
import { assertions, freshWorld, time, type World } from "../support/world.ts"

const withoutProvider = async (world: World) => {
  const asClient = await escrowAs(world, buyer.address)
  const expiredAt = BigInt((await time.latest()) + 3_600)
  await asClient.write.createJob([zeroAddress, evaluator.address, expiredAt, "", zeroAddress])
  return asClient
}

describe("setProvider", () => {
  it("names the provider of an open job, with or without optParams", async () => {
    const world = await freshWorld()
    const asClient = await withoutProvider(world)
    await assertions.emitWithArgs(asClient.write.setProvider([1n, provider.address]), world.escrow, "ProviderSet", [1n, provider.address])
    await withoutProvider(world)
    await assertions.emitWithArgs(asClient.write.setProvider([2n, stranger.address, "0x1234"]), world.escrow, "ProviderSet", [
      2n,
      stranger.address,
    ])
  })

  it("is the client's, once, and never the evaluator or nobody", async () => {
    const world = await freshWorld()
    const { escrow } = world
    const asClient = await withoutProvider(world)
    const asStranger = await escrowAs(world, stranger.address)
    await assertions.revertWithCustomErrorWithArgs(asStranger.write.setProvider([1n, provider.address]), escrow, "Unauthorized", [
      1n,
      stranger.address,
    ])
    await assertions.revertWithCustomErrorWithArgs(asClient.write.setProvider([1n, zeroAddress]), escrow, "ProviderMissing", [1n])
    await assertions.revertWithCustomErrorWithArgs(asClient.write.setProvider([1n, evaluator.address]), escrow, "EvaluatorIsProvider", [
      evaluator.address,
    ])
    await asClient.write.setProvider([1n, provider.address])
    await assertions.revertWithCustomErrorWithArgs(asClient.write.setProvider([1n, stranger.address]), escrow, "ProviderAlreadySet", [
      1n,
      provider.address,
    ])
  })

  for (const status of ALL_STATUSES.filter((name) => name !== "Open"))
    it(`refuses a job that is ${status}`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      await assertions.revertWithCustomErrorWithArgs(
        job.asClient.write.setProvider([job.id, stranger.address]),
        world.escrow,
        "WrongStatus",
        [job.id, STATUS[status]],
      )
    })
})

describe("setBudget", () => {
  it("is the client's, as often as it likes while the job is open", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await assertions.emitWithArgs(job.asClient.write.setBudget([job.id, 7n, "0x"]), world.escrow, "BudgetSet", [job.id, 7n])
    await job.asClient.write.setBudget([job.id, maxUint96, "0x"])
    assert.equal((await world.escrow.read.getJob([job.id])).budget, maxUint96)
    await assertions.revertWithCustomErrorWithArgs(
      job.asClient.write.setBudget([job.id, maxUint96 + 1n, "0x"]),
      world.escrow,
      "BudgetTooLarge",
      [maxUint96 + 1n],
    )
  })

  it("E4: the provider cannot move the price between the client's two calls", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await assertions.revertWithCustomErrorWithArgs(
      job.asProvider.write.setBudget([job.id, 2n * PRICE, "0x"]),
      world.escrow,
      "Unauthorized",
      [job.id, provider.address],
    )
  })

  for (const status of ALL_STATUSES.filter((name) => name !== "Open"))
    it(`refuses a job that is ${status}`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      await assertions.revertWithCustomErrorWithArgs(job.asClient.write.setBudget([job.id, 1n, "0x"]), world.escrow, "WrongStatus", [
        job.id,
        STATUS[status],
      ])
    })
})
