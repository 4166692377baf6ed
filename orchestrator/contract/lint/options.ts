/** What the linter may know besides the contract. Everything is passed in: it reads no clock, file or network. */
import type { Sha256, UnixSeconds } from "../../types.ts"

/** A validator that the verifier has. */
export type KnownValidator = { validator: string; versions: readonly string[] }

export type LintOptions = {
  /** sha256 of the inputs at hand, by name: a file's bytes, a folder's tree hash. */
  inputs?: ReadonlyMap<string, Sha256> | undefined
  /** The conflict report's bytes. */
  conflictReport?: Uint8Array | string | undefined
  /** Validators of `snip_validation`. Default: none. */
  validators?: readonly KnownValidator[] | undefined
  /** Highest price of a contract without any deterministic check. Default "25.00". */
  rubricCap?: string | undefined
  /** Seconds wanted between the end of the last window and the expiry. Default 3,600 on chain 31337, else 86,400. */
  margin?: number | undefined
  /** Also asks whether the contract can still be funded at this time. Default: not asked. */
  now?: UnixSeconds | undefined
  /** The panel roster's bytes, where the contract does not hold them. */
  roster?: Uint8Array | string | undefined
}

export type LintContext = LintOptions & {
  readonly rubricCap: string
  readonly validators: readonly KnownValidator[]
  /** The chain's code at `escrow.contract` is our own escrow's. */
  readonly escrowIsOurs?: boolean | undefined
}

export const contextOf = (options: LintOptions): LintContext => ({
  ...options,
  rubricCap: options.rubricCap ?? "25.00",
  validators: options.validators ?? [],
})

/** Hardhat's and Anvil's local chain: nothing of value, so windows may be short. */
export const LOCAL_CHAIN = 31337

/** Rollups whose sequencer can hold a transaction back for hours before anyone can force it in. */
const ROLLUPS: ReadonlySet<number> = new Set([
  10, 130, 324, 480, 1135, 8453, 34443, 42161, 42170, 57073, 59144, 81457, 84532, 421614, 534352, 7777777, 11155420,
])

export const isRollup = (chainId: number): boolean => ROLLUPS.has(chainId)
