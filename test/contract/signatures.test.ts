import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { verifyTypedData, Wallet } from "ethers"
import { type Hex, parseSignature, serializeCompactSignature, signatureToCompactSignature } from "viem"
import {
  accountOfKeyFile,
  type Contract,
  contractHash,
  SIGNING_ROLES,
  type SigningRole,
  signTerms,
  TERMS_TYPES,
  termsToSign,
  verifySignatures,
  withSignature,
} from "../../orchestrator/contract/index.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { fixtureContract } from "./support/examples.ts"

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const contract = fixtureContract("code-fix")
const sign = (role: SigningRole): Promise<Hex> => signTerms(contract, role, localAccount(role).account)

const signedByAll = async (): Promise<Contract> => {
  let signed = contract
  for (const role of SIGNING_ROLES) signed = withSignature(signed, role, await sign(role))
  return signed
}

const hex32 = (value: bigint): string => value.toString(16).padStart(64, "0")

/** The other signature of the same key over the same digest: s mirrored, v flipped. */
const highS = (signature: Hex): Hex => {
  const { r, s, yParity } = parseSignature(signature)
  return `${r}${hex32(N - BigInt(s))}${yParity === 0 ? "1c" : "1b"}`
}

const typesForEthers = Object.fromEntries(
  Object.entries(TERMS_TYPES).map(([name, fields]) => [name, fields.map((field) => ({ ...field }))]),
)

describe("signing Terms", () => {
  it("is what ethers signs, and verifies with ethers", async () => {
    const { typed_data, terms } = termsToSign(contract)
    const wallet = new Wallet(localAccount("buyer").privateKey)
    const signature = await sign("buyer")
    assert.equal(await wallet.signTypedData(typed_data.domain, typesForEthers, terms), signature)
    assert.equal(verifyTypedData(typed_data.domain, typesForEthers, terms, signature), contract.buyer.wallet)
  })

  it("refuses a key that is not the role's, naming the member", async () => {
    for (const [role, path] of [
      ["buyer", "/buyer/wallet"],
      ["provider", "/provider/wallet"],
      ["mediator", "/mediator/key"],
    ] as const)
      assert.throws(() => signTerms(contract, role, localAccount("keeper").account), { code: "key-not-role", path })
  })

  it("does not change what is hashed", async () => {
    assert.equal(contractHash(await signedByAll()), contractHash(contract))
  })
})

describe("verifying signatures without a chain", () => {
  it("all three roles", async () => {
    const { contract_hash, ...roles } = await verifySignatures(await signedByAll())
    assert.equal(contract_hash, contractHash(contract))
    for (const role of SIGNING_ROLES) assert.deepEqual(roles[role], { address: localAccount(role).address, valid: true, kind: "eoa" })
  })

  it("no signature is not established", async () => {
    const { buyer, mediator } = await verifySignatures(contract)
    assert.deepEqual([buyer.valid, buyer.kind, mediator.valid, mediator.kind], [null, "none", null, "none"])
  })

  it("another key's: a mediator's is wrong, a party's may be a contract wallet's", async () => {
    const foreign = await sign("provider")
    const { buyer, mediator } = await verifySignatures({ ...contract, signatures: { buyer: foreign, mediator: foreign } })
    assert.deepEqual([buyer.valid, buyer.kind], [null, "erc1271"])
    assert.deepEqual([mediator.valid, mediator.kind], [false, "eoa"])
  })

  it("a contract changed after signing: nobody signed it", async () => {
    const signed = await signedByAll()
    const { buyer, provider, mediator } = await verifySignatures({ ...signed, price: { ...signed.price, amount: "4.00" } })
    assert.deepEqual([buyer.valid, provider.valid, mediator.valid], [null, null, false])
  })

  it("the same Terms under another resolver or chain: nobody signed it", async () => {
    const signed = await signedByAll()
    const moved = { ...signed, escrow: { ...signed.escrow, resolver: localAccount("keeper").address } }
    const elsewhere = { ...signed, price: { ...signed.price, chain_id: 1 } }
    for (const other of [moved, elsewhere]) assert.equal((await verifySignatures(other)).mediator.valid, false)
  })

  it("the role's own key in a form that the chain refuses is a no", async () => {
    const signature = await sign("buyer")
    const compact = serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)))
    const parity: Hex = `${signature.slice(0, 130) as Hex}${signature.endsWith("1b") ? "00" : "01"}`
    for (const form of [highS(signature), compact, parity]) {
      const { buyer } = await verifySignatures({ ...contract, signatures: { buyer: form } })
      assert.deepEqual([buyer.valid, buyer.kind], [false, "eoa"], form)
    }
  })

  it("bytes that are no ECDSA signature: a mediator's are wrong, a party's not established", async () => {
    for (const bytes of ["0x12", `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`, `0x${"ab".repeat(200)}`] as Hex[]) {
      const { buyer, mediator } = await verifySignatures({ ...contract, signatures: { buyer: bytes, mediator: bytes } })
      assert.deepEqual([buyer.valid, buyer.kind, mediator.valid], [null, "erc1271", false])
    }
  })
})

describe("key files", () => {
  const { privateKey, address } = localAccount("buyer")
  const jwk = { kty: "EC", crv: "secp256k1", d: Buffer.from(privateKey.slice(2), "hex").toString("base64url") }
  const good: [what: string, content: string][] = [
    ["hex with 0x", privateKey],
    ["hex without 0x", privateKey.slice(2)],
    ["hex in capitals, with a line break", `${privateKey.slice(2).toUpperCase()}\n`],
    ["a JWK", JSON.stringify(jwk)],
    ["a JWK with its public part", JSON.stringify({ ...jwk, x: "AA", y: "AA", kid: "k" }, null, 2)],
  ]
  for (const [what, content] of good) it(what, () => assert.equal(accountOfKeyFile(Buffer.from(content)).address, address))

  const bad: [what: string, content: string][] = [
    ["nothing", ""],
    ["31 bytes", privateKey.slice(4)],
    ["zero", "0".repeat(64)],
    ["the curve's order", N.toString(16)],
    ["another curve", JSON.stringify({ ...jwk, crv: "P-256" })],
    ["a public JWK", JSON.stringify({ ...jwk, d: undefined })],
    ["a JWK with a short d", JSON.stringify({ ...jwk, d: "AAAA" })],
  ]
  for (const [what, content] of bad)
    it(`refuses ${what}, and does not repeat it`, () => {
      assert.throws(
        () => accountOfKeyFile(content),
        (error: Error & { code?: string }) => error.code === "key-malformed" && (content === "" || !error.message.includes(content)),
      )
    })
})
