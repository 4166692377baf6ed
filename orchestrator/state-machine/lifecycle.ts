/**
 * State and decision as pure functions of the agreed clock, the facts and the time (AFG §4, §9).
 *
 * An act at `t <= deadline` counts, a default holds strictly after, every act needs `t < expiry`. A window that opens by
 * time opens at the earlier deadline, not when someone noticed. `contracts/Lifecycle.sol` says the same, written by another hand.
 */
import type { TermsClock } from "../contract/messages.ts"
import type { UnixSeconds } from "../types.ts"
import { type Facts, votesAgainst } from "./facts.ts"
import { type Cause, loserOf, type Outcome, opposite, type Party, type State } from "./vocabulary.ts"

/** What the lifecycle reads of the Terms. */
export type Rules = { clock: TermsClock; panelSize: number }

/** Where a funded job rests, without regard to concession, settlement and expiry. */
export type Rest = {
  state: State
  /** When that state was entered. */
  since: UnixSeconds
  /** Until when (inclusive) nothing is decided; null where only another deadline ends it. */
  until: UnixSeconds
  decision: Outcome | null
  cause: Cause | null
  ruling?: { outcome: Outcome; at: UnixSeconds; signed: boolean }
}

export type Standing = {
  state: State
  /** Final once not null; what bonds follow. */
  decision: Outcome | null
  /** What settling would execute now, or did: the decision, but REFUND at and after `expiry`. */
  outcome: Outcome | null
  /** Of `outcome`; NOT_FUNDED for LAPSED. */
  cause: Cause | null
}

const NEVER: UnixSeconds = Number.MAX_SAFE_INTEGER

/** When the current submission became INCONCLUSIVE: by the fallback's word, or by the window's end. */
export const inconclusiveSince = ({ clock }: Rules, facts: Facts, now: UnixSeconds): UnixSeconds | null => {
  if (facts.verdict === "INCONCLUSIVE") return facts.verdictAt
  if (facts.verdict !== null || facts.submittedAt === null) return null
  const end = facts.submittedAt + clock.verification
  return now > end ? end : null
}

/** When the job came before the mediator, if it did. */
export const disputedSince = (rules: Rules, facts: Facts, now: UnixSeconds): UnixSeconds | null =>
  facts.disputedAt ?? inconclusiveSince(rules, facts, now)

const ended = (state: State, since: UnixSeconds, until: UnixSeconds, now: UnixSeconds, decision: Outcome, cause: Cause): Rest =>
  now > until ? { state, since, until, decision, cause } : { state, since, until, decision: null, cause: null }

/** The ruling that stands: the mediator's, or the default at the end of its window. */
const rulingAt = ({ clock }: Rules, facts: Facts, since: UnixSeconds, now: UnixSeconds): Rest["ruling"] => {
  if (facts.ruling !== null && facts.ruledAt !== null) return { outcome: facts.ruling, at: facts.ruledAt, signed: true }
  const at = since + clock.mediatorRuling
  return now > at ? { outcome: facts.verdict === "PASS" ? "RELEASE" : "REFUND", at, signed: false } : undefined
}

const disputed = (rules: Rules, facts: Facts, since: UnixSeconds, now: UnixSeconds): Rest => {
  const { clock } = rules
  const ruling = rulingAt(rules, facts, since, now)
  if (ruling === undefined) return { state: "DISPUTED", since, until: since + clock.mediatorRuling, decision: null, cause: null }
  if (facts.appealedAt !== null) {
    const overturned = 2 * votesAgainst(facts, ruling.outcome) > rules.panelSize
    const until = facts.appealedAt + clock.panelRuling
    return { ...ended("APPEALED", facts.appealedAt, until, now, overturned ? opposite(ruling.outcome) : ruling.outcome, "PANEL"), ruling }
  }
  const cause = ruling.signed ? "RULING" : "DEFAULT_RULING"
  return { ...ended("RULED", ruling.at, ruling.at + clock.appealFiling, now, ruling.outcome, cause), ruling }
}

