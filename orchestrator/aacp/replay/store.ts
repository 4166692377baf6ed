/** What a verifier remembers between presentations (AACP §8.3; `docs/aacp.md`, "Replay"). */
import type { Finding } from "../verify/outcome.ts"

/** Request ids are unique per service, not in the world: another service cannot use up this one's ids. */
export type ReplayKey = { readonly service: string; readonly requestId: string }

export type Consumption = ReplayKey & {
  /** sha256 of the compact JWS, lower hex. */
  readonly evidenceDigest: string
  /** Unix seconds now, and until when the mark must be kept: from then on the evidence is stale by itself. */
  readonly now: number
  readonly keepUntil: number
}

/**
 * Which request ids were used. One implementation may be bound to an open database transaction, so that the mark and the
 * action it allows are committed together or not at all:
 *
 * ```ts
 * await db.transaction().execute(async (trx) => {
 *   const result = await verifyEvidence({ …, replay: sqlReplayStore(trx) })
 *   if (result.outcome === "success") await recordAction(trx, …)
 * })
 * ```
 *
 * What these throw is reported as `unverifiable` with its `cause`, and nothing was accepted.
 */
export interface ReplayStore {
  /** Whether the id is used up. Only orders the outcomes; `consume` decides. */
  seen(key: ReplayKey): boolean | Promise<boolean>
  /**
   * Marks the id as used, atomically and durably. True for exactly one caller ever; false: someone was first. Called only
   * when every step has passed.
   */
  consume(mark: Consumption): boolean | Promise<boolean>
}

/** A presentation that ended, by digest of what was presented. */
export type RememberedOutcome = Pick<Finding, "outcome" | "detail" | "requirement">

/**
 * Ends stay ends: evidence that once was mismatched, say, is never accepted later (AACP §8.1). `unverifiable` is not an
 * end and is not remembered. Optional beside a {@link ReplayStore}; may forget the oldest under pressure.
 */
export interface OutcomeMemory {
  recall(digest: string): RememberedOutcome | null | Promise<RememberedOutcome | null>
  remember(digest: string, outcome: RememberedOutcome, now: number): void | Promise<void>
}

export type Denial = {
  readonly service: string
  readonly actionDigest: string
  readonly requestId: string
  /** Unix seconds. */
  readonly deniedAt: number
}

/**
 * Denied actions. A denial is terminal for its request and closes its action digest, until evidence carries a `dialog_turn` from after the denial
 * (AACP §9.3, Appendix B).
 */
export interface DenialRegister {
  record(denial: Denial): void | Promise<void>
  latest(actionDigest: string): Denial | null | Promise<Denial | null>
}
