/** Outcomes as HTTP answers: problem+json whose `code` is the draft's error name (AACP §8.2, RFC 9457). */
import { ERRORS } from "../errors.ts"
import type { ConfirmationRequest } from "../request.ts"
import type { ConfirmationStatus } from "../status.ts"
import type { ConfirmationError, Outcome } from "../verify/outcome.ts"
import type { Verification } from "../verify/verify.ts"

export type ConfirmationProblem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ConfirmationError
  readonly outcome: Outcome | "unobtainable"
  /** A stable word for the cause. */
  readonly detail: string
  /** With `confirmation_required`: what to take to the confirmation service. */
  readonly request?: ConfirmationRequest
}

export type ProblemAnswer = { readonly status: number; readonly headers: Record<string, string>; readonly body: ConfirmationProblem }

/** Seconds after which an unverifiable presentation may be tried again. */
const RETRY_AFTER = 30

/** RFC 9470: which authentication would have been enough. Levels are named `aacp:loa:N`. */
const challenge = (requirement: Verification["requirement"]): string => {
  const wanted = requirement?.minLoa === undefined ? "" : `, acr_values="aacp:loa:${requirement.minLoa}"`
  return `Bearer error="insufficient_user_authentication", error_description="A stronger authentication is required"${wanted}`
}

const headersOf = (code: ConfirmationError, requirement: Verification["requirement"]): Record<string, string> => ({
  "content-type": "application/problem+json",
  "cache-control": "no-store",
  ...(code === "confirmation_unavailable" ? { "retry-after": String(RETRY_AFTER) } : {}),
  ...(code === "confirmation_low_assurance" ? { "www-authenticate": challenge(requirement) } : {}),
})

const answer = (
  code: ConfirmationError,
  outcome: ConfirmationProblem["outcome"],
  detail: string,
  extra: { requirement?: Verification["requirement"]; request?: ConfirmationRequest | undefined } = {},
): ProblemAnswer => {
  const { status, what } = ERRORS[code]
  return {
    status,
    headers: headersOf(code, extra.requirement),
    body: {
      type: `urn:aacp:error:${code}`,
      title: what,
      status,
      code,
      outcome,
      detail,
      ...(extra.request === undefined ? {} : { request: extra.request }),
    },
  }
}

/** The answer for a verification that did not succeed; null for success. `request` is offered with `confirmation_required`. */
export const problemOf = (result: Verification, request?: ConfirmationRequest): ProblemAnswer | null =>
  result.error === null
    ? null
    : answer(result.error, result.outcome, result.detail, {
        requirement: result.requirement,
        request: result.error === "confirmation_required" ? request : undefined,
      })

/** The answer for a status object: the person could not be asked, which is not a denial (AACP §9.3). */
export const problemOfStatus = (status: ConfirmationStatus): ProblemAnswer =>
  answer("confirmation_unavailable", "unobtainable", status.reason)
