/**
 * Every message that is signed under the AFG domain, as EIP-712 types (`docs/decisions/0002-terms-in-groups.md`).
 *
 * The Solidity twins are `contracts/Terms.sol` and `contracts/interfaces/IAFGResolver.sol`; a test compares the type
 * hashes and digests of both.
 */
import { hashStruct, hashTypedData, type TypedDataDomain } from "viem"
import type { Address, Hex } from "../types.ts"

/** Who may act. Ids stay off chain: keys suffice. */
export type TermsRoles = {
  buyer: Address
  provider: Address
  /** keccak256 of the ERC-7913 signer bytes (`buyer.confirmer`). */
  confirmer: Hex
  verifier: Address
  fallbackVerifier: Address
  mediator: Address
  /** keccak256(abi.encode((address wallet, bytes32 modelProvider, bytes32 operator)[])) of the panel roster. */
  rosterHash: Hex
  panelSize: number
}

/** What is at stake, in smallest units of `token`. */
export type TermsMoney = {
  token: Address
  price: bigint
  verifierFee: bigint
  mediatorFee: bigint
  mediatorBond: bigint
  panelistBond: bigint
  disputeDeposit: bigint
  appealFee: bigint
  mediationShareBps: number
}

/** Deadlines in Unix seconds, windows in seconds. */
export type TermsClock = {
  fundBy: number
  deliveryBy: number
  expiry: number
  verification: number
  buyerReview: number
  providerDispute: number
  mediatorRuling: number
  appealFiling: number
  panelRuling: number
  maxSubmissions: number
}

/** Everything the chain enforces about one job. What is the same for every job of a deployment is in the resolver. */
export type Terms = {
  /** sha256 of the canonical contract. A field, never a key. */
  contractHash: Hex
  /** The rail's reference (ERC-8183 and ACP: the job id), or the salt that it follows from (x402). */
  ref: Hex
  roles: TermsRoles
  money: TermsMoney
  clock: TermsClock
}

const ROLES = [
  { name: "buyer", type: "address" },
  { name: "provider", type: "address" },
  { name: "confirmer", type: "bytes32" },
  { name: "verifier", type: "address" },
  { name: "fallbackVerifier", type: "address" },
  { name: "mediator", type: "address" },
  { name: "rosterHash", type: "bytes32" },
  { name: "panelSize", type: "uint8" },
] as const

const MONEY = [
  { name: "token", type: "address" },
  { name: "price", type: "uint128" },
  { name: "verifierFee", type: "uint128" },
  { name: "mediatorFee", type: "uint128" },
  { name: "mediatorBond", type: "uint128" },
  { name: "panelistBond", type: "uint128" },
  { name: "disputeDeposit", type: "uint128" },
  { name: "appealFee", type: "uint128" },
  { name: "mediationShareBps", type: "uint16" },
] as const

const CLOCK = [
  { name: "fundBy", type: "uint40" },
  { name: "deliveryBy", type: "uint40" },
  { name: "expiry", type: "uint40" },
  { name: "verification", type: "uint32" },
  { name: "buyerReview", type: "uint32" },
  { name: "providerDispute", type: "uint32" },
  { name: "mediatorRuling", type: "uint32" },
  { name: "appealFiling", type: "uint32" },
  { name: "panelRuling", type: "uint32" },
  { name: "maxSubmissions", type: "uint8" },
] as const

/** EIP-712 type tables. `Terms` nests its groups so that a later call carries only the group it reads. */
export const TERMS_TYPES = {
  Terms: [
    { name: "contractHash", type: "bytes32" },
    { name: "ref", type: "bytes32" },
    { name: "roles", type: "Roles" },
    { name: "money", type: "Money" },
    { name: "clock", type: "Clock" },
  ],
  Roles: ROLES,
  Money: MONEY,
  Clock: CLOCK,
} as const

const TERMS_HASH = { name: "termsHash", type: "bytes32" } as const

