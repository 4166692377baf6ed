import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, zeroAddress } from "viem"
import { ALL_STATUSES, escrowAs, evaluator, jobIn, PRICE, STATUS } from "../support/escrow.ts"
import { hash, RECEIVE_TYPES } from "../support/job.ts"
import { buyer, malleate, provider, stranger } from "../support/keys.ts"
import {
  assertions,
  atTime,
  CHAIN_ID,
  contractAt,
  deployDouble,
  deployWorldOn,
  freshWorld,
  time,
  type World,
  walletOf,
} from "../support/world.ts"

const approve = async (world: World, amount = PRICE) => {
  await world.usdc.write.mint([buyer.address, amount])
  const token = contractAt(world.usdc.abi, world.usdc.address, await walletOf(buyer.address))
  await token.write.approve([world.escrow.address, amount])
}

type Authorization = {
  jobId?: bigint
  amount?: bigint
  salt?: Hex
  validAfter?: bigint
  validBefore?: bigint
  nonce?: Hex
  from?: `0x${string}`
}

/** The buyer's ERC-3009 authorization for a job, and the call that uses it. */
const authorization = async (world: World, jobId: bigint, changes: Authorization = {}) => {
  const amount = changes.amount ?? PRICE
  const salt = changes.salt ?? hash("salt")
  const validAfter = changes.validAfter ?? 0n
  const validBefore = changes.validBefore ?? 2n ** 40n
  const nonce = changes.nonce ?? (await world.escrow.read.fundingNonce([changes.jobId ?? jobId, amount, salt]))
  const message = { from: changes.from ?? buyer.address, to: world.escrow.address, value: amount, validAfter, validBefore, nonce }
  const signature = await buyer.signTypedData({
    domain: { name: "USD Coin", version: "2", chainId: CHAIN_ID, verifyingContract: world.usdc.address },
    types: RECEIVE_TYPES,
    primaryType: "ReceiveWithAuthorization",
    message,
  })
  return { args: [jobId, amount, validAfter, validBefore, salt, signature] as const, message, signature }
}

describe("fund", () => {
  it("pulls exactly the budget from the client and says so", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await approve(world)
    await assertions.emitWithArgs(job.asClient.write.fund([job.id, PRICE, "0x"]), world.escrow, "JobFunded", [job.id, buyer.address, PRICE])
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), PRICE)
    assert.equal(await world.escrow.read.statusOf([job.id]), STATUS.Funded)
  })

  it("refuses anyone else, another amount, no budget, no provider, no money", async () => {
    const world = await freshWorld()
    const { escrow } = world
    const job = await jobIn(world, "Open")
    await assertions.revertWithCustomErrorWithArgs(job.asProvider.write.fund([job.id, PRICE, "0x"]), escrow, "Unauthorized", [
      job.id,
      provider.address,
    ])
    await assertions.revertWithCustomErrorWithArgs(job.asClient.write.fund([job.id, PRICE - 1n, "0x"]), escrow, "BudgetMismatch", [
      job.id,
      PRICE,
      PRICE - 1n,
    ])
    await assertions.revertWithCustomError(job.asClient.write.fund([job.id, PRICE, "0x"]), world.usdc, "ERC20InsufficientAllowance")
    await job.asClient.write.setBudget([job.id, 0n, "0x"])
    await assertions.revertWithCustomErrorWithArgs(job.asClient.write.fund([job.id, 0n, "0x"]), escrow, "BudgetMissing", [job.id])
    const asClient = await escrowAs(world, buyer.address)
    await asClient.write.createJobWithBudget([zeroAddress, evaluator.address, BigInt((await time.latest()) + 60), "", zeroAddress, PRICE])
    await assertions.revertWithCustomErrorWithArgs(asClient.write.fund([job.id + 1n, PRICE, "0x"]), escrow, "ProviderMissing", [
      job.id + 1n,
    ])
  })

  it("still counts one second before expiry, not at it", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await approve(world)
    await atTime(job.expiredAt, () =>
      assertions.revertWithCustomErrorWithArgs(job.asClient.write.fund([job.id, PRICE, "0x"]), world.escrow, "JobHasExpired", [
        job.id,
        BigInt(job.expiredAt),
      ]),
    )
    const again = await jobIn(world, "Open")
    await atTime(again.expiredAt - 1, () => again.asClient.write.fund([again.id, PRICE, "0x"]))
    assert.equal(await world.escrow.read.statusOf([again.id]), STATUS.Funded)
  })

  for (const status of ALL_STATUSES.filter((name) => name !== "Open"))
    it(`refuses a job that is ${status}`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      const args: [bigint, number] = [job.id, STATUS[status]]
      await assertions.revertWithCustomErrorWithArgs(job.asClient.write.fund([job.id, PRICE, "0x"]), world.escrow, "WrongStatus", args)
      const signed = await authorization(world, job.id)
      await assertions.revertWithCustomErrorWithArgs(
        world.escrow.write.fundWithAuthorization(signed.args),
        world.escrow,
        "WrongStatus",
        args,
      )
    })

  it("E12: refuses a token that takes a cut, and one that adds", async () => {
    for (const name of ["FeeOnTransferToken", "GenerousToken"] as const) {
      const token = await deployDouble(name)
      const world = await deployWorldOn(token.address)
      const job = await jobIn(world, "Open")
      await approve(world)
      const received = name === "FeeOnTransferToken" ? PRICE - 1n : PRICE + 1n
      await assertions.revertWithCustomErrorWithArgs(job.asClient.write.fund([job.id, PRICE, "0x"]), world.escrow, "AmountNotReceived", [
        PRICE,
        received,
      ])
      const signed = await authorization(world, job.id)
      await assertions.revertWithCustomErrorWithArgs(
        world.escrow.write.fundWithAuthorization(signed.args),
        world.escrow,
        "AmountNotReceived",
        [PRICE, received],
      )
      assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), 0n)
    }
  })
})

