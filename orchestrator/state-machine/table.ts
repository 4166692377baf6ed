/**
 * The lifecycle (AFG §4) as one table. The fold accepts an act only by a row of it, time moves a job only by a row of it, what
 * people may do and by when is read from it, and `docs/lifecycle.md` is generated from it.
 */
import type { ChainEvent, MessageEvent } from "./events.ts"
import type { Cause, Outcome, State, Verdict } from "./vocabulary.ts"

/** Names of `deadlines.ts`. An act counts up to and including its deadline; a default holds strictly after. */
export type DeadlineName =
  | "fund_by"
  | "delivery_by"
  | "fallback_turn"
  | "verification"
  | "buyer_review"
  | "provider_dispute"
  | "fail_final"
  | "mediator_ruling"
  | "appeal_filing"
  | "panel_commit"
  | "panel_ruling"
  | "expiry"

/** Names of `guards.ts`. */
export type GuardName =
  | "all-signed"
  | "not-bound"
  | "bound-and-not-lapsed"
  | "unbound-or-lapsed"
  | "fund-by-passed"
  | "attempts-left"
  | "attempts-left-and-no-party-disputed"
  | "primary-has-not-spoken"
  | "fallback-has-its-turn"
  | "ruling-against-buyer"
  | "ruling-against-provider"
  | "commit-phase"
  | "reveal-phase"
  | "release-due"
  | "refund-due"

export type Actor = "buyer" | "provider" | "everyone" | "verifier" | "fallback" | "mediator" | "panelist" | "anyone" | "rail"

export type StateRow = { state: State; meaning: string; onWhom: string }

export type ActRow = {
  from: readonly State[]
  event: ChainEvent["type"] | Extract<MessageEvent["type"], "signed">
  by: Actor
  /** Where it leads; "same": the job stays where it is. */
  to: State | "same"
  /** As people call it; null for what nobody is asked to do. */
  action: string | null
  /** For verdicts: which. */
  verdict?: Verdict
  /** For settlements: which. */
  outcome?: Outcome
  guard?: GuardName
  until?: DeadlineName
  /** Only while nothing is decided, conceded or settled, and before expiry. */
  open: boolean
  /** What the act itself decides. */
  decision?: Outcome
  cause?: Cause
}

export type TimeRow = {
  from: State
  after: DeadlineName
  /** Where time leads, dated at the deadline; "same": it only decides. */
  to: State | "same"
  /** "ruling": as the ruling that stands; "panel": its opposite if a majority of the whole panel revealed so, else as the ruling. */
  decision?: Outcome | "ruling" | "panel"
  cause?: Cause | "ruling"
  /** Marks the event INCONCLUSIVE in the history. */
  inconclusive?: true
}

export const STATE_ROWS: readonly StateRow[] = [
  { state: "DRAFT", meaning: "posted, not signed by all", onWhom: "both" },
  { state: "AGREED", meaning: "signed by buyer, provider and mediator, or bound on chain", onWhom: "buyer" },
  { state: "FUNDED", meaning: "bound, and the rail holds the price", onWhom: "provider" },
  { state: "SUBMITTED", meaning: "submission n is on chain", onWhom: "verifier, then fallback" },
  { state: "VERIFIED_PASS", meaning: "PASS is on chain", onWhom: "buyer" },
  { state: "VERIFIED_FAIL", meaning: "FAIL is on chain", onWhom: "provider" },
  { state: "DISPUTED", meaning: "before the mediator: filed by a party, or INCONCLUSIVE", onWhom: "mediator" },
  { state: "RULED", meaning: "ruled by the mediator, or by default at the end of its window", onWhom: "the party it is against" },
  { state: "APPEALED", meaning: "before the panel", onWhom: "panel" },
  { state: "RELEASED", meaning: "the provider was paid", onWhom: "nobody" },
  { state: "REFUNDED", meaning: "the buyer has the price back", onWhom: "nobody" },
  { state: "LAPSED", meaning: "not funded in time; money that comes later can only be refunded", onWhom: "nobody" },
]

const UNFUNDED = ["DRAFT", "AGREED", "LAPSED"] as const
const DELIVERED = ["SUBMITTED", "VERIFIED_PASS", "VERIFIED_FAIL", "DISPUTED", "RULED"] as const
const HELD = ["FUNDED", ...DELIVERED, "APPEALED"] as const

const verdicts = (by: "verifier" | "fallback", guard: GuardName): ActRow[] => {
  const row = { from: ["SUBMITTED"], event: "verdict", by, action: "verdict", guard, until: "verification", open: true } as const
  return [
    { ...row, to: "VERIFIED_PASS", verdict: "PASS" },
    { ...row, to: "VERIFIED_FAIL", verdict: "FAIL" },
    // The primary's INCONCLUSIVE only opens the fallback's turn.
    { ...row, to: by === "verifier" ? "same" : "DISPUTED", verdict: "INCONCLUSIVE" },
  ]
}