/** A funded job without regard to concession, settlement and expiry. */
export const restAt = (rules: Rules, facts: Facts, now: UnixSeconds): Rest => {
  const { clock } = rules
  if (facts.n === 0 || facts.submittedAt === null)
    return ended("FUNDED", facts.fundedAt ?? 0, clock.deliveryBy, now, "REFUND", "NO_SUBMISSION")
  const since = disputedSince(rules, facts, now)
  if (since !== null) return disputed(rules, facts, since, now)
  if (facts.verdict === null || facts.verdictAt === null) {
    const until = facts.submittedAt + clock.verification
    return { state: "SUBMITTED", since: facts.submittedAt, until, decision: null, cause: null }
  }
  const at = facts.verdictAt
  if (facts.verdict === "PASS") return ended("VERIFIED_PASS", at, at + clock.buyerReview, now, "RELEASE", "REVIEW_ELAPSED")
  const disputeEnd = at + clock.providerDispute
  const until = facts.n < clock.maxSubmissions ? Math.max(clock.deliveryBy, disputeEnd) : disputeEnd
  return ended("VERIFIED_FAIL", at, until, now, "REFUND", "FAIL_FINAL")
}

/** Before there is money on the rail. `agreed`: every party has signed, or the Terms are bound. */
const unfunded = ({ clock }: Rules, agreed: boolean, now: UnixSeconds): Standing =>
  now > clock.fundBy
    ? { state: "LAPSED", decision: null, outcome: null, cause: "NOT_FUNDED" }
    : { state: agreed ? "AGREED" : "DRAFT", decision: null, outcome: null, cause: null }

/** State, decision and cause at `now`. `agreed`: all signatures are there. */
export const standingAt = (rules: Rules, facts: Facts, agreed: boolean, now: UnixSeconds): Standing => {
  if (facts.settled !== null) {
    const state = facts.settled === "RELEASE" ? "RELEASED" : "REFUNDED"
    return { state, decision: decisionAt(rules, facts, now), outcome: facts.settled, cause: facts.settledCause }
  }
  if (facts.lapsedAt !== null || (facts.fundedAt !== null && facts.boundAt === null)) {
    return facts.fundedAt === null
      ? { state: "LAPSED", decision: null, outcome: null, cause: "NOT_FUNDED" }
      : { state: "LAPSED", decision: null, outcome: "REFUND", cause: "UNBOUND" }
  }
  if (facts.fundedAt === null) return unfunded(rules, agreed || facts.boundAt !== null, now)
  const rest = restAt(rules, facts, facts.concededAt ?? now)
  const decision = decisionAt(rules, facts, now)
  const cause = facts.concededBy === null ? rest.cause : "CONCEDED"
  if (now < rules.clock.expiry) return { state: rest.state, decision, outcome: decision, cause }
  return { state: rest.state, decision, outcome: "REFUND", cause: decision === "REFUND" ? cause : "EXPIRY" }
}

/** The decision of a bound, funded job; null while there is none. */
const decisionAt = (rules: Rules, facts: Facts, now: UnixSeconds): Outcome | null => {
  if (facts.concededBy !== null) return facts.concededBy === "buyer" ? "RELEASE" : "REFUND"
  if (facts.fundedAt === null || facts.boundAt === null) return null
  return restAt(rules, facts, now).decision
}

/** Whether any act can count at all: bound, funded, not over, not conceded, before expiry. */
const isOpen = ({ clock }: Rules, facts: Facts, now: UnixSeconds): boolean =>
  facts.boundAt !== null &&
  facts.fundedAt !== null &&
  facts.lapsedAt === null &&
  facts.settled === null &&
  facts.concededBy === null &&
  now < clock.expiry

/** Whether submission `n + 1` counts at `now`. */
export const maySubmit = (rules: Rules, facts: Facts, now: UnixSeconds): boolean => {
  if (!isOpen(rules, facts, now) || now > rules.clock.deliveryBy || facts.n >= rules.clock.maxSubmissions) return false
  if (facts.n === 0) return true
  if (facts.disputedAt !== null || facts.verdict === "PASS") return false
  if (facts.verdict === "FAIL") return restAt(rules, facts, now).decision === null
  return restAt(rules, facts, now).state === "DISPUTED"
}

