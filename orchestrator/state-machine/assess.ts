/** What a job is at a moment, for people and agents: state, deadlines, who can do what until when, what comes next. */
import type { UnixSeconds } from "../types.ts"
import { momentOf, openRows, untilOf } from "./acts.ts"
import { deadlineAt } from "./deadlines.ts"
import { type HistoryEntry, isAgreed, type Job, unrecorded } from "./fold.ts"
import type { Moment } from "./guards.ts"
import { type Standing, standingAt } from "./position.ts"
import { ACT_ROWS, type DeadlineName, FIXED_DEADLINES, TIME_ROWS, type TimeRow } from "./table.ts"
import { type SigningRole, type State, TERMINAL_STATES } from "./vocabulary.ts"

export type Deadline = { what: DeadlineName; at: UnixSeconds }
/** `until` is inclusive; null: no deadline of its own. */
export type Can = { who: string; action: string; until: UnixSeconds | null }
/** What time alone will do, and from which second on. `action` is "settle" when anyone may make the outcome real. */
export type Ahead = { action: "lapse" | "refund" | "release" | "escalate" | "default_ruling" | "tally" | "settle"; at: UnixSeconds }

export type Assessment = Standing & {
  deadlines: Deadline[]
  can: Can[]
  /** Null when time will do nothing more. */
  next: Ahead | null
  history: HistoryEntry[]
}

const SIGNERS: readonly SigningRole[] = ["buyer", "provider", "mediator"]

const momentFor = (job: Job, now: UnixSeconds): Moment => momentOf(job.rules, job.facts, isAgreed(job), now)

const unsigned = (job: Job, now: UnixSeconds): Can[] => {
  const { fundBy } = job.rules.clock
  if (job.facts.boundAt !== null || now > fundBy) return []
  return SIGNERS.filter((role) => job.messages.signed[role] === undefined).map((who) => ({ who, action: "sign", until: fundBy }))
}

const canOf = (job: Job, moment: Moment): Can[] => {
  if (job.facts.settled !== null) return []
  if (moment.position.state === "DRAFT") return unsigned(job, moment.now)
  const can = openRows(moment).flatMap((row): Can[] =>
    row.action === null ? [] : [{ who: row.by, action: row.action, until: untilOf(row, moment) }],
  )
  return can.filter((one, index) => can.findIndex((other) => other.who === one.who && other.action === one.action) === index)
}

/** Deadlines of the state's own windows, whoever they are for. */
const namesFor = (state: State): Set<DeadlineName> =>
  new Set<DeadlineName>([
    ...FIXED_DEADLINES,
    ...ACT_ROWS.flatMap((row) => (row.until !== undefined && row.from.includes(state) ? [row.until] : [])),
    ...TIME_ROWS.flatMap((row) => (row.from === state ? [row.after] : [])),
    ...(state === "SUBMITTED" ? (["fallback_turn"] as const) : []),
  ])

const deadlinesOf = ({ rules, facts, position }: Moment): Deadline[] =>
  [...namesFor(position.state)]
    .map((what) => ({ what, at: deadlineAt(what, rules.clock, position.since, facts.n) }))
    .sort((a, b) => a.at - b.at)

const OUTLOOK = { RELEASE: "release", REFUND: "refund", panel: "tally" } as const

const outlook = (row: TimeRow, { facts }: Moment): Ahead["action"] => {
  if (row.to === "LAPSED") return "lapse"
  if (row.to === "DISPUTED") return "escalate"
  if (row.to === "RULED") return "default_ruling"
  if (row.decision === "ruling") return OUTLOOK[facts.ruling ?? (facts.verdict === "PASS" ? "RELEASE" : "REFUND")]
  return row.decision === undefined ? "refund" : OUTLOOK[row.decision]
}

const aheadOf = (moment: Moment, { state, outcome }: Standing): Ahead | null => {
  const { rules, facts, position } = moment
  const { expiry } = rules.clock
  if (facts.settled !== null) return null
  if (outcome !== null) return { action: "settle", at: settleableFrom(moment) }
  const row = TIME_ROWS.find((one) => one.from === state)
  if (row === undefined) return null
  const at = deadlineAt(row.after, rules.clock, position.since, facts.n) + 1
  return facts.fundedAt !== null && expiry < at ? { action: "refund", at: expiry } : { action: outlook(row, moment), at }
}

/** Since when the outcome can be executed. */
const settleableFrom = ({ rules, facts, position }: Moment): UnixSeconds => {
  if (position.state === "LAPSED") return facts.fundedAt ?? 0
  if (position.decision === null) return rules.clock.expiry
  return position.decidedAt === null ? (facts.concededAt ?? 0) : position.decidedAt + 1
}

/** The job at `now` (chain time). */
export const assess = (job: Job, now: UnixSeconds): Assessment => {
  const moment = momentFor(job, now)
  const standing = standingAt(job.rules, job.facts, moment.agreed, now)
  return {
    ...standing,
    deadlines: TERMINAL_STATES.has(standing.state) ? [] : deadlinesOf(moment),
    can: canOf(job, moment),
    next: aheadOf(moment, standing),
    history: [...job.history, ...(job.facts.settled === null ? unrecorded(job.history, moment.position.steps) : [])],
  }
}

/** All moments after `now` at which a window of the present state closes or opens, in order. Nothing changes by time before the first. */
export const momentsAfter = (job: Job, now: UnixSeconds): UnixSeconds[] => {
  if (job.facts.settled !== null) return []
  const moments = deadlinesOf(momentFor(job, now)).map(({ what, at }) => (what === "expiry" ? at : at + 1))
  return moments.filter((at) => at > now)
}
