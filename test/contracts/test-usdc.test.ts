/** The token double behaves as USDC v2.2 does where the contracts rely on it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Address, type Hex, parseSignature, toFunctionSelector } from "viem"
import { hash } from "./support/job.ts"
import { buyer, malleate, provider } from "./support/keys.ts"
import { assertions, atTime, CHAIN_ID, contractAt, deployDouble, freshWorld, time, type World, walletOf } from "./support/world.ts"

const FIELDS = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const

const authorize = async (
  world: World,
  primaryType: "TransferWithAuthorization" | "ReceiveWithAuthorization",
  changes: { from?: Address; to?: Address; validAfter?: bigint; validBefore?: bigint } = {},
) => {
  const message = {
    from: buyer.address,
    to: provider.address,
    value: 7n,
    validAfter: 0n,
    validBefore: 2n ** 40n,
    nonce: hash("nonce"),
    ...changes,
  }
  const signature = await buyer.signTypedData({
    domain: { name: "USD Coin", version: "2", chainId: CHAIN_ID, verifyingContract: world.usdc.address },
    types: { TransferWithAuthorization: FIELDS, ReceiveWithAuthorization: FIELDS },
    primaryType,
    message,
  })
  const { from, to, value, validAfter, validBefore, nonce } = message
  return { args: [from, to, value, validAfter, validBefore, nonce] as const, signature }
}

const split = (signature: Hex): [number, Hex, Hex] => {
  const { v, r, s } = parseSignature(signature)
  return [Number(v), r, s]
}

describe("TestUSDC", () => {
  it("has 6 decimals and both forms of both authorizations", async () => {
    const { usdc } = await freshWorld()
    assert.equal(await usdc.read.decimals(), 6)
    const selectors = usdc.abi.flatMap((entry) => (entry.type === "function" ? [toFunctionSelector(entry)] : []))
    for (const selector of ["0xe3ee160e", "0xcf092995", "0xef55bec6", "0x88b7ab63"] as const)
      assert.ok(selectors.includes(selector), selector)
  })

  it("transfers by authorization in both forms, each once", async () => {
    const world = await freshWorld()
    const { usdc } = world
    await usdc.write.mint([buyer.address, 100n])
    const { args, signature } = await authorize(world, "TransferWithAuthorization")
    await assertions.revertWithCustomError(
      usdc.write.transferWithAuthorization([...args, malleate(signature)]),
      usdc,
      "InvalidAuthorization",
    )
    await assertions.emitWithArgs(usdc.write.transferWithAuthorization([...args, signature]), usdc, "AuthorizationUsed", [
      buyer.address,
      args[5],
    ])
    await assertions.revertWithCustomError(
      usdc.write.transferWithAuthorization([...args, ...split(signature)]),
      usdc,
      "AuthorizationAlreadyUsed",
    )
    assert.equal(await usdc.read.balanceOf([provider.address]), 7n)
  })

  it("lets only the payee receive, in both forms", async () => {
    const world = await freshWorld()
    const { usdc } = world
    await usdc.write.mint([buyer.address, 100n])
    const { args, signature } = await authorize(world, "ReceiveWithAuthorization")
    await assertions.revertWithCustomError(usdc.write.receiveWithAuthorization([...args, signature]), usdc, "CallerNotPayee")
    await assertions.revertWithCustomError(usdc.write.receiveWithAuthorization([...args, ...split(signature)]), usdc, "CallerNotPayee")
    await assertions.revertWithCustomError(usdc.write.transferWithAuthorization([...args, signature]), usdc, "InvalidAuthorization")
    const asPayee = contractAt(usdc.abi, usdc.address, await walletOf(provider.address))
    await asPayee.write.receiveWithAuthorization([...args, ...split(signature)])
    assert.equal(await usdc.read.balanceOf([provider.address]), 7n)
  })

  it("keeps strictly inside the signed window", async () => {
    const world = await freshWorld()
    const { usdc } = world
    await usdc.write.mint([buyer.address, 100n])
    const now = await time.latest()
    const { args, signature } = await authorize(world, "TransferWithAuthorization", {
      validAfter: BigInt(now + 10),
      validBefore: BigInt(now + 20),
    })
    const attempt = () => usdc.write.transferWithAuthorization([...args, signature])
    await atTime(now + 10, () => assertions.revertWithCustomError(attempt(), usdc, "AuthorizationNotYetValid"))
    await atTime(now + 20, () => assertions.revertWithCustomError(attempt(), usdc, "AuthorizationExpired"))
  })

  it("asks a wallet contract, and blocks whom it must", async () => {
    const world = await freshWorld()
    const { usdc } = world
    const wallet = await deployDouble("OwnedWallet", [buyer.address])
    await usdc.write.mint([wallet.address, 100n])
    const { args, signature } = await authorize(world, "TransferWithAuthorization", { from: wallet.address })
    await usdc.write.blacklist([provider.address])
    await assertions.revertWithCustomErrorWithArgs(usdc.write.transferWithAuthorization([...args, signature]), usdc, "AccountBlacklisted", [
      provider.address,
    ])
    await usdc.write.unBlacklist([provider.address])
    await usdc.write.transferWithAuthorization([...args, signature])
    assert.equal(await usdc.read.balanceOf([provider.address]), 7n)
    await usdc.write.blacklist([provider.address])
    const asBlocked = contractAt(usdc.abi, usdc.address, await walletOf(provider.address))
    await assertions.revertWithCustomError(asBlocked.write.transfer([buyer.address, 1n]), usdc, "AccountBlacklisted")
  })
})
