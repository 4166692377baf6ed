import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { hashTypedData, maxUint48, maxUint96, zeroAddress, zeroHash } from "viem"
import { escrowAs, evaluator, jobIn, PRICE } from "../support/escrow.ts"
import { CREATE_JOB_TYPES, escrowDomain, hash } from "../support/job.ts"
import { buyer, malleate, provider, stranger } from "../support/keys.ts"
import { assertions, atTime, deployDouble, freshWorld, time, viem, type World } from "../support/world.ts"

const HOUR = 3_600

const authorize = async (
  world: World,
  changes: Partial<{ client: `0x${string}`; evaluator: `0x${string}`; expiredAt: bigint; budget: bigint }> = {},
) => {
  const message = {
    client: buyer.address,
    provider: provider.address,
    evaluator: evaluator.address,
    expiredAt: BigInt((await time.latest()) + HOUR),
    budget: PRICE,
    salt: hash("salt"),
    ...changes,
  }
  const typed = { domain: escrowDomain(world.escrow.address), types: CREATE_JOB_TYPES, primaryType: "CreateJob", message } as const
  return { message, digest: hashTypedData(typed), signature: await buyer.signTypedData(typed) }
}

describe("createJob", () => {
  it("opens a job for the caller, counts from 1, and says so", async () => {
    const world = await freshWorld()
    const asClient = await escrowAs(world, buyer.address)
    const expiredAt = BigInt((await time.latest()) + HOUR)
    const tx = asClient.write.createJob([provider.address, evaluator.address, expiredAt, "fix the bug", zeroAddress])
    await assertions.emitWithArgs(tx, world.escrow, "JobCreated", [
      1n,
      buyer.address,
      provider.address,
      evaluator.address,
      expiredAt,
      zeroAddress,
    ])
    assert.deepEqual(await world.escrow.read.getJob([1n]), {
      client: buyer.address,
      provider: provider.address,
      evaluator: evaluator.address,
      hook: zeroAddress,
      budget: 0n,
      expiredAt,
      status: 0,
      deliverable: zeroHash,
    })
    assert.equal(await world.escrow.read.descriptionOf([1n]), "fix the bug")
    assert.equal(await world.escrow.read.jobCount(), 1n)
  })

  it("opens one without a provider, and one with its budget", async () => {
    const world = await freshWorld()
    const asClient = await escrowAs(world, buyer.address)
    const expiredAt = BigInt((await time.latest()) + HOUR)
    await asClient.write.createJob([zeroAddress, evaluator.address, expiredAt, "", zeroAddress])
    assert.equal((await world.escrow.read.getJob([1n])).provider, zeroAddress)
    const tx = asClient.write.createJobWithBudget([provider.address, evaluator.address, expiredAt, "text", zeroAddress, PRICE])
    await assertions.emitWithArgs(tx, world.escrow, "BudgetSet", [2n, PRICE])
    assert.equal((await world.escrow.read.getJob([2n])).budget, PRICE)
    assert.equal(await world.escrow.read.descriptionOf([2n]), "text")
  })

  it("refuses what the ERC and this kernel refuse", async () => {
    const world = await freshWorld()
    const { escrow } = world
    const asClient = await escrowAs(world, buyer.address)
    const now = await time.latest()
    const later = BigInt(now + HOUR)
    const create = (p: `0x${string}`, e: `0x${string}`, t: bigint, h: `0x${string}`) => asClient.write.createJob([p, e, t, "", h])
    await assertions.revertWithCustomError(create(provider.address, zeroAddress, later, zeroAddress), escrow, "EvaluatorMissing")
    await assertions.revertWithCustomErrorWithArgs(
      create(provider.address, provider.address, later, zeroAddress),
      escrow,
      "EvaluatorIsProvider",
      [provider.address],
    )
    // E5: a hook can block both complete and reject.
    await assertions.revertWithCustomErrorWithArgs(
      create(provider.address, evaluator.address, later, stranger.address),
      escrow,
      "HookNotSupported",
      [stranger.address],
    )
    const at = now + 100
    await atTime(at, () =>
      assertions.revertWithCustomErrorWithArgs(
        create(provider.address, evaluator.address, BigInt(at), zeroAddress),
        escrow,
        "ExpiryNotInFuture",
        [BigInt(at)],
      ),
    )
    await assertions.revertWithCustomError(
      create(provider.address, evaluator.address, maxUint48 + 1n, zeroAddress),
      escrow,
      "ExpiryNotInFuture",
    )
    await atTime(at + 10, () => create(provider.address, evaluator.address, BigInt(at + 11), zeroAddress))
  })

  it("knows only jobs that exist", async () => {
    const { escrow } = await freshWorld()
    await assertions.revertWithCustomErrorWithArgs(escrow.read.getJob([1n]), escrow, "UnknownJob", [1n])
    await assertions.revertWithCustomErrorWithArgs(escrow.read.statusOf([0n]), escrow, "UnknownJob", [0n])
    await assertions.revertWithCustomErrorWithArgs(escrow.read.descriptionOf([7n]), escrow, "UnknownJob", [7n])
    await assertions.revertWithCustomErrorWithArgs(escrow.write.claimRefund([7n]), escrow, "UnknownJob", [7n])
  })
})

