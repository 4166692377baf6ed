/** Whether a person is asked at all: enrolled person, wallet, API, chain, resolver, and a confirmation that could count. */
import type { ConfirmationRequest } from "../../aacp/index.ts"
import { type FundAction, originOfFundType } from "../../contract/fund-action.ts"
import type { Contract } from "../../contract/schema/contract.ts"
import { AfgError } from "../../errors.ts"
import type { Enrolled, ServedChain } from "../config.ts"
import type { ConfirmErrorCode } from "../errors.ts"
import { chainIsServed } from "../methods.ts"

export type Admission = {
  readonly buyers: readonly Enrolled[]
  readonly apiOrigins: readonly string[]
  readonly chains: readonly ServedChain[]
  /** This service's signer bytes on a chain. */
  readonly signerFor: (chain: ServedChain) => string
}

const refuse = (code: ConfirmErrorCode, message: string, path: string): never => {
  throw new AfgError(code, message, { path })
}

const sameHex = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The person that is asked. Throws `subject-unknown` or `buyer-unknown`. */
export const admitPerson = (admission: Admission, request: ConfirmationRequest, contract: Contract): string => {
  const { subject } = request
  const enrolled = admission.buyers.find((entry) => entry.subject === subject)
  if (subject === undefined || enrolled === undefined) return refuse("subject-unknown", "nobody of that name is enrolled here", "/subject")
  const { wallet, operator_id: operator } = contract.buyer
  if (!enrolled.wallets.some((known) => sameHex(known, wallet))) {
    return refuse("buyer-unknown", `${wallet} is no wallet of that person`, "/afg-contract/buyer/wallet")
  }
  if (operator !== undefined && operator !== null && operator !== subject) {
    return refuse("buyer-unknown", "the contract names another operator", "/afg-contract/buyer/operator_id")
  }
  return subject
}

/** The API at which the action would be executed. Throws `origin-unknown`. */
export const admitOrigin = (admission: Admission, actionType: string): string => {
  const origin = originOfFundType(actionType)
  if (origin === null || !admission.apiOrigins.includes(origin)) {
    return refuse("origin-unknown", "only funding at an enrolled API is confirmed here", "/action-descriptor/type")
  }
  return origin
}

/** Throws `audience-differs` unless the evidence would be for the contract's buyer at that API. */
export const admitAudience = (request: ConfirmationRequest, action: FundAction): void => {
  if (request.audience !== action.audience) refuse("audience-differs", `the audience of this action is ${action.audience}`, "/audience")
}

/**
 * The chain that the money is on. Throws `chain-not-served`, `resolver-unknown`, or `confirmer-differs` when the contract would
 * not take this service's signature.
 */
export const admitChain = (admission: Admission, contract: Contract): ServedChain => {
  const chainId = contract.price.chain_id
  const chain = admission.chains.find((candidate) => candidate.chainId === chainId)
  if (chain === undefined || !chainIsServed(chainId)) {
    return refuse("chain-not-served", `chain ${chainId} is not confirmed here`, "/afg-contract/price/chain_id")
  }
  if (!sameHex(contract.escrow.resolver, chain.resolver)) {
    return refuse("resolver-unknown", `the resolver on chain ${chainId} is ${chain.resolver}`, "/afg-contract/escrow/resolver")
  }
  const signer = admission.signerFor(chain)
  if (contract.buyer.confirmer === undefined || !sameHex(contract.buyer.confirmer, signer)) {
    return refuse("confirmer-differs", `this service's signer is ${signer}`, "/afg-contract/buyer/confirmer")
  }
  return chain
}
