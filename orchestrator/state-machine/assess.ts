/** What a job is at a moment, for people and agents: state, deadlines, who can do what until when. */
import type { UnixSeconds } from "../types.ts"
import { isAgreed, type Job } from "./fold.ts"
import {
  appealUntil,
  disputedSince,
  disputeUntil,
  fallbackTurn,
  mayConcede,
  mayGiveVerdict,
  mayRule,
  maySubmit,
  panelDeadlines,
  restAt,
  type Standing,
  standingAt,
} from "./lifecycle.ts"

export type Deadline = { what: string; at: UnixSeconds }
/** `until` is inclusive; null: no deadline of its own. */
export type Can = { who: string; action: string; until: UnixSeconds | null }

export type Assessment = Standing & {
  deadlines: Deadline[]
  can: Can[]
  /** What time alone will do next, and when; null when nothing. */
  next: { action: string; at: UnixSeconds } | null
}

const beforeFunding = (job: Job, now: UnixSeconds): Can[] => {
  const { clock } = job.rules
  const { signed } = job.messages
  if (now > clock.fundBy || job.facts.lapsedAt !== null) return []
  const unsigned = (["buyer", "provider", "mediator"] as const).filter((role) => signed[role] === undefined)
  if (unsigned.length > 0 && job.facts.boundAt === null) return unsigned.map((who) => ({ who, action: "sign", until: clock.fundBy }))
  return [{ who: "buyer", action: "fund", until: clock.fundBy }]
}

const whileFunded = (job: Job, now: UnixSeconds): Can[] => {
  const { facts, rules } = job
  const { clock } = rules
  const can: Can[] = []
  const lastMoment = clock.expiry - 1
  const rest = restAt(rules, facts, now)
  const until = Math.min(rest.until, lastMoment)
  if (maySubmit(rules, facts, now)) can.push({ who: "provider", action: "submit", until: Math.min(clock.deliveryBy, lastMoment) })
  if (facts.submittedAt !== null) {
    const end = Math.min(facts.submittedAt + clock.verification, lastMoment)
    if (mayGiveVerdict(rules, facts, "primary", now)) can.push({ who: "verifier", action: "verdict", until: end })
    if (mayGiveVerdict(rules, facts, "fallback", now)) can.push({ who: "fallback", action: "verdict", until: end })
  }
  for (const who of ["buyer", "provider"] as const) {
    const disputeEnd = disputeUntil(rules, facts, who, now)
    if (disputeEnd !== null) can.push({ who, action: "dispute", until: Math.min(disputeEnd, lastMoment) })
    const appealEnd = appealUntil(rules, facts, who, now)
    if (appealEnd !== null) can.push({ who, action: "appeal", until: Math.min(appealEnd, lastMoment) })
    if (mayConcede(rules, facts, who, now)) can.push({ who, action: who === "buyer" ? "accept" : "concede", until })
  }
  if (mayRule(rules, facts, now)) can.push({ who: "mediator", action: "rule", until })
  if (facts.appealedAt !== null && rest.decision === null) {
    const { commitUntil, revealUntil } = panelDeadlines(rules, facts.appealedAt)
    can.push(
      now <= commitUntil
        ? { who: "panelist", action: "commit", until: commitUntil }
        : { who: "panelist", action: "reveal", until: revealUntil },
    )
  }
  return can
}

const deadlinesOf = (job: Job, now: UnixSeconds): Deadline[] => {
  const { facts, rules } = job
  const { clock } = rules
  const list: Deadline[] = [
    { what: "fund_by", at: clock.fundBy },
    { what: "delivery_by", at: clock.deliveryBy },
    { what: "expiry", at: clock.expiry },
  ]
  const add = (what: string, from: UnixSeconds | null | undefined, span: number): void => {
    if (from !== null && from !== undefined) list.push({ what, at: from + span })
  }
  if (facts.submittedAt !== null && facts.verdict === null) {
    list.push({ what: "fallback_turn", at: fallbackTurn(rules, facts.submittedAt) })
    add("verification", facts.submittedAt, clock.verification)
  }
  const disputed = disputedSince(rules, facts, now)
  if (disputed === null && facts.verdict === "PASS") add("buyer_review", facts.verdictAt, clock.buyerReview)
  if (disputed === null && facts.verdict === "FAIL") add("provider_dispute", facts.verdictAt, clock.providerDispute)
  if (disputed !== null) {
    add("mediator_ruling", disputed, clock.mediatorRuling)
    const ruling = facts.fundedAt === null ? undefined : restAt(rules, facts, now).ruling
    add("appeal_filing", ruling?.at, clock.appealFiling)
  }
  if (facts.appealedAt !== null) {
    list.push({ what: "panel_commit", at: panelDeadlines(rules, facts.appealedAt).commitUntil })
    add("panel_ruling", facts.appealedAt, clock.panelRuling)
  }
  return list.sort((a, b) => a.at - b.at)
}

/** What the passage of time alone will do: the default of the state the job rests in. */
const nextOf = (job: Job, standing: Standing, now: UnixSeconds): Assessment["next"] => {
  const { facts, rules } = job
  if (facts.settled !== null || standing.state === "LAPSED") return null
  if (facts.fundedAt === null) return { action: "lapse", at: rules.clock.fundBy + 1 }
  if (standing.outcome !== null) return { action: "settle", at: now }
  const rest = restAt(rules, facts, now)
  const at = Math.min(rest.until + 1, rules.clock.expiry)
  const becomes: Record<string, string> = {
    FUNDED: "refund",
    SUBMITTED: "escalate",
    VERIFIED_PASS: "release",
    VERIFIED_FAIL: "refund",
    DISPUTED: "default_ruling",
    RULED: rest.ruling?.outcome === "RELEASE" ? "release" : "refund",
    APPEALED: "tally",
  }
  return { action: at === rules.clock.expiry && rest.until + 1 > at ? "refund" : (becomes[rest.state] ?? "refund"), at }
}

/** The job at `now` (chain time). */
export const assess = (job: Job, now: UnixSeconds): Assessment => {
  const standing = standingAt(job.rules, job.facts, isAgreed(job), now)
  const { facts } = job
  const open = facts.settled === null && standing.state !== "LAPSED" && standing.decision === null && now < job.rules.clock.expiry
  const can = !open ? [] : facts.fundedAt === null ? beforeFunding(job, now) : whileFunded(job, now)
  if (facts.settled === null && standing.outcome !== null) can.push({ who: "anyone", action: "settle", until: null })
  return { ...standing, deadlines: deadlinesOf(job, now), can, next: nextOf(job, standing, now) }
}
