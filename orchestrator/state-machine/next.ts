/**
 * What should have happened by now, and when to look again. Pure: the reconciler performs what is missing.
 */
import type { UnixSeconds } from "../types.ts"
import { isAgreed, type Job } from "./fold.ts"
import { appealUntil, disputeUntil, mayConcede, mayGiveVerdict, mayRule, maySubmit, nextChange, standingAt } from "./lifecycle.ts"
import type { VerifierRole } from "./vocabulary.ts"

/** An action of the orchestrator. `key` is unique per job: performing it twice has the effect of once. */
export type Action = { key: string } & (
  | { kind: "relay-bind" }
  | { kind: "relay-fund"; salt: `0x${string}` }
  | { kind: "relay-submission"; n: number }
  | { kind: "verify"; n: number; by: VerifierRole }
  | { kind: "relay-verdict"; n: number; by: VerifierRole }
  | { kind: "relay-act"; type: "disputeReceived" | "rulingReceived" | "appealReceived" | "concessionReceived"; index: number }
  | { kind: "settle" }
  | { kind: "lapse" }
  | { kind: "refund-unbound" }
)

export type ActionKind = Action["kind"]

export type Next = { actions: Action[]; wakeAt: UnixSeconds | null }

const bindAction = (job: Job, now: UnixSeconds): Action[] => {
  const { confirmed } = job.messages
  const { facts, rules } = job
  if (confirmed === null || facts.boundAt !== null || facts.fundedAt !== null || !isAgreed(job)) return []
  // After either deadline the resolver would refuse; a new confirmation makes a new action.
  if (now > rules.clock.fundBy || now > confirmed.notAfter) return []
  return [{ kind: "relay-bind", key: `relay-bind:${confirmed.requestId}` }]
}

const fundAction = (job: Job, now: UnixSeconds): Action[] => {
  const { fundingAuthorized } = job.messages
  const { facts, rules } = job
  if (fundingAuthorized === null || facts.boundAt === null || facts.fundedAt !== null || facts.lapsedAt !== null) return []
  if (now > rules.clock.fundBy || now >= fundingAuthorized.validBefore) return []
  return [{ kind: "relay-fund", salt: fundingAuthorized.salt, key: `relay-fund:${fundingAuthorized.salt}` }]
}

const submissionAction = (job: Job, now: UnixSeconds): Action[] => {
  const n = job.facts.n + 1
  if (!job.messages.submissions.some((submission) => submission.n === n) || !maySubmit(job.rules, job.facts, now)) return []
  return [{ kind: "relay-submission", n, key: `relay-submission:${n}` }]
}

const verdictActions = (job: Job, now: UnixSeconds): Action[] => {
  const { facts, messages, rules } = job
  const actions: Action[] = []
  for (const by of ["primary", "fallback"] as const) {
    if (!mayGiveVerdict(rules, facts, by, now)) continue
    const spoken = messages.verdicts.some((one) => one.n === facts.n && one.by === by && one.deliverableHash === facts.deliverableHash)
    actions.push(
      spoken
        ? { kind: "relay-verdict", n: facts.n, by, key: `relay-verdict:${facts.n}:${by}:${facts.deliverableHash}` }
        : { kind: "verify", n: facts.n, by, key: `verify:${facts.n}:${by}:${facts.deliverableHash}` },
    )
  }
  return actions
}

const mayAct = (job: Job, act: Job["messages"]["acts"][number], now: UnixSeconds): boolean => {
  const { facts, rules } = job
  switch (act.type) {
    case "disputeReceived":
      return act.n === facts.n && disputeUntil(rules, facts, act.by, now) !== null
    case "rulingReceived":
      return act.n === facts.n && mayRule(rules, facts, now)
    case "appealReceived":
      return appealUntil(rules, facts, act.by, now) !== null
    case "concessionReceived":
      return act.n === facts.n && mayConcede(rules, facts, act.by, now)
  }
}

const actActions = (job: Job, now: UnixSeconds): Action[] =>
  job.messages.acts.flatMap((act, index): Action[] =>
    mayAct(job, act, now) ? [{ kind: "relay-act", type: act.type, index, key: `relay-act:${act.type}:${index}` }] : [],
  )

const endActions = (job: Job, now: UnixSeconds): Action[] => {
  const { facts, rules } = job
  if (facts.settled !== null) return []
  const standing = standingAt(rules, facts, isAgreed(job), now)
  if (standing.cause === "UNBOUND") return [{ kind: "refund-unbound", key: "refund-unbound" }]
  if (standing.state === "LAPSED") return facts.boundAt !== null && facts.lapsedAt === null ? [{ kind: "lapse", key: "lapse" }] : []
  return standing.outcome === null ? [] : [{ kind: "settle", key: `settle:${standing.outcome}` }]
}

/** Actions that should have happened by `now`, and the next moment at which time alone may change the answer. */
export const next = (job: Job, now: UnixSeconds): Next => {
  const over = job.facts.settled !== null
  const actions = over
    ? []
    : [
        ...bindAction(job, now),
        ...fundAction(job, now),
        ...submissionAction(job, now),
        ...verdictActions(job, now),
        ...actActions(job, now),
        ...endActions(job, now),
      ]
  return { actions, wakeAt: over ? null : wakeAfter(job, now) }
}

const wakeAfter = (job: Job, now: UnixSeconds): UnixSeconds | null => {
  const { confirmed, fundingAuthorized } = job.messages
  const moments = [
    nextChange(job.rules, job.facts, now),
    job.facts.boundAt === null && confirmed !== null ? confirmed.notAfter + 1 : null,
    job.facts.fundedAt === null && fundingAuthorized !== null ? fundingAuthorized.validBefore : null,
  ].filter((moment): moment is number => moment !== null && moment > now)
  return moments.length === 0 ? null : Math.min(...moments)
}