/** What signed acts and the rail do. */
export const ACT_ROWS: readonly ActRow[] = [
  { from: ["DRAFT"], event: "signed", by: "everyone", to: "AGREED", action: "sign", guard: "all-signed", until: "fund_by", open: true },
  {
    from: ["DRAFT", "AGREED"],
    event: "bound",
    by: "buyer",
    to: "AGREED",
    action: "fund",
    guard: "not-bound",
    until: "fund_by",
    open: true,
  },
  {
    from: ["AGREED"],
    event: "funded",
    by: "buyer",
    to: "FUNDED",
    action: "fund",
    guard: "bound-and-not-lapsed",
    until: "fund_by",
    open: true,
  },
  // Money that comes late, but before anyone has made the lapse a fact, still counts.
  { from: ["LAPSED"], event: "funded", by: "buyer", to: "FUNDED", action: null, guard: "bound-and-not-lapsed", open: false },
  { from: UNFUNDED, event: "funded", by: "buyer", to: "LAPSED", action: null, guard: "unbound-or-lapsed", open: false, cause: "UNBOUND" },
  { from: ["LAPSED"], event: "lapsed", by: "anyone", to: "LAPSED", action: "lapse", guard: "fund-by-passed", open: false },

  { from: ["FUNDED"], event: "submitted", by: "provider", to: "SUBMITTED", action: "submit", until: "delivery_by", open: true },
  {
    from: ["VERIFIED_FAIL"],
    event: "submitted",
    by: "provider",
    to: "SUBMITTED",
    action: "submit",
    guard: "attempts-left",
    until: "delivery_by",
    open: true,
  },
  {
    from: ["DISPUTED"],
    event: "submitted",
    by: "provider",
    to: "SUBMITTED",
    action: "submit",
    guard: "attempts-left-and-no-party-disputed",
    until: "delivery_by",
    open: true,
  },

  ...verdicts("verifier", "primary-has-not-spoken"),
  ...verdicts("fallback", "fallback-has-its-turn"),

  { from: ["VERIFIED_PASS"], event: "disputed", by: "buyer", to: "DISPUTED", action: "dispute", until: "buyer_review", open: true },
  { from: ["VERIFIED_FAIL"], event: "disputed", by: "provider", to: "DISPUTED", action: "dispute", until: "provider_dispute", open: true },
  { from: ["DISPUTED"], event: "ruled", by: "mediator", to: "RULED", action: "rule", until: "mediator_ruling", open: true },
  ...(["buyer", "provider"] as const).map(
    (by): ActRow => ({
      from: ["RULED"],
      event: "appealed",
      by,
      to: "APPEALED",
      action: "appeal",
      guard: `ruling-against-${by}`,
      until: "appeal_filing",
      open: true,
    }),
  ),
  { from: ["APPEALED"], event: "seated", by: "anyone", to: "same", action: null, until: "panel_commit", open: true },
  {
    from: ["APPEALED"],
    event: "voteCommitted",
    by: "panelist",
    to: "same",
    action: "commit",
    guard: "commit-phase",
    until: "panel_commit",
    open: true,
  },
  {
    from: ["APPEALED"],
    event: "voteRevealed",
    by: "panelist",
    to: "same",
    action: "reveal",
    guard: "reveal-phase",
    until: "panel_ruling",
    open: true,
  },

  { from: DELIVERED, event: "conceded", by: "buyer", to: "same", action: "accept", open: true, decision: "RELEASE", cause: "CONCEDED" },
  {
    from: ["FUNDED", ...DELIVERED],
    event: "conceded",
    by: "provider",
    to: "same",
    action: "concede",
    open: true,
    decision: "REFUND",
    cause: "CONCEDED",
  },

  { from: HELD, event: "railSubmitted", by: "provider", to: "same", action: null, open: false },
  {
    from: [...DELIVERED, "APPEALED"],
    event: "settled",
    by: "anyone",
    to: "RELEASED",
    action: "settle",
    outcome: "RELEASE",
    guard: "release-due",
    open: false,
  },
  {
    from: [...HELD, "LAPSED"],
    event: "settled",
    by: "anyone",
    to: "REFUNDED",
    action: "settle",
    outcome: "REFUND",
    guard: "refund-due",
    open: false,
  },
  { from: HELD, event: "settledElsewhere", by: "rail", to: "RELEASED", action: null, outcome: "RELEASE", open: false, cause: "ELSEWHERE" },
  {
    from: [...HELD, ...UNFUNDED],
    event: "settledElsewhere",
    by: "rail",
    to: "REFUNDED",
    action: null,
    outcome: "REFUND",
    open: false,
    cause: "ELSEWHERE",
  },
]

/** What the passage of time does. Nobody needs to notice. */
export const TIME_ROWS: readonly TimeRow[] = [
  { from: "DRAFT", after: "fund_by", to: "LAPSED", cause: "NOT_FUNDED" },
  { from: "AGREED", after: "fund_by", to: "LAPSED", cause: "NOT_FUNDED" },
  { from: "FUNDED", after: "delivery_by", to: "same", decision: "REFUND", cause: "NO_SUBMISSION" },
  { from: "SUBMITTED", after: "verification", to: "DISPUTED", inconclusive: true },
  { from: "VERIFIED_PASS", after: "buyer_review", to: "same", decision: "RELEASE", cause: "REVIEW_ELAPSED" },
  { from: "VERIFIED_FAIL", after: "fail_final", to: "same", decision: "REFUND", cause: "FAIL_FINAL" },
  { from: "DISPUTED", after: "mediator_ruling", to: "RULED" },
  { from: "RULED", after: "appeal_filing", to: "same", decision: "ruling", cause: "ruling" },
  { from: "APPEALED", after: "panel_ruling", to: "same", decision: "panel", cause: "PANEL" },
]

/** Deadlines that are fixed in the Terms; the others are spans from the moment a state was entered. */
export const FIXED_DEADLINES: readonly DeadlineName[] = ["fund_by", "delivery_by", "expiry"]
