import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { AbiCoder, id, keccak256, TypedDataEncoder, toUtf8Bytes } from "ethers"
import {
  contractHash,
  hashTerms,
  plain,
  readRoster,
  TEMPLATE_NAMES,
  TERMS_TYPES,
  type TemplateName,
  termsOf,
  termsToSign,
} from "../../orchestrator/contract/index.ts"
import { asContract } from "../../orchestrator/contract/parse.ts"
import { isAfgError } from "../../orchestrator/errors.ts"
import { canonicalize, type JsonValue } from "../../orchestrator/json/index.ts"
import { changed, fixtureContract } from "./support/examples.ts"

const mutable = (): Record<string, { name: string; type: string }[]> =>
  Object.fromEntries(Object.entries(TERMS_TYPES).map(([name, fields]) => [name, fields.map((field) => ({ ...field }))]))

const contractWith = (base: TemplateName, changes: Readonly<Record<string, JsonValue | undefined>>) => asContract(changed(base, changes))

describe("Terms, checked against a second implementation (ethers)", () => {
  for (const name of TEMPLATE_NAMES)
    it(`${name}: struct hash and digest`, () => {
      const { terms, terms_hash, digest, typed_data } = termsToSign(fixtureContract(name))
      const domain = { ...typed_data.domain }
      assert.equal(terms_hash, TypedDataEncoder.hashStruct("Terms", mutable(), terms))
      assert.equal(digest, TypedDataEncoder.hash(domain, mutable(), terms))
      // The document as a wallet gets it: bigints as decimal strings.
      assert.equal(digest, TypedDataEncoder.hash(domain, mutable(), JSON.parse(JSON.stringify(typed_data.message))))
      assert.equal(typed_data.types.EIP712Domain?.length, 4)
    })

  it("the roster's hash", () => {
    const list = readRoster(fixtureContract("code-fix")).map(({ wallet, model_provider, operator_id }) => [
      wallet,
      id(model_provider),
      id(operator_id),
    ])
    const expected = keccak256(AbiCoder.defaultAbiCoder().encode(["tuple(address,bytes32,bytes32)[]"], [list]))
    assert.equal(termsOf(fixtureContract("code-fix")).roles.rosterHash, expected)
  })

  it("the confirmer: its bytes' hash, or the wallet's", () => {
    const contract = fixtureContract("code-fix")
    assert.equal(termsOf(contract).roles.confirmer, keccak256(contract.buyer.confirmer ?? ""))
    const without = contractWith("code-fix", { "/buyer/confirmer": undefined })
    assert.equal(termsOf(without).roles.confirmer, keccak256(without.buyer.wallet))
  })

  it("ids off chain are hashed as UTF-8", () => assert.equal(id("é"), keccak256(toUtf8Bytes("é"))))
})

describe("termsOf", () => {
  it("example A, member by member", () => {
    const contract = fixtureContract("code-fix")
    const { money, clock, ref, contractHash: hash, roles } = termsOf(contract)
    assert.equal(hash, `0x${contractHash(contract)}`)
    assert.equal(BigInt(ref), 7741n)
    assert.deepEqual(money, {
      token: contract.price.token_address,
      price: 40_000_000n,
      verifierFee: 0n,
      mediatorFee: 4_000_000n,
      mediatorBond: 40_000_000n,
      panelistBond: 10_000_000n,
      disputeDeposit: 4_000_000n,
      appealFee: 10_000_000n,
      mediationShareBps: 1500,
    })
    assert.deepEqual(clock, {
      fundBy: Date.UTC(2026, 8, 26, 8) / 1000,
      deliveryBy: Date.UTC(2026, 8, 27, 20) / 1000,
      expiry: Date.UTC(2026, 9, 1, 20) / 1000,
      verification: 7_200,
      buyerReview: 43_200,
      providerDispute: 43_200,
      mediatorRuling: 3_600,
      appealFiling: 43_200,
      panelRuling: 7_200,
      maxSubmissions: 3,
    })
    assert.equal(roles.panelSize, 5)
    assert.equal(roles.fallbackVerifier, contract.verifier.fallback.attestation_key)
  })

  it("example B: the reference is the salt that the payment hash covers", () => {
    const contract = fixtureContract("claim-file")
    assert.equal(termsOf(contract).ref, contract.escrow.salt)
  })

  it("does not change with signatures or contract_hash, and changes with anything else", () => {
    const contract = fixtureContract("code-fix")
    const signed = { ...contract, signatures: { buyer: "0x1234" as const }, contract_hash: contractHash(contract) }
    assert.equal(hashTerms(termsOf(signed)), hashTerms(termsOf(contract)))
    const other = contractWith("code-fix", { "/deliverable/format": "git-patch" })
    assert.notEqual(hashTerms(termsOf(other)), hashTerms(termsOf(contract)))
  })

  it("spells addresses as the contract does, to the same hash", () => {
    const contract = fixtureContract("code-fix")
    const lower = contractWith("code-fix", { "/buyer/wallet": contract.buyer.wallet.toLowerCase() })
    const { roles } = termsOf(lower)
    assert.equal(roles.buyer, contract.buyer.wallet.toLowerCase())
    assert.equal(hashTerms({ ...termsOf(lower), contractHash: termsOf(contract).contractHash }), hashTerms(termsOf(contract)))
  })

  it("takes the roster beside the contract, and only the pinned one", () => {
    const contract = contractWith("code-fix", { "/appeal/roster/uri": "https://example.com/roster.json" })
    const roster = canonicalize(readRoster(fixtureContract("code-fix")))
    assert.equal(termsOf(contract, { roster }).roles.rosterHash, termsOf(fixtureContract("code-fix")).roles.rosterHash)
    assert.throws(() => termsOf(contract, { roster: `${roster} ` }), { code: "terms-underivable" })
    assert.throws(() => termsOf(contract), { code: "terms-underivable" })
  })

  const refused: [what: string, changes: Record<string, JsonValue>, code: string, path: string][] = [
    ["more places than the asset", { "/appeal/fee/amount": "10.0000001" }, "amount-format", "/appeal/fee/amount"],
    ["another asset", { "/bonds/panelist_bond/asset": "EURC" }, "terms-underivable", "/bonds/panelist_bond/asset"],
    ["an asset without known places", { "/price/asset": "DAI" }, "terms-underivable", "/price/asset"],
    ["a reference with a leading zero", { "/escrow/escrow_ref": "07741" }, "terms-underivable", "/escrow/escrow_ref"],
    ["a negative panel", { "/appeal/panel_size": -1 }, "terms-underivable", "/appeal/panel_size"],
  ]
  for (const [what, changes, code, path] of refused)
    it(`refuses ${what}`, () => {
      assert.throws(
        () => termsOf(contractWith("code-fix", changes)),
        (error: unknown) => isAfgError(error) && error.code === code && error.path === path,
      )
    })

  it("as JSON has amounts as decimal strings", () => {
    const money = plain(termsOf(fixtureContract("code-fix"))).money as Record<string, unknown>
    assert.equal(money.price, "40000000")
    assert.equal(money.mediationShareBps, 1500)
  })
})