describe("fundWithAuthorization", () => {
  it("binds the ERC-3009 nonce to chain, escrow, job, amount and salt", async () => {
    const { escrow } = await freshWorld()
    const expected = keccak256(
      encodeAbiParameters(
        [{ type: "uint256" }, { type: "address" }, { type: "string" }, { type: "uint256" }, { type: "uint256" }, { type: "bytes32" }],
        [BigInt(CHAIN_ID), escrow.address, "fund", 7n, PRICE, hash("salt")],
      ),
    )
    assert.equal(await escrow.read.fundingNonce([7n, PRICE, hash("salt")]), expected)
  })

  it("funds the job by the client's signature, whoever relays it", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await world.usdc.write.mint([buyer.address, PRICE])
    const { args } = await authorization(world, job.id)
    await assertions.emitWithArgs(world.escrow.write.fundWithAuthorization(args), world.escrow, "JobFunded", [job.id, buyer.address, PRICE])
    assert.equal(await world.usdc.read.balanceOf([world.escrow.address]), PRICE)
  })

  it("cannot pay for another job, another amount, with another salt or from someone else", async () => {
    const world = await freshWorld()
    const { usdc, escrow } = world
    const job = await jobIn(world, "Open")
    const other = await jobIn(world, "Open")
    await usdc.write.mint([buyer.address, 10n * PRICE])
    const { args, signature } = await authorization(world, job.id)
    const use = (...changed: readonly [bigint, bigint, bigint, bigint, Hex, Hex]) => escrow.write.fundWithAuthorization(changed)
    await assertions.revertWithCustomError(use(other.id, args[1], args[2], args[3], args[4], args[5]), usdc, "InvalidAuthorization")
    await assertions.revertWithCustomError(use(args[0], args[1], args[2], args[3], hash("else"), args[5]), usdc, "InvalidAuthorization")
    await assertions.revertWithCustomError(use(args[0], args[1], args[2], args[3] - 1n, args[4], args[5]), usdc, "InvalidAuthorization")
    await assertions.revertWithCustomError(use(args[0], args[1] - 1n, args[2], args[3], args[4], args[5]), escrow, "BudgetMismatch")
    await assertions.revertWithCustomError(
      use(args[0], args[1], args[2], args[3], args[4], malleate(signature)),
      usdc,
      "InvalidAuthorization",
    )
    const foreign = await authorization(world, job.id, { from: stranger.address })
    await assertions.revertWithCustomError(escrow.write.fundWithAuthorization(foreign.args), usdc, "InvalidAuthorization")
    const unbound = await authorization(world, job.id, { nonce: hash("any nonce") })
    await assertions.revertWithCustomError(escrow.write.fundWithAuthorization(unbound.args), usdc, "InvalidAuthorization")
    await escrow.write.fundWithAuthorization(args)
    assert.equal(await usdc.read.balanceOf([escrow.address]), PRICE)
  })

  it("cannot be taken out of the escrow's hands: the token takes it from the payee alone", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await world.usdc.write.mint([buyer.address, PRICE])
    const { message, signature } = await authorization(world, job.id)
    const { from, to, value, validAfter, validBefore, nonce } = message
    const direct = world.usdc.write.receiveWithAuthorization([from, to, value, validAfter, validBefore, nonce, signature])
    await assertions.revertWithCustomError(direct, world.usdc, "CallerNotPayee")
  })

  it("honours the window that the client signed", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await world.usdc.write.mint([buyer.address, PRICE])
    const now = BigInt(await time.latest())
    const early = await authorization(world, job.id, { validAfter: now + 1_000n })
    await assertions.revertWithCustomError(world.escrow.write.fundWithAuthorization(early.args), world.usdc, "AuthorizationNotYetValid")
    const late = await authorization(world, job.id, { validBefore: now })
    await assertions.revertWithCustomError(world.escrow.write.fundWithAuthorization(late.args), world.usdc, "AuthorizationExpired")
  })

  it("refuses a job without provider or budget and one that has expired", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Open")
    await job.asClient.write.setBudget([job.id, 0n, "0x"])
    const none = await authorization(world, job.id, { amount: 0n })
    await assertions.revertWithCustomError(world.escrow.write.fundWithAuthorization(none.args), world.escrow, "BudgetMissing")
    await job.asClient.write.setBudget([job.id, PRICE, "0x"])
    const { args } = await authorization(world, job.id)
    await atTime(job.expiredAt, () =>
      assertions.revertWithCustomError(world.escrow.write.fundWithAuthorization(args), world.escrow, "JobHasExpired"),
    )
  })

  it("takes a wallet contract's ERC-1271 word", async () => {
    const world = await freshWorld()
    const { escrow, usdc } = world
    const wallet = await deployDouble("OwnedWallet", [buyer.address])
    const create = encodeFunctionData({
      abi: escrow.abi,
      functionName: "createJobWithBudget",
      args: [provider.address, evaluator.address, BigInt((await time.latest()) + 3_600), "", zeroAddress, PRICE],
    })
    await wallet.write("execute", [escrow.address, create])
    await usdc.write.mint([wallet.address, PRICE])
    const { args } = await authorization(world, 1n, { from: wallet.address })
    await escrow.write.fundWithAuthorization(args)
    assert.equal(await usdc.read.balanceOf([escrow.address]), PRICE)
  })
})
