/** Worked example A (AFG §11), complete: a rounding bug is fixed and the suite passes. */
import type { Sha256, UnixSeconds } from "../../types.ts"
import { type Contract, SPEC_VERSION } from "../schema/contract.ts"
import { fromUnix } from "../times.ts"
import { type Amounts, type Deployment, type Participants, surroundings } from "./participants.ts"

const HOUR = 3_600

/** Amounts of example A. */
export const CODE_FIX_AMOUNTS: Amounts = {
  price: "40.00",
  verifier_fee: "0.00",
  mediator_fee: "4.00",
  appeal_fee: "10.00",
  mediator_bond: "40.00",
  panelist_bond: "10.00",
  dispute_deposit: "4.00",
}

/** What is to be fixed: the repository, its suites, and the tests that fail now. */
export type CodeFixWork = {
  /** A git bundle. */
  repo: { uri: string; sha256: Sha256 }
  base_commit: string
  /** The visible suite: a folder below the root, such as `tests/`, with its tree hash. */
  tests: { uri: string; sha256: Sha256 }
  /** Sealed: committed by its tree hash. */
  hidden_tests: { sha256: Sha256 }
  target_tests: string[]
  /** OCI config digest of the image with Python and pytest. */
  runner_image: string
}

export type CodeFixOptions = {
  job_id: string
  created_at: UnixSeconds
  /** Decimal id of the unfunded ERC-8183 job. */
  escrow_ref: string
  people: Participants
  deployment: Deployment
  work: CodeFixWork
  amounts?: Partial<Amounts>
  /** Seconds after `created_at`. Defaults: fund within 12 h, deliver within 48 h, expire after 6 days. */
  offsets?: Partial<{ fund_by: number; delivery_by: number; expiry: number }>
}

/** The complete contract of example A, unsigned. Lints clean on chain 31337 when its parts are what they say. */
export const buildCodeFixContract = (options: CodeFixOptions): Contract => {
  const { created_at, work, deployment } = options
  const after = (seconds: number): string => fromUnix(created_at + seconds)
  return {
    spec_version: SPEC_VERSION,
    job_id: options.job_id,
    created_at: fromUnix(created_at),
    ...surroundings(options.people, deployment, { ...CODE_FIX_AMOUNTS, ...options.amounts }),
    escrow: {
      rail: "erc8183",
      contract: deployment.escrow,
      escrow_ref: options.escrow_ref,
      resolver: deployment.resolver,
      upgradeable: false,
      ...(deployment.audit_ref === undefined ? {} : { audit_ref: deployment.audit_ref }),
      fund_by: after(options.offsets?.fund_by ?? 12 * HOUR),
      expiry: after(options.offsets?.expiry ?? 144 * HOUR),
    },
    deadline: { delivery_by: after(options.offsets?.delivery_by ?? 48 * HOUR), max_submissions: 3 },
    windows: {
      verification_s: 7_200,
      buyer_review_s: 43_200,
      provider_dispute_s: 43_200,
      mediator_ruling_s: 3_600,
      appeal_filing_s: 43_200,
      panel_ruling_s: 7_200,
    },
    inputs: [
      { name: "repo@base", ...work.repo, sealed: false },
      { name: "tests", ...work.tests, sealed: false },
      { name: "hidden_tests", uri: "sealed", sha256: work.hidden_tests.sha256, sealed: true },
    ],
    deliverable: {
      type: "git_patch",
      format: "unified-diff",
      max_size_bytes: 262_144,
      delivery: "content-addressed uri",
      phi: false,
    },
    acceptance: {
      combine: "all",
      checks: [
        {
          check_id: "c1",
          type: "test_suite_pass",
          class: "deterministic",
          repo: "repo@base",
          base_commit: work.base_commit,
          runner_image: work.runner_image,
          test_command: "pytest -q --junitxml=out.xml",
          test_suite_sha256: work.tests.sha256,
          must_pass: "all",
          target_tests: work.target_tests,
          hidden_suite_sha256: work.hidden_tests.sha256,
          forbid_modified_paths: ["tests/**", "pytest.ini"],
          network: false,
          timeout_s: 900,
          flake_reruns: 1,
        },
        {
          check_id: "c2",
          type: "hash_match",
          class: "deterministic",
          artifact: "tests/**",
          algorithm: "sha256",
          expected: work.tests.sha256,
        },
      ],
    },
  }
}
