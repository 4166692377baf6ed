/**
 * What differs between escrow rails, off chain: which calls do what, and how to read the rail's state. Calls are built here and sent by
 * whoever wants to: our keeper, or the agent itself.
 */
import type { Terms } from "../../contract/messages.ts"
import type { Job } from "../../state-machine/index.ts"
import type { Address, Hex, Sha256, UnixSeconds } from "../../types.ts"
import type { RailLogs } from "./logs.ts"

/** An unsigned transaction. */
export type Call = { to: Address; data: Hex; value: bigint /** One line for people. */; what: string }

/** In words common to all rails, as the resolver's `railStateOf` has them. */
export const RAIL_STATES = ["UNFUNDED", "FUNDED", "RELEASABLE", "RELEASED", "REFUNDED"] as const
export type RailState = (typeof RAIL_STATES)[number]

export type EscrowView = { status: RailState /** Smallest units that the rail holds for the job now. */; held: bigint }

/** EIP-712 document with JSON values, as wallets take it. */
export type TypedDocument = {
  domain: Record<string, unknown>
  types: Record<string, readonly { name: string; type: string }[]>
  primaryType: string
  message: Record<string, unknown>
}

/** Two ways for the buyer's wallet to lock the price: its own transactions, or an authorization that anyone may carry. */
export type FundingCalls = { transactions: Call[]; authorization: TypedDocument; salt: Hex }

export type FundingAuthorization = { salt: Hex; validAfter: UnixSeconds; validBefore: UnixSeconds; signature: Hex }

export type BindSignatures = {
  buyer: Hex
  provider: Hex
  mediator: Hex
  confirmation: { evidenceDigest: Hex; notAfter: UnixSeconds; signer: Hex; signature: Hex }
}

export type Rail = {
  readonly name: string
  readonly escrow: Address
  readonly resolver: Address
  /** How the watcher reads what happened. */
  readonly logs: RailLogs
  /** Key of a job on the resolver and in our store. */
  refOf: (terms: Terms) => Hex
  view: (terms: Terms) => Promise<EscrowView>
  fundingCalls: (terms: Terms, salt: Hex, window: { validAfter: UnixSeconds; validBefore: UnixSeconds }) => FundingCalls
  /** Whether the buyer signed exactly this authorization. */
  checkFunding: (terms: Terms, authorization: FundingAuthorization) => Promise<boolean>
  bind: (terms: Terms, signatures: BindSignatures) => Call
  fund: (terms: Terms, authorization: FundingAuthorization) => Call
  /** The EIP-712 document by which the provider lets the rail's own job be marked submitted; null where a rail needs none. */
  railSubmission: (terms: Terms, deliverable: Sha256) => TypedDocument | null
  submit: (job: Job, submission: { n: number; sha256: Sha256; uri: string; signature: Hex; railAuthorization: Hex | null }) => Call
  verdict: (job: Job, verdict: { n: number; verdict: number; merkleRoot: Hex; signature: Hex }) => Call
  concede: (job: Job, concession: { n: number; by: "buyer" | "provider"; signature: Hex }) => Call
  settle: (job: Job) => Call
  lapse: (job: Job) => Call
  refundUnbound: (terms: Terms) => Call
}