describe("createJobWithAuthorization", () => {
  it("opens the client's job whoever carries the signature, and can be found by its digest", async () => {
    const world = await freshWorld()
    const { message, digest, signature } = await authorize(world)
    assert.equal(await world.escrow.read.jobOfAuthorization([digest]), 0n)
    await world.escrow.write.createJobWithAuthorization([message, signature])
    assert.equal(await world.escrow.read.jobOfAuthorization([digest]), 1n)
    const job = await world.escrow.read.getJob([1n])
    assert.equal(job.client, buyer.address)
    assert.equal(job.budget, PRICE)
  })

  it("opens one job per signature, in either of its forms", async () => {
    const world = await freshWorld()
    const { escrow } = world
    const { message, digest, signature } = await authorize(world)
    await assertions.revertWithCustomError(
      escrow.write.createJobWithAuthorization([message, malleate(signature)]),
      escrow,
      "InvalidSignature",
    )
    await escrow.write.createJobWithAuthorization([message, signature])
    await assertions.revertWithCustomErrorWithArgs(
      escrow.write.createJobWithAuthorization([message, signature]),
      escrow,
      "AuthorizationUsed",
      [digest],
    )
    await assertions.revertWithCustomErrorWithArgs(
      escrow.write.createJobWithAuthorization([message, malleate(signature)]),
      escrow,
      "AuthorizationUsed",
      [digest],
    )
  })

  it("refuses a signature for anything but exactly this job on this escrow", async () => {
    const world = await freshWorld()
    const { escrow } = world
    const { message, signature } = await authorize(world)
    const changes = [
      { budget: PRICE - 1n },
      { provider: stranger.address },
      { evaluator: stranger.address },
      { client: stranger.address },
      { expiredAt: message.expiredAt + 1n },
      { salt: hash("another") },
    ]
    for (const change of changes)
      await assertions.revertWithCustomError(
        escrow.write.createJobWithAuthorization([{ ...message, ...change }, signature]),
        escrow,
        "InvalidSignature",
      )
    const other = await viem.deployContract("ERC8183Escrow", [world.usdc.address, 150, stranger.address])
    const elsewhere = await buyer.signTypedData({
      domain: escrowDomain(other.address),
      types: CREATE_JOB_TYPES,
      primaryType: "CreateJob",
      message,
    })
    await assertions.revertWithCustomError(escrow.write.createJobWithAuthorization([message, elsewhere]), escrow, "InvalidSignature")
  })

  it("asks a wallet contract by ERC-1271", async () => {
    const world = await freshWorld()
    const wallet = await deployDouble("OwnedWallet", [buyer.address])
    const { message, signature } = await authorize(world, { client: wallet.address })
    await world.escrow.write.createJobWithAuthorization([message, signature])
    assert.equal((await world.escrow.read.getJob([1n])).client.toLowerCase(), wallet.address)
  })

  it("applies the rules of createJob", async () => {
    const world = await freshWorld()
    const { escrow } = world
    const late = await authorize(world, { expiredAt: 1n })
    await assertions.revertWithCustomError(
      escrow.write.createJobWithAuthorization([late.message, late.signature]),
      escrow,
      "ExpiryNotInFuture",
    )
    const huge = await authorize(world, { budget: maxUint96 + 1n })
    await assertions.revertWithCustomError(
      escrow.write.createJobWithAuthorization([huge.message, huge.signature]),
      escrow,
      "BudgetTooLarge",
    )
    const own = await authorize(world, { evaluator: provider.address })
    await assertions.revertWithCustomError(
      escrow.write.createJobWithAuthorization([own.message, own.signature]),
      escrow,
      "EvaluatorIsProvider",
    )
  })
})

describe("the constructor", () => {
  it("refuses a zero token, a zero treasury and a fee that takes everything", async () => {
    const world = await freshWorld()
    const { escrow, usdc } = world
    await assertions.revertWithCustomError(
      viem.deployContract("ERC8183Escrow", [zeroAddress, 150, stranger.address]) as never,
      escrow,
      "ZeroAddress",
    )
    await assertions.revertWithCustomError(
      viem.deployContract("ERC8183Escrow", [usdc.address, 150, zeroAddress]) as never,
      escrow,
      "ZeroAddress",
    )
    await assertions.revertWithCustomError(
      viem.deployContract("ERC8183Escrow", [usdc.address, 10_000, stranger.address]) as never,
      escrow,
      "FeeTooHigh",
    )
    assert.equal((await jobIn(world, "Open")).id, 1n)
  })
})