/** Every other message starts with `termsHash` = hashStruct(Terms). */
export const MESSAGE_TYPES = {
  /** The confirmer: the buyer's human accepted exactly this action. `notAfter` in Unix seconds. */
  Confirmation: [TERMS_HASH, { name: "evidenceDigest", type: "bytes32" }, { name: "notAfter", type: "uint40" }],
  /** The provider. `uriHash` = keccak256 of the URI's UTF-8. */
  Submission: [
    TERMS_HASH,
    { name: "n", type: "uint8" },
    { name: "deliverableHash", type: "bytes32" },
    { name: "uriHash", type: "bytes32" },
  ],
  /** Verifier or fallback. verdict: 1 PASS, 2 FAIL, 3 INCONCLUSIVE. */
  Verdict: [
    TERMS_HASH,
    { name: "n", type: "uint8" },
    { name: "deliverableHash", type: "bytes32" },
    { name: "verdict", type: "uint8" },
    { name: "merkleRoot", type: "bytes32" },
  ],
  /** The party the verdict is against. ground: 1 wrong_execution, 2 tampered_evidence, 3 contract_mismatch, 4 judgment. */
  Dispute: [
    TERMS_HASH,
    { name: "n", type: "uint8" },
    { name: "merkleRoot", type: "bytes32" },
    { name: "ground", type: "uint8" },
    { name: "statementHash", type: "bytes32" },
  ],
  /** The mediator. ruling: 1 RELEASE, 2 REFUND. */
  Ruling: [
    TERMS_HASH,
    { name: "n", type: "uint8" },
    { name: "merkleRoot", type: "bytes32" },
    { name: "ruling", type: "uint8" },
    { name: "documentHash", type: "bytes32" },
  ],
  /** The party the ruling is against. */
  Appeal: [TERMS_HASH, { name: "rulingDigest", type: "bytes32" }, { name: "statementHash", type: "bytes32" }],
  /** Buyer: RELEASE (needs a submission). Provider: REFUND. Zero where there is no verdict or ruling yet. */
  Concession: [
    TERMS_HASH,
    { name: "n", type: "uint8" },
    { name: "merkleRoot", type: "bytes32" },
    { name: "rulingDigest", type: "bytes32" },
  ],
  /** A panelist. commit = keccak256(abi.encode(termsHash, panelist, vote, documentHash, salt)). */
  VoteCommit: [TERMS_HASH, { name: "commit", type: "bytes32" }],
} as const

export type MessageName = keyof typeof MESSAGE_TYPES

export const VERDICTS = { PASS: 1, FAIL: 2, INCONCLUSIVE: 3 } as const
export const OUTCOMES = { RELEASE: 1, REFUND: 2 } as const
export const DISPUTE_GROUNDS = { wrong_execution: 1, tampered_evidence: 2, contract_mismatch: 3, judgment: 4 } as const

export type VerdictName = keyof typeof VERDICTS
export type OutcomeName = keyof typeof OUTCOMES
export type DisputeGround = keyof typeof DISPUTE_GROUNDS

export type AfgDomain = { name: "AFG"; version: "0"; chainId: number; verifyingContract: Address }

/** The one EIP-712 domain: bound to a chain and to the resolver that will act on the message. */
export const afgDomain = (chainId: number, resolver: Address): AfgDomain => ({
  name: "AFG",
  version: "0",
  chainId,
  verifyingContract: resolver,
})

/** hashStruct of one group of the Terms: what a call carries in place of a group that it does not read. */
export const hashGroup = <K extends "Roles" | "Money" | "Clock">(
  name: K,
  group: { Roles: TermsRoles; Money: TermsMoney; Clock: TermsClock }[K],
): Hex => hashStruct({ types: TERMS_TYPES, primaryType: name, data: group as never })

/** hashStruct(Terms): the `termsHash` that every other message and every settlement event carries. */
export const hashTerms = (terms: Terms): Hex => hashStruct({ types: TERMS_TYPES, primaryType: "Terms", data: terms })

/** The digest that buyer, provider and mediator sign. */
export const termsDigest = (domain: AfgDomain, terms: Terms): Hex =>
  hashTypedData({ domain: domain as TypedDataDomain, types: TERMS_TYPES, primaryType: "Terms", message: terms })

/** The digest of any other message, for example `messageDigest(domain, "Verdict", {…})`. */
export const messageDigest = (domain: AfgDomain, name: MessageName, message: Record<string, unknown>): Hex =>
  hashTypedData({ domain: domain as TypedDataDomain, types: MESSAGE_TYPES, primaryType: name, message } as Parameters<
    typeof hashTypedData
  >[0])
