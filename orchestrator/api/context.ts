/** What the routes stand on; composed in `main.ts`. */
import type { Context } from "hono"
import type { KeySource, Policy } from "../aacp/index.ts"
import type { FundingCalls, Rail } from "../chain/rails/rail.ts"
import type { Enrolment } from "../config.ts"
import type { LintResult } from "../contract/index.ts"
import type { Store } from "../store/index.ts"
import type { Address, Hex, UnixSeconds } from "../types.ts"

export type { FundingCalls }

export type ApiClocks = {
  /** Wall clock, Unix seconds: request signatures and nonces. */
  wall: () => UnixSeconds
  /** The chain's time. */
  chain: () => Promise<UnixSeconds>
  /** What the AACP exchange goes by: wall time, or chain time on a local chain whose time is moved. */
  confirmation: () => Promise<UnixSeconds>
}

export type ApiLimits = {
  maxOpenJobs: number
  maxArtifactBytes: number
  /** The most that a contract can allow its deliverable. */
  maxDeliverableBytes: number
  submissionsPerMinute: number
}

export type ApiServices = {
  store: Store
  rail: Rail
  clocks: ApiClocks
  limits: ApiLimits
  /** Scheme, host and port under which agents reach this API. */
  publicOrigin: string
  /** Looks at a job now: after an event was appended. */
  poke: (jobId: string) => Promise<void>
  lint: (contract: Uint8Array, options: { chain: boolean }) => Promise<LintResult>
  /** Check types that this orchestrator's verifier can run. */
  runnableChecks: ReadonlySet<string>
  confirmation: {
    policy: Policy
    enrolments: readonly Enrolment[]
    keysFor: (enrolment: Enrolment) => KeySource
    verifySigner: (signer: Hex, digest: Hex, signature: Hex) => Promise<boolean>
  }
  /** Contract wallets sign requests too: ERC-1271, ERC-6492. Throws `chain_unavailable` when only the chain could tell. */
  verifyMessage: (address: Address, message: string, signature: Hex) => Promise<boolean>
  /** A party's act: ECDSA, then ERC-1271, as the resolver checks it. Throws `chain_unavailable` when only the chain could tell. */
  verifyDigest: (address: Address, digest: Hex, signature: Hex, mayBeContract: boolean) => Promise<boolean>
  /** Moves a local chain's time; absent elsewhere. */
  warp?: (seconds: number) => Promise<void>
  log: (level: "info" | "warn" | "error", message: string, details?: Record<string, unknown>) => void
}

/** What the middleware has established about a request. */
export type ApiVariables = {
  requestId: string
  body: Uint8Array
  agent: Address | null
  /** An equal request under the same Idempotency-Key began earlier, and its answer is not known. */
  repeated: boolean
}

export type ApiEnv = { Variables: ApiVariables }
export type ApiContext = Context<ApiEnv>
