import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Address, createPublicClient, type Hex, http } from "viem"
import { type Contract, type SignatureStatus, signTerms, termsToSign, verifySignatures } from "../../orchestrator/contract/index.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { deployDouble, networkHelpers } from "../contracts/support/world.ts"
import { fixtureContract } from "./support/examples.ts"
import { client } from "./support/on-chain.ts"

const owner = localAccount("buyer")

/** Example A with another wallet for the buyer, and a signature by the owner's key over its Terms. */
const boughtBy = async (wallet: Address): Promise<Contract> => {
  const contract = fixtureContract("code-fix")
  const moved: Contract = { ...contract, buyer: { ...contract.buyer, wallet } }
  const { digest } = termsToSign(moved)
  return { ...moved, signatures: { buyer: await owner.account.sign({ hash: digest }) } }
}

const buyerOf = async (contract: Contract, asked: typeof client | undefined = client): Promise<Pick<SignatureStatus, "valid" | "kind">> => {
  const { valid, kind } = (await verifySignatures(contract, { client: asked })).buyer
  return { valid, kind }
}

describe("contract wallets (ERC-1271)", () => {
  it("a wallet whose owner signed", async () => {
    const contract = await boughtBy((await deployDouble("OwnedWallet", [owner.address])).address)
    assert.deepEqual(await buyerOf(contract), { valid: true, kind: "erc1271" })
  })

  it("the same without a chain to ask: not established", async () => {
    const contract = await boughtBy((await deployDouble("OwnedWallet", [owner.address])).address)
    assert.deepEqual((await verifySignatures(contract)).buyer.valid, null)
  })

  it("a wallet with another owner", async () => {
    const contract = await boughtBy((await deployDouble("OwnedWallet", [localAccount("keeper").address])).address)
    assert.deepEqual(await buyerOf(contract), { valid: false, kind: "erc1271" })
  })

  for (const [index, answer] of ["revert", "nothing", "four bytes", "another value", "true"].entries())
    it(`a wallet that answers with ${answer}`, async () => {
      const wallet = await deployDouble("OddWallet")
      await wallet.write("set", [index])
      assert.deepEqual(await buyerOf(await boughtBy(wallet.address)), { valid: false, kind: "erc1271" })
    })

  it("a wallet that writes while it is asked, as no chain would let it", async () => {
    const contract = await boughtBy((await deployDouble("BusyWallet")).address)
    assert.deepEqual(await buyerOf(contract), { valid: false, kind: "erc1271" })
  })

  it("an account without code whose key did not sign", async () => {
    assert.deepEqual(await buyerOf(await boughtBy(localAccount("keeper").address)), { valid: false, kind: "eoa" })
  })

  it("a key counts whatever the code at its address (EIP-7702)", async () => {
    await networkHelpers.setCode(owner.address, "0x60006000fd" as Hex)
    const contract = fixtureContract("code-fix")
    const buyer = await signTerms(contract, "buyer", owner.account)
    assert.deepEqual(await buyerOf({ ...contract, signatures: { buyer } }), { valid: true, kind: "eoa" })
    await networkHelpers.setCode(owner.address, "0x")
  })
})

describe("a chain that cannot be asked", () => {
  it("of another id is refused", async () => {
    const contract = await boughtBy(localAccount("keeper").address)
    const elsewhere: Contract = { ...contract, price: { ...contract.price, chain_id: 8453 } }
    await assert.rejects(verifySignatures(elsewhere, { client }), { code: "rpc-wrong-chain", path: "/price/chain_id" })
  })

  it("that does not answer is said so", async () => {
    // Port 9 discards; nothing listens there.
    const dead = createPublicClient({ transport: http("http://127.0.0.1:9", { retryCount: 0, timeout: 2_000 }) })
    await assert.rejects(verifySignatures(await boughtBy(owner.address), { client: dead }), { code: "rpc-unreachable" })
  })
})
