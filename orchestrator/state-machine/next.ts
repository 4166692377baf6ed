/**
 * What should have happened by now, and when to look again. Pure: the reconciler performs what is missing.
 */
import type { Hex, UnixSeconds } from "../types.ts"
import { type ActKind, mayAct } from "./acts.ts"
import { assess, momentsAfter } from "./assess.ts"
import { eventKey } from "./events.ts"
import { type ActMessage, isAgreed, type Job, type MessageOf } from "./fold.ts"
import { standingAt } from "./position.ts"
import type { Outcome, VerifierRole } from "./vocabulary.ts"

/** An action of the orchestrator. `key` is unique per job: performing it twice has the effect of once. */
export type Action = { key: string } & (
  | { kind: "relay-bind"; message: MessageOf<"confirmed"> }
  | { kind: "relay-fund"; message: MessageOf<"fundingAuthorized"> }
  | { kind: "relay-submission"; n: number; message: MessageOf<"submissionReceived"> }
  /** To run the checks on submission n, as the primary or as the fallback. */
  | { kind: "verify"; n: number; by: VerifierRole; deliverableHash: Hex }
  | { kind: "relay-verdict"; n: number; by: VerifierRole; message: MessageOf<"verdictSigned"> }
  | { kind: "relay-act"; message: ActMessage }
  | { kind: "settle"; outcome: Outcome }
  | { kind: "lapse" }
  | { kind: "refund-unbound" }
)

export type ActionKind = Action["kind"]

/** `wakeAt`: the next moment at which time alone changes the answer; null: only an event can. */
export type Next = { actions: Action[]; wakeAt: UnixSeconds | null }

const bindAction = (job: Job, now: UnixSeconds): Action[] => {
  const { confirmed } = job.messages
  const { facts, rules } = job
  if (confirmed === null || facts.boundAt !== null || facts.fundedAt !== null || !isAgreed(job)) return []
  // After either deadline the resolver would refuse; a new confirmation makes a new action.
  if (now > rules.clock.fundBy || now > confirmed.notAfter) return []
  return [{ kind: "relay-bind", message: confirmed, key: `relay-bind:${confirmed.requestId}` }]
}

const fundAction = (job: Job, now: UnixSeconds): Action[] => {
  const message = job.messages.fundingAuthorized
  const { facts, rules } = job
  if (message === null || facts.boundAt === null || facts.fundedAt !== null || facts.lapsedAt !== null) return []
  // ERC-3009 has both ends exclusive.
  if (now > rules.clock.fundBy || now <= message.validAfter || now >= message.validBefore) return []
  return [{ kind: "relay-fund", message, key: `relay-fund:${message.salt}` }]
}

const counts = (job: Job, kind: ActKind, now: UnixSeconds): boolean => mayAct(job.rules, job.facts, kind, now)

const submissionActions = (job: Job, now: UnixSeconds): Action[] => {
  const n = job.facts.n + 1
  if (!counts(job, { event: "submitted" }, now)) return []
  return job.messages.submissions
    .filter((message) => message.n === n)
    .map((message) => ({ kind: "relay-submission", n, message, key: `relay-submission:${n}:${message.sha256}` }))
}

const verdictActions = (job: Job, now: UnixSeconds): Action[] =>
  (["primary", "fallback"] as const).flatMap((by): Action[] => {
    const { n, deliverableHash } = job.facts
    const who = by === "primary" ? "verifier" : "fallback"
    if (deliverableHash === null || !counts(job, { event: "verdict", by: who }, now)) return []
    const message = job.messages.verdicts.find((one) => one.n === n && one.by === by && one.deliverableHash === deliverableHash)
    const what = `${n}:${by}:${deliverableHash}`
    return message === undefined
      ? [{ kind: "verify", n, by, deliverableHash, key: `verify:${what}` }]
      : [{ kind: "relay-verdict", n, by, message, key: `relay-verdict:${what}` }]
  })

const actCounts = (job: Job, message: ActMessage, now: UnixSeconds): boolean => {
  const { facts } = job
  switch (message.type) {
    case "disputeReceived":
      return message.n === facts.n && counts(job, { event: "disputed", by: message.by }, now)
    case "rulingReceived":
      return message.n === facts.n && counts(job, { event: "ruled" }, now)
    case "appealReceived":
      return counts(job, { event: "appealed", by: message.by }, now)
    case "concessionReceived":
      return message.n === facts.n && counts(job, { event: "conceded", by: message.by }, now)
  }
}

const actActions = (job: Job, now: UnixSeconds): Action[] =>
  job.messages.acts
    .filter((message) => actCounts(job, message, now))
    .map((message) => ({ kind: "relay-act", message, key: `relay-act:${eventKey(message)}` }))

const endActions = (job: Job, now: UnixSeconds): Action[] => {
  const { facts, rules } = job
  const { state, outcome, cause } = standingAt(rules, facts, isAgreed(job), now)
  if (cause === "UNBOUND") return [{ kind: "refund-unbound", key: "refund-unbound" }]
  // A job that was never bound has nothing on chain to free.
  if (state === "LAPSED") return facts.boundAt !== null && facts.lapsedAt === null ? [{ kind: "lapse", key: "lapse" }] : []
  return outcome === null ? [] : [{ kind: "settle", outcome, key: `settle:${outcome}` }]
}

/** Actions that should have happened by `now`. */
const actionsAt = (job: Job, now: UnixSeconds): Action[] =>
  job.facts.settled !== null
    ? []
    : [
        ...bindAction(job, now),
        ...fundAction(job, now),
        ...submissionActions(job, now),
        ...verdictActions(job, now),
        ...actActions(job, now),
        ...endActions(job, now),
      ]

/** All moments at which the answer may change by time alone. */
const candidates = (job: Job, now: UnixSeconds): UnixSeconds[] => {
  const { confirmed, fundingAuthorized } = job.messages
  const moments = momentsAfter(job, now)
  if (confirmed !== null) moments.push(confirmed.notAfter + 1)
  if (fundingAuthorized !== null) moments.push(fundingAuthorized.validAfter + 1, fundingAuthorized.validBefore)
  return [...new Set(moments)].filter((at) => at > now).sort((a, b) => a - b)
}

const answerAt = (job: Job, now: UnixSeconds): string => JSON.stringify([assess(job, now), actionsAt(job, now).map(({ key }) => key)])

const wakeAfter = (job: Job, now: UnixSeconds): UnixSeconds | null => {
  if (job.facts.settled !== null) return null
  const present = answerAt(job, now)
  return candidates(job, now).find((at) => answerAt(job, at) !== present) ?? null
}

/** Actions that should have happened by `now`, and when to look again. */
export const next = (job: Job, now: UnixSeconds): Next => ({ actions: actionsAt(job, now), wakeAt: wakeAfter(job, now) })
