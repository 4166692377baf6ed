import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Abi, encodeFunctionData, toFunctionSelector, zeroAddress } from "viem"
import { DELIVERABLE, jobIn, PRICE, REASON, STATUS } from "../support/escrow.ts"
import { buyer, provider } from "../support/keys.ts"
import { assertions, deployDouble, deployWorldOn, time } from "../support/world.ts"

const GUARD = toFunctionSelector("ReentrancyGuardReentrantCall()")

const reentrantWorld = async () => {
  const token = await deployDouble("ReentrantToken")
  return { token, world: await deployWorldOn(token.address) }
}

describe("a token that calls back", () => {
  const attempts: {
    during: "reject" | "claimRefund" | "complete" | "collectFees"
    call: (id: bigint) => { functionName: string; args: unknown[] }
  }[] = [
    { during: "reject", call: (id) => ({ functionName: "claimRefund", args: [id] }) },
    { during: "claimRefund", call: (id) => ({ functionName: "claimRefund", args: [id] }) },
    { during: "complete", call: (id) => ({ functionName: "claimRefund", args: [id] }) },
    { during: "complete", call: () => ({ functionName: "collectFees", args: [] }) },
    { during: "collectFees", call: () => ({ functionName: "collectFees", args: [] }) },
  ]
  for (const { during, call } of attempts)
    it(`cannot ${call(0n).functionName} in the middle of ${during}`, async () => {
      const { token, world } = await reentrantWorld()
      await jobIn(world, "Funded")
      const job = await jobIn(world, "Submitted")
      const attack = call(job.id)
      const payload = encodeFunctionData({ abi: world.escrow.abi as Abi, functionName: attack.functionName, args: attack.args })
      if (during === "collectFees") await job.asEvaluator.write.complete([job.id, REASON, "0x"])
      if (during === "claimRefund") await time.increaseTo(job.expiredAt)
      await token.write("arm", [world.escrow.address, payload])
      if (during === "reject") await job.asEvaluator.write.reject([job.id, REASON, "0x"])
      if (during === "claimRefund") await world.escrow.write.claimRefund([job.id])
      if (during === "complete") await job.asEvaluator.write.complete([job.id, REASON, "0x"])
      if (during === "collectFees") await world.escrow.write.collectFees()
      assert.equal(await token.read("armed"), false)
      assert.equal(await token.read("succeeded"), false)
      assert.equal(await token.read("result"), GUARD)
      const fees = await world.escrow.read.accruedFees()
      assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), PRICE + fees)
    })

  it("cannot end another job of its own meanwhile", async () => {
    const { token, world } = await reentrantWorld()
    const job = await jobIn(world, "Submitted")
    const own = await jobIn(world, "Submitted", { evaluator: token.address })
    const payload = encodeFunctionData({ abi: world.escrow.abi, functionName: "complete", args: [own.id, REASON, "0x"] })
    await token.write("arm", [world.escrow.address, payload])
    await job.asEvaluator.write.complete([job.id, REASON, "0x"])
    assert.equal(await token.read("result"), GUARD)
    assert.equal(await world.escrow.read.statusOf([own.id]), STATUS.Submitted)
    await token.write("call", [world.escrow.address, payload])
    assert.equal(await world.escrow.read.statusOf([own.id]), STATUS.Completed)
  })

  it("cannot move the budget while it is being paid", async () => {
    const { token, world } = await reentrantWorld()
    const create = encodeFunctionData({
      abi: world.escrow.abi,
      functionName: "createJobWithBudget",
      args: [provider.address, buyer.address, BigInt((await time.latest()) + 3_600), "", zeroAddress, PRICE],
    })
    await token.write("call", [world.escrow.address, create])
    await token.write("mint", [token.address, PRICE])
    await token.write("call", [
      token.address,
      encodeFunctionData({ abi: world.usdc.abi, functionName: "approve", args: [world.escrow.address, PRICE] }),
    ])
    await token.write("arm", [
      world.escrow.address,
      encodeFunctionData({ abi: world.escrow.abi, functionName: "setBudget", args: [1n, 2n * PRICE, "0x"] }),
    ])
    await token.write("call", [
      world.escrow.address,
      encodeFunctionData({ abi: world.escrow.abi, functionName: "fund", args: [1n, PRICE, "0x"] }),
    ])
    assert.equal(await token.read("succeeded"), false)
    assert.equal((await world.escrow.read.getJob([1n])).budget, PRICE)
    assert.equal(await world.escrow.read.statusOf([1n]), STATUS.Funded)
  })
})

describe("a token that answers false", () => {
  it("fails the payment as a whole", async () => {
    const token = await deployDouble("FalseToken")
    const world = await deployWorldOn(token.address)
    const job = await jobIn(world, "Submitted")
    await token.write("fail", [true])
    await assertions.revertWithCustomError(job.asEvaluator.write.complete([job.id, REASON, "0x"]), world.escrow, "SafeERC20FailedOperation")
    await assertions.revertWithCustomError(job.asEvaluator.write.reject([job.id, REASON, "0x"]), world.escrow, "SafeERC20FailedOperation")
    assert.equal(await world.escrow.read.statusOf([job.id]), STATUS.Submitted)
    await token.write("fail", [false])
    await job.asEvaluator.write.complete([job.id, DELIVERABLE, "0x"])
    assert.equal(await world.escrow.read.statusOf([job.id]), STATUS.Completed)
  })
})

describe("a token that takes balances away", () => {
  it("leaves who comes late unpaid, but never pays more than there is nor records what was not paid", async () => {
    const token = await deployDouble("RebasingToken")
    const world = await deployWorldOn(token.address)
    const first = await jobIn(world, "Submitted")
    const second = await jobIn(world, "Submitted")
    await token.write("seize", [world.escrow.address, 1n])
    await first.asEvaluator.write.reject([first.id, REASON, "0x"])
    await assertions.revertWithCustomError(
      second.asEvaluator.write.reject([second.id, REASON, "0x"]),
      world.usdc,
      "ERC20InsufficientBalance",
    )
    assert.equal(await world.escrow.read.statusOf([second.id]), STATUS.Submitted)
    await world.usdc.write.mint([world.escrow.address, 1n])
    await second.asEvaluator.write.reject([second.id, REASON, "0x"])
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), 0n)
    assert.equal(await world.usdc.read.balanceOf([buyer.address]), 2n * PRICE)
  })
})