/** Whether that verifier's verdict on the current submission counts at `now`. */
export const mayGiveVerdict = (rules: Rules, facts: Facts, by: "primary" | "fallback", now: UnixSeconds): boolean => {
  if (!isOpen(rules, facts, now) || facts.submittedAt === null || facts.verdict !== null) return false
  if (now > facts.submittedAt + rules.clock.verification) return false
  return by === "primary" ? !facts.primarySpoke : facts.primarySpoke || now > fallbackTurn(rules, facts.submittedAt)
}

/** The end of the first half of the verification window; the fallback's turn comes strictly after. */
export const fallbackTurn = ({ clock }: Rules, submittedAt: UnixSeconds): UnixSeconds => submittedAt + Math.floor(clock.verification / 2)

/** Until when that party may dispute the verdict, or null when it may not. */
export const disputeUntil = (rules: Rules, facts: Facts, by: Party, now: UnixSeconds): UnixSeconds | null => {
  if (!isOpen(rules, facts, now) || facts.disputedAt !== null || facts.verdictAt === null) return null
  const against = facts.verdict === "PASS" ? "buyer" : facts.verdict === "FAIL" ? "provider" : null
  if (against !== by) return null
  const until = facts.verdictAt + (by === "buyer" ? rules.clock.buyerReview : rules.clock.providerDispute)
  return now <= until ? until : null
}

/** Whether the mediator may rule at `now`. */
export const mayRule = (rules: Rules, facts: Facts, now: UnixSeconds): boolean =>
  isOpen(rules, facts, now) && facts.n > 0 && facts.ruling === null && restAt(rules, facts, now).state === "DISPUTED"

/** Until when that party may appeal the ruling, or null when it may not. */
export const appealUntil = (rules: Rules, facts: Facts, by: Party, now: UnixSeconds): UnixSeconds | null => {
  if (!isOpen(rules, facts, now) || facts.n === 0 || facts.appealedAt !== null) return null
  const rest = restAt(rules, facts, now)
  return rest.state === "RULED" && rest.decision === null && rest.ruling !== undefined && loserOf(rest.ruling.outcome) === by
    ? rest.until
    : null
}

/** Whether that party may give in at `now`: until an appeal is filed, while nothing is decided. */
export const mayConcede = (rules: Rules, facts: Facts, by: Party, now: UnixSeconds): boolean =>
  isOpen(rules, facts, now) &&
  facts.appealedAt === null &&
  (by === "provider" || facts.n > 0) &&
  restAt(rules, facts, now).decision === null

/** End of the panel's commit phase, and of its reveal phase. */
export const panelDeadlines = ({ clock }: Rules, appealedAt: UnixSeconds): { commitUntil: UnixSeconds; revealUntil: UnixSeconds } => ({
  commitUntil: appealedAt + Math.floor(clock.panelRuling / 2),
  revealUntil: appealedAt + clock.panelRuling,
})

/** The next moment after `now` at which anything here may change by time alone; null when nothing will. */
export const nextChange = (rules: Rules, facts: Facts, now: UnixSeconds): UnixSeconds | null => {
  const { clock } = rules
  const submitted = facts.submittedAt ?? NEVER
  const verdict = facts.verdictAt ?? NEVER
  const disputed = disputedSince(rules, facts, now) ?? NEVER
  const ruled = facts.ruledAt ?? disputed + clock.mediatorRuling
  const appealed = facts.appealedAt ?? NEVER
  // Acts count up to and including a deadline, so the change comes a second later; expiry itself already refuses.
  const moments = [
    clock.fundBy + 1,
    clock.deliveryBy + 1,
    fallbackTurn(rules, submitted) + 1,
    submitted + clock.verification + 1,
    verdict + clock.buyerReview + 1,
    verdict + clock.providerDispute + 1,
    disputed + clock.mediatorRuling + 1,
    ruled + clock.appealFiling + 1,
    appealed + Math.floor(clock.panelRuling / 2) + 1,
    appealed + clock.panelRuling + 1,
    clock.expiry,
  ].filter((moment) => moment > now && moment < NEVER)
  return moments.length === 0 ? null : Math.min(...moments)
}
