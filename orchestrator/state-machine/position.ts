/**
 * Where a job is at a moment: where its acts have put it, and where time has taken it from there (AFG §4, §9).
 *
 * A window that opens by time opens at the earlier deadline, not when someone noticed. `contracts/Lifecycle.sol` says the same
 * in another hand; a test compares the two.
 */
import type { TermsClock } from "../contract/messages.ts"
import type { UnixSeconds } from "../types.ts"
import { deadlineAt } from "./deadlines.ts"
import { type Facts, votesAgainst } from "./facts.ts"
import { TIME_ROWS, type TimeRow } from "./table.ts"
import { type Cause, type Outcome, opposite, type State } from "./vocabulary.ts"

/** What the lifecycle reads of the Terms. */
export type Rules = { clock: TermsClock; panelSize: number }

/** A step that time made. INCONCLUSIVE is an event in the history, not a place to rest. */
export type TimeStep = { state: State | "INCONCLUSIVE"; at: UnixSeconds }

export type Ruling = { outcome: Outcome; signed: boolean }

export type Position = {
  state: State
  /** When that state was entered. */
  since: UnixSeconds
  /** Final once not null. */
  decision: Outcome | null
  cause: Cause | null
  /** The deadline that decided; null where nothing is decided, or by an act. */
  decidedAt: UnixSeconds | null
  /** What time did since the last act, in order. */
  steps: readonly TimeStep[]
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

/** The ruling that stands in RULED and APPEALED: the mediator's, else the verdict's own direction. */
export const rulingOf = (facts: Facts): Ruling =>
  facts.ruling === null
    ? { outcome: facts.verdict === "PASS" ? "RELEASE" : "REFUND", signed: false }
    : { outcome: facts.ruling, signed: true }

const VERDICT_STATE = { PASS: "VERIFIED_PASS", FAIL: "VERIFIED_FAIL", INCONCLUSIVE: "DISPUTED" } as const

/** Where the latest act has put a funded job. */
const restOf = (facts: Facts): { state: State; since: UnixSeconds } => {
  if (facts.appealedAt !== null) return { state: "APPEALED", since: facts.appealedAt }
  if (facts.ruledAt !== null) return { state: "RULED", since: facts.ruledAt }
  if (facts.disputedAt !== null) return { state: "DISPUTED", since: facts.disputedAt }
  if (facts.verdict !== null && facts.verdictAt !== null) return { state: VERDICT_STATE[facts.verdict], since: facts.verdictAt }
  if (facts.submittedAt !== null) return { state: "SUBMITTED", since: facts.submittedAt }
  return { state: "FUNDED", since: facts.fundedAt ?? 0 }
}

const decide = ({ panelSize }: Rules, facts: Facts, row: TimeRow): { decision: Outcome | null; cause: Cause | null } => {
  const ruling = rulingOf(facts)
  const overturned = 2 * votesAgainst(facts, ruling.outcome) > panelSize
  const byPanel = overturned ? opposite(ruling.outcome) : ruling.outcome
  const byRuling = ruling.signed ? "RULING" : "DEFAULT_RULING"
  return {
    decision: row.decision === "ruling" ? ruling.outcome : row.decision === "panel" ? byPanel : (row.decision ?? null),
    cause: row.cause === "ruling" ? byRuling : (row.cause ?? null),
  }
}

/** Follows the table's time rows from a state until one is not due yet. */
const walk = (rules: Rules, facts: Facts, from: { state: State; since: UnixSeconds }, now: UnixSeconds): Position => {
  let { state, since } = from
  const steps: TimeStep[] = []
  for (;;) {
    const row = TIME_ROWS.find((one) => one.from === state)
    if (row === undefined) return { state, since, decision: null, cause: null, decidedAt: null, steps }
    const deadline = deadlineAt(row.after, rules.clock, since, facts.n)
    if (now <= deadline) return { state, since, decision: null, cause: null, decidedAt: null, steps }
    if (row.to === "same") return { state, since, ...decide(rules, facts, row), decidedAt: deadline, steps }
    if (row.inconclusive) steps.push({ state: "INCONCLUSIVE", at: deadline })
    steps.push({ state: row.to, at: deadline })
    state = row.to
    since = deadline
  }
}

/** Money is on the rail that no Terms govern: never bound, or come after the job lapsed. */
export const isUnbound = (facts: Facts): boolean => facts.fundedAt !== null && (facts.boundAt === null || facts.lapsedAt !== null)

/** Where the job is without regard to settlement and expiry. `agreed`: everyone has signed. */
export const positionAt = (rules: Rules, facts: Facts, agreed: boolean, now: UnixSeconds): Position => {
  if (facts.lapsedAt !== null || isUnbound(facts)) {
    const since = facts.lapsedAt ?? facts.fundedAt ?? 0
    return { state: "LAPSED", since, decision: null, cause: isUnbound(facts) ? "UNBOUND" : "NOT_FUNDED", decidedAt: null, steps: [] }
  }
  if (facts.fundedAt === null && facts.settled === null) {
    const position = walk(rules, facts, { state: agreed || facts.boundAt !== null ? "AGREED" : "DRAFT", since: 0 }, now)
    return position.state === "LAPSED" ? { ...position, cause: "NOT_FUNDED" } : position
  }
  if (facts.concededBy === null || facts.concededAt === null) return walk(rules, facts, restOf(facts), now)
  const where = walk(rules, facts, restOf(facts), facts.concededAt)
  return { ...where, decision: facts.concededBy === "buyer" ? "RELEASE" : "REFUND", cause: "CONCEDED", decidedAt: null }
}

/** State, decision, and what settling would do or did. */
export const standingAt = (rules: Rules, facts: Facts, agreed: boolean, now: UnixSeconds): Standing => {
  const { state, decision, cause } = positionAt(rules, facts, agreed, now)
  if (facts.settled !== null)
    return { state: facts.settled === "RELEASE" ? "RELEASED" : "REFUNDED", decision, outcome: facts.settled, cause: facts.settledCause }
  if (isUnbound(facts)) return { state, decision: null, outcome: "REFUND", cause: "UNBOUND" }
  if (facts.fundedAt === null) return { state, decision: null, outcome: null, cause: state === "LAPSED" ? "NOT_FUNDED" : null }
  if (now < rules.clock.expiry) return { state, decision, outcome: decision, cause }
  return { state, decision, outcome: "REFUND", cause: decision === "REFUND" ? cause : "EXPIRY" }
}
