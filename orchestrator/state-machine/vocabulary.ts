/** The words of the lifecycle (AFG §4), as the chain numbers them in `contracts/Vocabulary.sol`. */

/** INCONCLUSIVE is an event in a job's history, never a resting state: it escalates to DISPUTED at once. */
export const STATES = [
  "DRAFT",
  "AGREED",
  "FUNDED",
  "SUBMITTED",
  "VERIFIED_PASS",
  "VERIFIED_FAIL",
  "DISPUTED",
  "RULED",
  "APPEALED",
  "RELEASED",
  "REFUNDED",
  "LAPSED",
] as const
export type State = (typeof STATES)[number]

export const TERMINAL_STATES: ReadonlySet<State> = new Set<State>(["RELEASED", "REFUNDED", "LAPSED"])

/** In the chain's order; index 0 is "none". */
export const CAUSES = [
  null,
  "CONCEDED",
  "REVIEW_ELAPSED",
  "FAIL_FINAL",
  "NO_SUBMISSION",
  "RULING",
  "DEFAULT_RULING",
  "PANEL",
  "EXPIRY",
  "UNBOUND",
  "ELSEWHERE",
  "NOT_FUNDED",
] as const
export type Cause = NonNullable<(typeof CAUSES)[number]>

export type Outcome = "RELEASE" | "REFUND"
export type Verdict = "PASS" | "FAIL" | "INCONCLUSIVE"
export type Party = "buyer" | "provider"
export type VerifierRole = "primary" | "fallback"
export type SigningRole = "buyer" | "provider" | "mediator"

export const opposite = (outcome: Outcome): Outcome => (outcome === "RELEASE" ? "REFUND" : "RELEASE")

/** Whose loss a verdict or outcome is. */
export const loserOf = (outcome: Outcome): Party => (outcome === "RELEASE" ? "buyer" : "provider")
