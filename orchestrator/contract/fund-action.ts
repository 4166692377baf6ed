/**
 * Funding a job as an action that a person confirms: its `x-aacp` annotation (AACP §10) and the operation of one contract,
 * as plain data. The API annotates, asks and verifies with it; the confirmation service recomputes it from the contract.
 */
import type { Hex } from "../types.ts"
import { contractHash } from "./hash.ts"
import { hashTerms } from "./messages.ts"
import type { Contract } from "./schema/contract.ts"
import { termsOf } from "./terms.ts"

/** Member of a confirmation request that carries the whole job contract (AACP's extension point of requests). */
export const CONTRACT_MEMBER = "afg-contract"

/** Everything of the operation, in the order in which a person reads it. All of it must be confirmed. */
export const FUND_PARAMETERS = [
  "job_id",
  "contract_hash",
  "amount",
  "token",
  "chain_id",
  "payee",
  "provider_id",
  "escrow",
  "resolver",
  "delivery_by",
  "escrow_expiry",
  "fee_bps",
  "checks",
  "terms_hash",
] as const

export type FundParameter = (typeof FUND_PARAMETERS)[number]

type Rule = { readonly label: string; readonly format?: string; readonly "value-map"?: Readonly<Record<string, string>> }

const RENDER: Readonly<Record<FundParameter, Rule>> = {
  job_id: { label: "Job" },
  contract_hash: { label: "Contract hash", format: "bytes32" },
  amount: { label: "Amount", format: "currency" },
  token: { label: "Token contract", format: "address" },
  chain_id: {
    label: "Chain",
    "value-map": {
      "1": "Ethereum (1)",
      "8453": "Base (8453)",
      "84532": "Base Sepolia, a test network (84532)",
      "31337": "Local test network (31337)",
    },
  },
  payee: { label: "Provider's wallet", format: "address" },
  provider_id: { label: "Provider" },
  escrow: { label: "Escrow contract", format: "address" },
  resolver: { label: "Resolver contract", format: "address" },
  delivery_by: { label: "Delivery by", format: "date-time" },
  escrow_expiry: { label: "Escrow ends", format: "date-time" },
  fee_bps: { label: "Fee on payment, in hundredths of a percent" },
  checks: { label: "Checks that decide" },
  terms_hash: { label: "Terms hash", format: "bytes32" },
}

/** The annotation of `POST /v1/jobs/{id}/fund`; the same for every job of an API. */
export type FundAnnotation = {
  readonly type: string
  readonly actions: readonly ["fund"]
  readonly "confirm-parameters": typeof FUND_PARAMETERS
  readonly render: Readonly<Record<FundParameter, Rule>>
  readonly effect: "transfer"
  readonly reversible: false
}

/** What the operation's fields are for one contract. */
export type FundFields = {
  readonly job_id: string
  /** 64 lower-case hex digits. */
  readonly contract_hash: string
  readonly amount: { readonly currency: string; readonly amount: string }
  readonly token: string
  readonly chain_id: number
  readonly payee: string
  readonly provider_id: string
  readonly escrow: string
  readonly resolver: string
  readonly delivery_by: string
  readonly escrow_expiry: string
  readonly fee_bps: number
  /** `<check_id>: <type>` of each check. */
  readonly checks: readonly string[]
  readonly terms_hash: Hex
}

export type FundAction = {
  readonly xAacp: FundAnnotation
  /** The endpoint that would execute it. */
  readonly location: string
  readonly fields: FundFields
  /** `escrow.fund_by`: the descriptor's `expires`. Taken from the contract, so that asking again gives the same digest. */
  readonly expires: string
  /** The only verifier that evidence for this action is meant for: the buyer's agent at that API. */
  readonly audience: string
}

const TYPE_PATH = "/aacp/actions/fund-job"

export const fundAnnotation = (publicOrigin: string): FundAnnotation => ({
  type: `${publicOrigin}${TYPE_PATH}`,
  actions: ["fund"],
  "confirm-parameters": FUND_PARAMETERS,
  render: RENDER,
  effect: "transfer",
  reversible: false,
})

/** The origin that a fund action's type names, or null for another kind of action. */
export const originOfFundType = (type: string): string | null => {
  if (!type.endsWith(TYPE_PATH) || !URL.canParse(type)) return null
  const { origin } = new URL(type)
  return `${origin}${TYPE_PATH}` === type ? origin : null
}

/**
 * The fund action of one contract at the API under `publicOrigin` (scheme, host and port, no slash at the end). Throws what `termsOf`
 * throws for a contract without derivable terms.
 */
export const fundAction = (contract: Contract, { publicOrigin }: { publicOrigin: string }): FundAction => ({
  xAacp: fundAnnotation(publicOrigin),
  location: `${publicOrigin}/v1/jobs/${contract.job_id}/fund`,
  fields: {
    job_id: contract.job_id,
    contract_hash: contractHash(contract),
    amount: { currency: contract.price.asset, amount: contract.price.amount },
    token: contract.price.token_address,
    chain_id: contract.price.chain_id,
    payee: contract.provider.wallet,
    provider_id: contract.provider.agent_id,
    escrow: contract.escrow.contract,
    resolver: contract.escrow.resolver,
    delivery_by: contract.deadline.delivery_by,
    escrow_expiry: contract.escrow.expiry,
    fee_bps: contract.fees.afg_release_fee_bps,
    checks: contract.acceptance.checks.map(({ check_id, type }) => `${check_id}: ${type}`),
    terms_hash: hashTerms(termsOf(contract)),
  },
  expires: contract.escrow.fund_by,
  audience: `${publicOrigin}/agents/${encodeURIComponent(contract.buyer.agent_id)}`,
})
