/** From the contract to what is signed and what the chain enforces. */
import { keccak256, numberToHex } from "viem"
import { AfgError } from "../errors.ts"
import { type Hex, toBytes32, type Units } from "../types.ts"
import { decimalsOf, parseAmount } from "./amounts.ts"
import { contractHash } from "./hash.ts"
import { type AfgDomain, afgDomain, hashTerms, TERMS_TYPES, type Terms, type TermsMoney, termsDigest } from "./messages.ts"
import { readRoster, rosterHash } from "./roster.ts"
import type { Contract } from "./schema/contract.ts"
import { toUnix } from "./times.ts"

export type TermsOptions = {
  /** The panel roster's bytes, for a contract whose roster is not in a `data:` URI. Checked against `appeal.roster.sha256`. */
  roster?: Uint8Array | string | undefined
}

/**
 * Terms of a contract: pure, the same for everyone who has the contract (and its roster).
 *
 * Throws `terms-underivable` (reference, salt, asset or roster do not yield Terms) or `amount-format`, with the member's path.
 */
export const termsOf = (contract: Contract, options: TermsOptions = {}): Terms => ({
  contractHash: toBytes32(contractHash(contract)),
  ref: railRef(contract.escrow),
  roles: {
    buyer: contract.buyer.wallet,
    provider: contract.provider.wallet,
    confirmer: keccak256(confirmerOf(contract)),
    verifier: contract.verifier.attestation_key,
    fallbackVerifier: contract.verifier.fallback.attestation_key,
    mediator: contract.mediator.key,
    rosterHash: rosterHash(readRoster(contract, options.roster)),
    panelSize: fitting(contract.appeal.panel_size, 255, "/appeal/panel_size"),
  },
  money: moneyOf(contract),
  clock: {
    fundBy: toUnix(contract.escrow.fund_by),
    deliveryBy: toUnix(contract.deadline.delivery_by),
    expiry: toUnix(contract.escrow.expiry),
    verification: contract.windows.verification_s,
    buyerReview: contract.windows.buyer_review_s,
    providerDispute: contract.windows.provider_dispute_s,
    mediatorRuling: contract.windows.mediator_ruling_s,
    appealFiling: contract.windows.appeal_filing_s,
    panelRuling: contract.windows.panel_ruling_s,
    maxSubmissions: contract.deadline.max_submissions,
  },
})

/** ERC-7913 signer bytes of the human's confirmation; without `buyer.confirmer` the buyer's wallet. */
export const confirmerOf = (contract: Pick<Contract, "buyer">): Hex => contract.buyer.confirmer ?? contract.buyer.wallet

/** The domain under which everyone signs: the price's chain, the escrow's resolver. */
export const domainOf = (contract: Pick<Contract, "price" | "escrow">): AfgDomain =>
  afgDomain(contract.price.chain_id, contract.escrow.resolver)

/** Everything a signer needs: Terms, their struct hash, the EIP-712 document (bigints as decimal strings), the digest. */
export type TermsToSign = {
  terms: Terms
  terms_hash: Hex
  typed_data: {
    domain: AfgDomain
    types: Record<string, readonly { name: string; type: string }[]>
    primaryType: "Terms"
    message: unknown
  }
  digest: Hex
}

const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const

/** The Terms of a contract as wallets want them (`eth_signTypedData_v4`). */
export const termsToSign = (contract: Contract, options: TermsOptions = {}): TermsToSign => {
  const terms = termsOf(contract, options)
  const domain = domainOf(contract)
  return {
    terms,
    terms_hash: hashTerms(terms),
    typed_data: { domain, types: { EIP712Domain: DOMAIN_TYPE, ...TERMS_TYPES }, primaryType: "Terms", message: plain(terms) },
    digest: termsDigest(domain, terms),
  }
}

/** Terms as JSON: amounts as decimal strings of smallest units. */
export const plain = (terms: Terms): Record<string, unknown> =>
  JSON.parse(JSON.stringify(terms, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value))) as Record<
    string,
    unknown
  >

const moneyOf = (contract: Contract): TermsMoney => {
  const { price, bonds } = contract
  const decimals = decimalsOf(price.asset)
  if (decimals === undefined) throw underivable("/price/asset", `${price.asset} has no known number of decimal places`)
  const units = (sum: { amount: string; asset: string }, path: string): Units => {
    if (sum.asset !== price.asset) throw underivable(`${path}/asset`, `one contract, one asset: ${sum.asset} is not ${price.asset}`)
    const value = parseAmount(sum.amount, decimals, `${path}/amount`)
    if (value >= 2n ** 128n) throw underivable(`${path}/amount`, "more than uint128 holds")
    return value
  }
  return {
    token: price.token_address,
    price: units(price, "/price"),
    verifierFee: units(contract.verifier.fee, "/verifier/fee"),
    mediatorFee: units(contract.mediator.fee, "/mediator/fee"),
    mediatorBond: units(bonds.mediator_bond, "/bonds/mediator_bond"),
    panelistBond: units(bonds.panelist_bond, "/bonds/panelist_bond"),
    disputeDeposit: units(bonds.dispute_deposit, "/bonds/dispute_deposit"),
    appealFee: units(contract.appeal.fee, "/appeal/fee"),
    mediationShareBps: contract.fees.afg_mediation_share_bps,
  }
}

const DECIMAL_ID = /^(0|[1-9][0-9]{0,77})$/
const PAYMENT_INFO_HASH = /^paymentInfoHash:0x[0-9a-f]{64}$/
const MAX_UINT256 = 2n ** 256n - 1n

/** `ref` of Terms: the rail's job id as bytes32, or on x402 the salt from which the payment hash follows. */
export const railRef = (escrow: Contract["escrow"]): Hex => {
  const { rail, escrow_ref: ref, salt } = escrow
  if (rail === "x402_authcapture") {
    if (!PAYMENT_INFO_HASH.test(ref)) throw underivable("/escrow/escrow_ref", "x402 needs paymentInfoHash:0x and 64 lower-case hex digits")
    if (salt === undefined) throw underivable("/escrow/salt", "x402 needs the salt that the payment hash covers")
    return salt
  }
  if (!DECIMAL_ID.test(ref) || BigInt(ref) > MAX_UINT256) throw underivable("/escrow/escrow_ref", `${rail} needs the decimal job id`)
  return numberToHex(BigInt(ref), { size: 32 })
}

const fitting = (value: number, max: number, path: string): number => {
  if (value < 0 || value > max) throw underivable(path, `${value} does not fit what is signed`)
  return value
}

const underivable = (path: string, message: string): AfgError => new AfgError("terms-underivable", message, { path })
