/** Signing the Terms of a contract. */
import type { Hex, LocalAccount } from "viem"
import { AfgError } from "../errors.ts"
import type { Address } from "../types.ts"
import { TERMS_TYPES } from "./messages.ts"
import type { Contract } from "./schema/contract.ts"
import { domainOf, type TermsOptions, termsOf } from "./terms.ts"

/** Who signs Terms: the parties before funding, and the mediator, whose bond locks by it. */
export const SIGNING_ROLES = ["buyer", "provider", "mediator"] as const
export type SigningRole = (typeof SIGNING_ROLES)[number]

/** The address that must sign for a role. */
export const signerOf = (contract: Contract, role: SigningRole): Address =>
  role === "mediator" ? contract.mediator.key : contract[role].wallet

/**
 * The role's EIP-712 signature over the contract's Terms: 65 bytes, low s, v 27 or 28.
 *
 * Throws `key-not-role` when the account is not the one that the contract names, and what `termsOf` throws.
 */
export const signTerms = (contract: Contract, role: SigningRole, account: LocalAccount, options: TermsOptions = {}): Promise<Hex> => {
  const expected = signerOf(contract, role)
  if (account.address.toLowerCase() !== expected.toLowerCase())
    throw new AfgError("key-not-role", `the key is ${account.address}'s, the contract's ${role} is ${expected}`, {
      path: role === "mediator" ? "/mediator/key" : `/${role}/wallet`,
    })
  return account.signTypedData({
    domain: domainOf(contract),
    types: TERMS_TYPES,
    primaryType: "Terms",
    message: termsOf(contract, options),
  })
}

/** The same document with the role's signature added. Everything else keeps its place. */
export const withSignature = <C extends Pick<Contract, "signatures">>(contract: C, role: SigningRole, signature: Hex): C => ({
  ...contract,
  signatures: { ...contract.signatures, [role]: signature },
})
