/** What is known of a chain besides what it says itself: which rails and resolvers are admitted. */
import type { Address, Hex } from "../../../types.ts"
import type { Rail } from "../../schema/escrow.ts"

export type AdmittedEscrow = {
  rail: Rail
  address: Address
  /** keccak256 of the code on chain. */
  code_hash: Hex
  /** Our own kernel: no audit reference is needed, its fee cannot change, and its jobs can be read. */
  ours: boolean
}

export type KnownContracts = {
  escrows: readonly AdmittedEscrow[]
  resolvers: readonly { address: Address; code_hash: Hex }[]
}

export const NOTHING_KNOWN: KnownContracts = { escrows: [], resolvers: [] }
