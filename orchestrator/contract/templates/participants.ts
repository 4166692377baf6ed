/** Everyone a contract names besides the work itself, and the members that follow from them. */
import type { Address, Hex } from "../../types.ts"
import { inlineRoster } from "../roster.ts"
import type { Panelist } from "../schema/agents.ts"
import type { Contract } from "../schema/contract.ts"

type Party = { agent_id: string; wallet: Address; operator_id?: string | null }
type VerifierKeys = { verifier_id: string; attestation_key: Address; encryption_key?: string }

export type Participants = {
  buyer: Party & { confirmer?: Hex }
  provider: Party
  verifier: VerifierKeys & { fallback_pool: string }
  fallback: VerifierKeys
  mediator: Omit<Contract["mediator"], "fee">
  roster: Panelist[]
}

/** Where the deployment of a chain has its parts. */
export type Deployment = {
  chain_id: number
  /** The price's token. */
  token: Address
  /** The rail's contract. */
  escrow: Address
  resolver: Address
  /** The vault that holds the bonds. */
  vault: Address
  audit_ref?: Contract["escrow"]["audit_ref"]
}

/** Decimal amounts in the price's asset. */
export type Amounts = {
  price: string
  verifier_fee: string
  mediator_fee: string
  appeal_fee: string
  mediator_bond: string
  panelist_bond: string
  dispute_deposit: string
}

const ASSET = "USDC"
const PANEL_SIZE = 5
/** Proposed by the specification, not final. */
const FEES: Contract["fees"] = { afg_release_fee_bps: 150, afg_mediation_share_bps: 1500 }

const usdc = (amount: string): { amount: string; asset: string } => ({ amount, asset: ASSET })

type Surroundings = Pick<Contract, "buyer" | "provider" | "price" | "verifier" | "mediator" | "appeal" | "bonds" | "fees">

/** The members of a contract that say who and how much. */
export const surroundings = (people: Participants, deployment: Deployment, amounts: Amounts): Surroundings => ({
  buyer: people.buyer,
  provider: people.provider,
  price: { ...usdc(amounts.price), chain_id: deployment.chain_id, token_address: deployment.token },
  verifier: { ...people.verifier, fallback: people.fallback, fee: usdc(amounts.verifier_fee) },
  mediator: { ...people.mediator, fee: { ...usdc(amounts.mediator_fee), paid_by: "loser" } },
  appeal: {
    allowed: 1,
    fee: usdc(amounts.appeal_fee),
    panel_size: PANEL_SIZE,
    distinct_model_providers: PANEL_SIZE,
    excludes_original_mediator: true,
    voting: "commit_reveal",
    decision: "simple_majority",
    final: true,
    roster: inlineRoster(people.roster),
  },
  bonds: {
    mediator_bond: usdc(amounts.mediator_bond),
    panelist_bond: usdc(amounts.panelist_bond),
    dispute_deposit: usdc(amounts.dispute_deposit),
    staking_contract: deployment.vault,
  },
  fees: FEES,
})
