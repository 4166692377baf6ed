/** Steps 3 to 8 of AACP §8.1, each judging one thing. Null: passed. */
import { type ActionDescriptor, actionDigest } from "../descriptor.ts"
import { renderingDigest } from "../rendering.ts"
import type { Denial } from "../replay/store.ts"
import { parseTime } from "../time.ts"
import type { Case, Lifetime } from "./input.ts"
import { type Finding, failed, notChecked } from "./outcome.ts"
import { DEFAULT_MAX_LIFETIME, type PolicyRule, ruleFor } from "./policy.ts"
import { attempt, type Sooner, whenKnown } from "./sooner.ts"

type Verdict = Finding | null

/** A confirmation dated further ahead than this is stale: seconds. */
export const MAX_CLOCK_LEAD = 30

const mismatched = (detail: string): Finding => ({ outcome: "mismatched", detail })
const diverted = (detail: string): Finding => ({ outcome: "diverted", detail })
const stale = (detail: string): Finding => ({ outcome: "stale", detail })
const unverifiable = (detail: string): Finding => ({ outcome: "unverifiable", detail })

/** A descriptor that a program made may hold what has no canonical form. */
const digestOf = (descriptor: ActionDescriptor): string | Finding => {
  try {
    return actionDigest(descriptor)
  } catch (cause) {
    return failed("action_digest", cause)
  }
}

/** Step 3: the evidence is about the operation at hand, and so was the request. */
export const checkAction = ({ input, evidence, request }: Case): Verdict => {
  if (input.descriptor === undefined) return notChecked("action_digest")
  const digest = digestOf(input.descriptor)
  if (typeof digest !== "string") return digest
  if (digest !== evidence["action-digest"]) return mismatched("action_digest_differs")
  if (request != null && request["action-digest"] !== evidence["action-digest"]) return mismatched("request_action_differs")
  return null
}

const sameList = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((item, index) => item === b[index]))

/** Step 4: the evidence names this verifier, and the person and delegation that the request named. */
export const checkAudience = ({ input, evidence, request }: Case): Verdict => {
  const { audience } = input
  if (audience === undefined) return notChecked("audience")
  const named = evidence.audience
  if (named === undefined) return diverted("audience_missing")
  if (typeof audience === "string" ? named !== audience : !audience.includes(named)) return diverted("audience_differs")
  if (request == null) return null
  if (request.audience !== undefined && request.audience !== named) return diverted("request_audience_differs")
  if (request.subject !== undefined && request.subject !== evidence.subject) return diverted("subject_differs")
  if (!sameList(request.handoff, evidence.handoff)) return diverted("handoff_differs")
  return null
}

/** Step 5: the person said yes; and, after an earlier no to the same action, was asked again in a turn of their own. */
export const checkDecision = ({ input, evidence, confirmedAt }: Case): Sooner<Verdict> => {
  if (evidence.decision !== "confirmed") return { outcome: "denied", detail: "denied_by_user" }
  const { denials } = input
  if (denials === undefined) return null
  const judge = (denial: Denial | null): Verdict => {
    const reopened = denial === null || (evidence.dialog_turn !== undefined && confirmedAt >= denial.deniedAt)
    return reopened ? null : { outcome: "denied", detail: "denied_before" }
  }
  return attempt<Verdict>(
    () => whenKnown(denials.latest(evidence["action-digest"]), judge),
    (cause) => failed("decision", cause),
  )
}

/** The age allowed: the request's lifetime, capped by policy; the cap alone where there is no request. */
export const lifetimeOf = ({ input, request, confirmedAt }: Case): Lifetime => {
  const cap = input.policy?.max_lifetime
  const wanted = request == null ? (cap ?? DEFAULT_MAX_LIFETIME) : Math.min(request.lifetime, cap ?? Number.POSITIVE_INFINITY)
  const seconds = wanted - (input.margin ?? 0)
  return { seconds, expiresAt: confirmedAt + seconds }
}

const checkCurrency = (found: Case): Verdict => {
  const { input, evidence, request, confirmedAt } = found
  if (request === null) return stale("request_unknown")
  if (request !== undefined && request["request-id"] !== evidence["request-id"]) return stale("request_id_differs")
  if (request !== undefined && request.challenge !== evidence.challenge) return stale("challenge_differs")
  if (confirmedAt > input.now + MAX_CLOCK_LEAD) return stale("confirmed_in_the_future")
  if (input.now > lifetimeOf(found).expiresAt) return stale("lifetime_passed")
  const expires = input.descriptor?.expires
  if (expires !== undefined && input.now > (parseTime(expires) ?? Number.NEGATIVE_INFINITY)) return stale("descriptor_expired")
  return null
}

/** Step 6: for this request, in time, and not used before; staleness first, then replay. */
export const checkFreshness = (found: Case): Sooner<Verdict> => {
  if (!Number.isFinite(found.input.now)) return notChecked("freshness")
  const { replay } = found.input
  const outdated = checkCurrency(found)
  if (outdated !== null || replay === undefined) return outdated
  const key = { service: found.service, requestId: found.evidence["request-id"] }
  return attempt<Verdict>(
    () => whenKnown(replay.seen(key), (used) => (used ? { outcome: "replay", detail: "request_id_used" } : null)),
    (cause) => failed("freshness", cause),
  )
}

const lowAssurance = (detail: string, rule: PolicyRule | undefined, minLoa = rule?.min_loa): Finding => ({
  outcome: "insufficient-assurance",
  detail,
  requirement: { minLoa, methods: rule?.methods },
})

const rule = ({ input }: Case): PolicyRule | undefined =>
  input.policy === undefined || input.descriptor === undefined ? undefined : ruleFor(input.policy, input.descriptor)

const checkChain = (chain: readonly string[] | undefined, known: readonly string[] | undefined): Verdict => {
  if (known === undefined) return null
  if (chain === undefined) return unverifiable("chain_missing")
  return chain.every((offer) => known.includes(offer)) ? null : unverifiable("chain_unknown")
}

/** Step 7: what the service says of the authentication is understood and enough for this class of effect. */
export const checkPolicy = (found: Case): Verdict => {
  const { policy } = found.input
  if (policy === undefined) return notChecked("policy")
  const { method, loa } = found.evidence["auth-context"]
  if (policy.known_methods !== undefined && !policy.known_methods.includes(method)) return unverifiable("method_unknown")
  const demanded = rule(found)
  const channelLoa = found.request?.channel?.["min-loa"]
  if (channelLoa !== undefined && loa < channelLoa)
    return lowAssurance("loa_below_request", demanded, Math.max(channelLoa, demanded?.min_loa ?? 0))
  if (demanded?.min_loa !== undefined && loa < demanded.min_loa) return lowAssurance("loa_below_policy", demanded)
  if (demanded?.methods !== undefined && !demanded.methods.includes(method)) return lowAssurance("method_not_enough", demanded)
  return checkChain(found.evidence.handoff, demanded?.known_chains)
}

/** Step 8: the person saw every field that needs confirmation, as this verifier would show it. */
export const checkExercise = (found: Case): Verdict => {
  const { descriptor, rendering } = found.input
  const required = rule(found)?.require_rendering === true
  const shown = found.evidence["rendering-digest"]
  if (shown === undefined) return required ? { outcome: "unexercised", detail: "rendering_missing" } : null
  if (descriptor === undefined || rendering === null) return required ? unverifiable("rendering_not_recomputable") : null
  try {
    return renderingDigest(descriptor, rendering) === shown ? null : { outcome: "unexercised", detail: "rendering_mismatch" }
  } catch (cause) {
    return failed("exercise", cause)
  }
}
