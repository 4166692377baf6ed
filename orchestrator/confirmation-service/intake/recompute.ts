/** The action that a contract really yields, computed here, and whether the request's descriptor says the same. */
import { type ActionDescriptor, renderingSet } from "../../aacp/index.ts"
import type { FundAction } from "../../contract/fund-action.ts"
import type { Contract } from "../../contract/schema/contract.ts"
import { AfgError } from "../../errors.ts"
import { fundDescriptor } from "../../fund-descriptor.ts"
import { canonicalize, toPointer } from "../../json/index.ts"
import type { PageView } from "../view.ts"

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value)

/** Pointer to the first difference, in the order of names; null when both say the same. */
export const firstDifference = (expected: unknown, given: unknown, path: readonly string[] = []): string | null => {
  if (!isObject(expected) || !isObject(given)) {
    if (expected === undefined || given === undefined) return expected === given ? null : toPointer(path)
    return canonicalize(expected) === canonicalize(given) ? null : toPointer(path)
  }
  for (const name of [...new Set([...Object.keys(expected), ...Object.keys(given)])].sort()) {
    const own = (object: Record<string, unknown>) => (Object.hasOwn(object, name) ? object[name] : undefined)
    const difference = firstDifference(own(expected), own(given), [...path, name])
    if (difference !== null) return difference
  }
  return null
}

const statedValue = (descriptor: ActionDescriptor, name: string): unknown => {
  const parameters = descriptor.parameters ?? {}
  return Object.hasOwn(parameters, name) ? parameters[name]?.value : undefined
}

/**
 * Throws `contract-hash-differs`, `terms-hash-differs` or `descriptor-differs` unless the descriptor is exactly the one that
 * this service computes. The two hashes come first: they say which contract was meant, the rest says what was changed.
 */
export const assertSameAction = (action: FundAction, contract: Contract, given: ActionDescriptor): void => {
  const { contract_hash, terms_hash } = action.fields
  const base = "/action-descriptor/parameters"
  if (contract.contract_hash !== undefined && contract.contract_hash !== contract_hash) {
    throw new AfgError("contract-hash-differs", `the contract hashes to ${contract_hash}`, { path: "/afg-contract/contract_hash" })
  }
  if (statedValue(given, "contract_hash") !== contract_hash) {
    throw new AfgError("contract-hash-differs", `the contract hashes to ${contract_hash}`, { path: `${base}/contract_hash/value` })
  }
  if (statedValue(given, "terms_hash") !== terms_hash) {
    throw new AfgError("terms-hash-differs", `the contract's terms hash to ${terms_hash}`, { path: `${base}/terms_hash/value` })
  }
  const difference = firstDifference(fundDescriptor(action), given)
  if (difference !== null) {
    throw new AfgError("descriptor-differs", "the contract yields another descriptor", { path: `/action-descriptor${difference}` })
  }
}

/** What the page shows: from the contract and our own descriptor, never from the one that was sent. */
export const viewOf = (contract: Contract, action: FundAction, origin: string, signedByPayer: boolean): PageView => ({
  amount: `${contract.price.amount} ${contract.price.asset}`,
  jobId: contract.job_id,
  payer: contract.buyer.wallet,
  agent: contract.buyer.agent_id,
  signedByPayer,
  origin,
  escrowExpiry: contract.escrow.expiry,
  feeBps: contract.fees.afg_release_fee_bps,
  chainId: contract.price.chain_id,
  rows: renderingSet(fundDescriptor(action), action.xAacp),
})
