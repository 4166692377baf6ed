/** The draft's eleven row outcomes, their error names and HTTP statuses (AACP §8.2; `docs/aacp.md`). */

export const OUTCOMES = [
  "absent",
  "invalid",
  "unverifiable",
  "mismatched",
  "diverted",
  "denied",
  "stale",
  "replay",
  "insufficient-assurance",
  "unexercised",
  "success",
] as const
export type Outcome = (typeof OUTCOMES)[number]

export type ConfirmationError =
  | "confirmation_required"
  | "confirmation_invalid"
  | "confirmation_unavailable"
  | "confirmation_mismatch"
  | "confirmation_diverted"
  | "confirmation_denied"
  | "confirmation_stale"
  | "confirmation_replay"
  | "confirmation_low_assurance"
  | "confirmation_unexercised"

const ERROR_OF: Readonly<Record<Outcome | "unobtainable", ConfirmationError | null>> = {
  absent: "confirmation_required",
  invalid: "confirmation_invalid",
  unverifiable: "confirmation_unavailable",
  mismatched: "confirmation_mismatch",
  diverted: "confirmation_diverted",
  denied: "confirmation_denied",
  stale: "confirmation_stale",
  replay: "confirmation_replay",
  "insufficient-assurance": "confirmation_low_assurance",
  unexercised: "confirmation_unexercised",
  success: null,
  unobtainable: "confirmation_unavailable",
}

/** Null for success alone. `unobtainable` is the status object's outcome, not a row outcome. */
export const errorOf = (outcome: Outcome | "unobtainable"): ConfirmationError | null => ERROR_OF[outcome]

/** The steps of AACP §8.1, in their order. */
export const STEP_NAMES = ["presence", "signature", "action_digest", "audience", "decision", "freshness", "policy", "exercise"] as const
export type StepName = (typeof STEP_NAMES)[number]

/** What a step found when it did not pass. `detail` is a stable word for the cause. */
export type Finding = {
  readonly outcome: Exclude<Outcome, "success">
  readonly detail: string
  /** What would have been enough, for `insufficient-assurance`. */
  readonly requirement?: { readonly minLoa?: number | undefined; readonly methods?: readonly string[] | undefined }
  readonly cause?: unknown
}

export const notChecked = (step: StepName): Finding => ({ outcome: "unverifiable", detail: `not_checked:${step}` })

/** A step, or what it needs, that threw. */
export const failed = (what: StepName | "request" | "memory" | "replay", cause: unknown): Finding => ({
  outcome: "unverifiable",
  detail: `failed:${what}`,
  cause,
})

/** What a client may do after an answer: the draft's retry column, as data for clients (AACP §8.2). */
export type Retry =
  | "obtain-confirmation"
  | "never-unchanged"
  | "later"
  | "regenerate"
  | "user-initiated-only"
  | "re-authenticate"
  | "re-render"

export const RETRY: Readonly<Record<ConfirmationError, Retry>> = {
  confirmation_required: "obtain-confirmation",
  confirmation_invalid: "never-unchanged",
  confirmation_unavailable: "later",
  confirmation_mismatch: "regenerate",
  confirmation_diverted: "never-unchanged",
  confirmation_denied: "user-initiated-only",
  confirmation_stale: "obtain-confirmation",
  confirmation_replay: "never-unchanged",
  confirmation_low_assurance: "re-authenticate",
  confirmation_unexercised: "re-render",
}
