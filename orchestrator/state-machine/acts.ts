/** Which acts count at a moment, as the table has it. */
import type { UnixSeconds } from "../types.ts"
import { deadlineAt } from "./deadlines.ts"
import type { Facts } from "./facts.ts"
import { GUARDS, type Moment } from "./guards.ts"
import { positionAt, type Rules } from "./position.ts"
import { ACT_ROWS, type ActRow, type DeadlineName, TIME_ROWS } from "./table.ts"

/** The job at a moment, with what guards look at. */
export const momentOf = (rules: Rules, facts: Facts, agreed: boolean, now: UnixSeconds): Moment => ({
  rules,
  facts,
  agreed,
  position: positionAt(rules, facts, agreed, now),
  now,
})

/**
 * The last second at which the row's act counts; null: no deadline. An act that needs an open job counts neither at expiry nor once time has
 * moved or decided it.
 */
export const untilOf = (row: ActRow, { rules, facts, position }: Moment): UnixSeconds | null => {
  const at = (name: DeadlineName): UnixSeconds => deadlineAt(name, rules.clock, position.since, facts.n)
  const ends = row.until === undefined ? [] : [at(row.until)]
  if (row.open) {
    const byTime = TIME_ROWS.find(({ from }) => from === position.state)
    ends.push(at("expiry") - 1, ...(byTime === undefined ? [] : [at(byTime.after)]))
  }
  return ends.length === 0 ? null : Math.min(...ends)
}

/** Why the row does not apply at the moment; null when it does. */
const refusal = (row: ActRow, moment: Moment): string | null => {
  const { facts, position, now } = moment
  if (!row.from.includes(position.state)) return `no ${row.event} in state ${position.state}`
  if (facts.settled !== null) return "the job is settled"
  if (row.open && position.decision !== null) return `decided: ${position.decision}, ${position.cause}`
  const until = untilOf(row, moment)
  if (until !== null && now > until) return `after ${row.until ?? "expiry"}`
  return row.guard === undefined || GUARDS[row.guard](moment) ? null : `not the case: ${row.guard}`
}

/** What of a row the act fixes; what is left out fits every row. */
export type ActKind = Pick<ActRow, "event"> & Partial<Pick<ActRow, "by" | "verdict" | "outcome">>

const fits = (row: ActRow, kind: ActKind): boolean =>
  row.event === kind.event &&
  (kind.by === undefined || row.by === kind.by) &&
  (kind.verdict === undefined || row.verdict === kind.verdict) &&
  (kind.outcome === undefined || row.outcome === kind.outcome)

/** The row by which the act counts at the moment, or the reason why it does not. */
export const rowFor = (kind: ActKind, moment: Moment): ActRow | string => {
  let reason = `no such act: ${kind.event}`
  for (const row of ACT_ROWS) {
    if (!fits(row, kind)) continue
    const why = refusal(row, moment)
    if (why === null) return row
    if (row.from.includes(moment.position.state) || reason.startsWith("no such act")) reason = why
  }
  return reason
}

/** Whether the act counts at `now`. */
export const mayAct = (rules: Rules, facts: Facts, kind: ActKind, now: UnixSeconds): boolean =>
  typeof rowFor(kind, momentOf(rules, facts, true, now)) !== "string"

/** All rows that apply at the moment. */
export const openRows = (moment: Moment): ActRow[] => ACT_ROWS.filter((row) => refusal(row, moment) === null)
