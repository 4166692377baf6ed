/** The smallest complete contract: a data set that validates against a pinned JSON Schema. */
import type { Sha256, UnixSeconds } from "../../types.ts"
import { JSON_SCHEMA_2020_12 } from "../schema/checks/schema-valid.ts"
import { type Contract, SPEC_VERSION } from "../schema/contract.ts"
import { DELIVERABLE_NAME } from "../schema/work.ts"
import { fromUnix } from "../times.ts"
import { type Amounts, type Deployment, type Participants, surroundings } from "./participants.ts"

const HOUR = 3_600

const AMOUNTS: Amounts = {
  price: "10.00",
  verifier_fee: "0.00",
  mediator_fee: "1.00",
  appeal_fee: "5.00",
  mediator_bond: "10.00",
  panelist_bond: "2.00",
  dispute_deposit: "1.00",
}

export type SchemaValidOptions = {
  job_id: string
  created_at: UnixSeconds
  /** Decimal id of the unfunded ERC-8183 job. */
  escrow_ref: string
  people: Participants
  deployment: Deployment
  /** The pinned JSON Schema. */
  schema: { uri: string; sha256: Sha256 }
}

/** A complete contract with one `schema_valid` check, unsigned. */
export const buildSchemaValidContract = (options: SchemaValidOptions): Contract => {
  const { created_at, deployment } = options
  const after = (seconds: number): string => fromUnix(created_at + seconds)
  return {
    spec_version: SPEC_VERSION,
    job_id: options.job_id,
    created_at: fromUnix(created_at),
    ...surroundings(options.people, deployment, AMOUNTS),
    escrow: {
      rail: "erc8183",
      contract: deployment.escrow,
      escrow_ref: options.escrow_ref,
      resolver: deployment.resolver,
      upgradeable: false,
      ...(deployment.audit_ref === undefined ? {} : { audit_ref: deployment.audit_ref }),
      fund_by: after(6 * HOUR),
      expiry: after(72 * HOUR),
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
    inputs: [{ name: "record_schema", ...options.schema, sealed: false }],
    deliverable: {
      type: "dataset",
      format: "application/json",
      max_size_bytes: 1_048_576,
      delivery: "content-addressed uri",
      phi: false,
    },
    acceptance: {
      combine: "all",
      checks: [
        {
          check_id: "v1",
          type: "schema_valid",
          class: "deterministic",
          artifact: DELIVERABLE_NAME,
          schema: "record_schema",
          dialect: JSON_SCHEMA_2020_12,
        },
      ],
    },
  }
}
