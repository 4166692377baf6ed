/**
 * Everything of ours on a fresh local chain: the token, our escrow on it, and the resolver that ends its jobs. One after the other, so that a
 * fresh chain and the same deployer always give the same addresses.
 */
import { buildModule } from "@nomicfoundation/hardhat-ignition/modules"

export default buildModule("AFG", (m) => {
  const treasury = m.getParameter<string>("treasury")
  const feeBps = m.getParameter<number>("feeBps", 150)

  const testUsdc = m.contract("TestUSDC")
  const p256Verifier = m.contract("ERC7913P256Verifier", [], { after: [testUsdc] })
  const batcher = m.contract("Batcher", [], { after: [p256Verifier] })
  const escrow = m.contract("ERC8183Escrow", [testUsdc, feeBps, treasury], { after: [batcher] })
  const resolver = m.contract("ERC8183Resolver", [escrow])

  return { AFGResolver: resolver, Batcher: batcher, ERC8183Escrow: escrow, P256Verifier: p256Verifier, TestUSDC: testUsdc }
})
