/** Worked example B (AFG §12), complete: an 837P claim file passes SNIP 1–4 and keeps its substance. */
import type { Hex, Sha256, UnixSeconds } from "../../types.ts"
import { type Contract, SPEC_VERSION } from "../schema/contract.ts"
import { fromUnix } from "../times.ts"
import { type Amounts, type Deployment, type Participants, surroundings } from "./participants.ts"

const HOUR = 3_600

/** Amounts of example B. */
export const CLAIM_FILE_AMOUNTS: Amounts = {
  price: "25.00",
  verifier_fee: "0.00",
  mediator_fee: "3.00",
  appeal_fee: "8.00",
  mediator_bond: "25.00",
  panelist_bond: "8.00",
  dispute_deposit: "3.00",
}

type Pinned = { uri: string; sha256: Sha256 }

export type ClaimFileWork = {
  /** The claim file as it fails now. */
  source: Pinned
  /** The script that holds the claims' substance fixed. */
  invariants_script: Pinned
  /** REF*F8 values to use. */
  known_payer_ccn: Pinned
  runner_image: string
  validator: string
  validator_version: string
}

export type ClaimFileOptions = {
  job_id: string
  created_at: UnixSeconds
  /** x402: the hash of the payment's description, and the salt that it covers. */
  payment_info_hash: Hex
  salt: Hex
  people: Participants
  deployment: Deployment
  work: ClaimFileWork
  amounts?: Partial<Amounts>
}

const lastSegment = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1)

/** The complete contract of example B, unsigned. Lints clean on chain 31337 where the validator is known. */
export const buildClaimFileContract = (options: ClaimFileOptions): Contract => {
  const { created_at, work, deployment } = options
  const after = (seconds: number): string => fromUnix(created_at + seconds)
  return {
    spec_version: SPEC_VERSION,
    job_id: options.job_id,
    created_at: fromUnix(created_at),
    ...surroundings(options.people, deployment, { ...CLAIM_FILE_AMOUNTS, ...options.amounts }),
    escrow: {
      rail: "x402_authcapture",
      contract: deployment.escrow,
      escrow_ref: `paymentInfoHash:${options.payment_info_hash}`,
      salt: options.salt,
      resolver: deployment.resolver,
      upgradeable: false,
      ...(deployment.audit_ref === undefined ? {} : { audit_ref: deployment.audit_ref }),
      fund_by: after(12 * HOUR),
      expiry: after(120 * HOUR),
    },
    deadline: { delivery_by: after(24 * HOUR), max_submissions: 2 },
    windows: {
      verification_s: 900,
      buyer_review_s: 21_600,
      provider_dispute_s: 21_600,
      mediator_ruling_s: 3_600,
      appeal_filing_s: 21_600,
      panel_ruling_s: 7_200,
    },
    inputs: [
      { name: "source_837", ...work.source, sealed: false },
      { name: "invariants_script", ...work.invariants_script, sealed: false },
      { name: "known_payer_ccn", ...work.known_payer_ccn, sealed: false },
    ],
    deliverable: {
      type: "x12_file",
      format: "X12 005010X222A1 837P",
      max_size_bytes: 5_242_880,
      delivery: "content-addressed uri",
      phi: false,
    },
    acceptance: {
      combine: "all",
      checks: [
        {
          check_id: "e1",
          type: "snip_validation",
          class: "deterministic",
          levels: [1, 2, 3, 4],
          transaction_set: "837P",
          implementation_guide: "005010X222A1",
          validator: work.validator,
          validator_version: work.validator_version,
          max_errors: 0,
          allowed_warning_codes: [],
          baseline: "source_837",
        },
        {
          check_id: "e2",
          type: "script_check",
          class: "deterministic",
          runner_image: work.runner_image,
          command: `${lastSegment(work.invariants_script.uri)} source_837 deliverable known_payer_ccn`,
          network: false,
          expect_exit: 0,
          timeout_s: 120,
        },
      ],
    },
  }
}
