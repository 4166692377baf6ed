import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { decodeFunctionResult, encodeErrorResult, encodeFunctionData } from "viem"
import { batcherAbi } from "../../deployments/abi/index.ts"
import { fundedJob, hash, openJob } from "./support/job.ts"
import { buyer, stranger } from "./support/keys.ts"
import { assertions, freshWorld, USDC, viem, type World, walletOf } from "./support/world.ts"

const mint = (world: World, amount: bigint) => ({
  target: world.usdc.address,
  data: encodeFunctionData({ abi: world.usdc.abi, functionName: "mint", args: [stranger.address, amount] }),
})

describe("Batcher", () => {
  it("makes the calls in order and returns what each returned", async () => {
    const world = await freshWorld()
    const balance = {
      target: world.usdc.address,
      data: encodeFunctionData({ abi: world.usdc.abi, functionName: "balanceOf", args: [stranger.address] }),
    }
    const publicClient = await viem.getPublicClient()
    const { result } = await publicClient.simulateContract({
      abi: batcherAbi,
      address: world.batcher.address,
      functionName: "batch",
      args: [[balance, mint(world, 5n), balance]],
    })
    const read = (data: `0x${string}` | undefined) =>
      decodeFunctionResult({ abi: world.usdc.abi, functionName: "balanceOf", data: data ?? "0x" })
    assert.deepEqual([read(result[0]), result[1], read(result[2])], [0n, "0x", 5n])
    await world.batcher.write.batch([[]])
  })

  it("is all or nothing, and names the call that failed with its reason", async () => {
    const world = await freshWorld()
    const unknown = {
      target: world.escrow.address,
      data: encodeFunctionData({ abi: world.escrow.abi, functionName: "statusOf", args: [9n] }),
    }
    const reason = encodeErrorResult({ abi: world.escrow.abi, errorName: "UnknownJob", args: [9n] })
    const attempt = world.batcher.write.batch([[mint(world, 5n), unknown]])
    await assertions.revertWithCustomErrorWithArgs(attempt, world.batcher, "CallFailed", [1n, reason])
    assert.equal(await world.usdc.read.balanceOf([stranger.address]), 0n)
  })

  it("refuses an address without code, where a call would do nothing and succeed", async () => {
    const world = await freshWorld()
    const attempt = world.batcher.write.batch([[mint(world, 5n), { target: stranger.address, data: "0x" }]])
    await assertions.revertWithCustomErrorWithArgs(attempt, world.batcher, "NoCode", [1n, stranger.address])
  })

  it("takes no coin", async () => {
    const { batcher } = await freshWorld()
    const wallet = await walletOf(stranger.address)
    await assert.rejects(wallet.sendTransaction({ to: batcher.address, value: 1n }))
    const data = encodeFunctionData({ abi: batcherAbi, functionName: "batch", args: [[]] })
    await assert.rejects(wallet.sendTransaction({ to: batcher.address, data, value: 1n }))
  })

  it("gains no one anything: the escrow sees a caller without a role", async () => {
    const world = await freshWorld()
    const job = await fundedJob(world)
    const data = encodeFunctionData({ abi: world.escrow.abi, functionName: "submit", args: [job.jobId, hash("x"), "0x"] })
    await assertions.revertWithCustomError(
      world.batcher.write.batch([[{ target: world.escrow.address, data }]]),
      world.batcher,
      "CallFailed",
    )
  })

  it("binds and funds in one transaction", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    await world.usdc.write.mint([buyer.address, 40n * USDC])
    await world.batcher.write.batch([
      [
        {
          target: world.resolver.address,
          data: encodeFunctionData({ abi: world.resolver.abi, functionName: "bind", args: [...(await job.bindArgs())] }),
        },
        {
          target: world.escrow.address,
          data: encodeFunctionData({ abi: world.escrow.abi, functionName: "fundWithAuthorization", args: [...(await job.fundArgs())] }),
        },
      ],
    ])
    assert.equal((await job.standing()).state, "FUNDED")
  })
})
