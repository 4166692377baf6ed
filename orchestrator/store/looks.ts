/**
 * Which jobs are to be looked at, and what a look leaves behind.
 *
 * `wake_at` is the truth about when to look: a moment of chain time, or 0 since something changed. Whoever changes a job's history sets it to 0 in the
 * same statement; a look replaces it only while the history is the one it looked at. So no change can be missed, whatever dies when.
 */
import { sql } from "kysely"
import type { Terms } from "../contract/messages.ts"
import type { JobEvent } from "../state-machine/index.ts"
import type { UnixSeconds } from "../types.ts"
import { decodeTerms } from "./terms-json.ts"
import type { Connection } from "./transactions.ts"

/** When an action may be tried again. */
export type ActionState = { refused: boolean; notBefore: number }

/** A job as a look needs it. `lastSeq` names the history it was loaded with. */
export type DueJob = { jobId: string; terms: Terms; lastSeq: number; events: JobEvent[]; actions: ReadonlyMap<string, ActionState> }

/** What a look found: for lists, and for the sweep. A state of null: as it was. */
export type Projection = { jobId: string; lastSeq: number; state: string | null; open: boolean; wakeAt: UnixSeconds | null }

/** A due job and its place in the order of due jobs. */
export type DuePlace = { jobId: string; wakeAt: UnixSeconds }

/** Jobs to look at by `now` (chain time), the longest overdue first: the first `limit`, or those that come after a place. */
export const dueJobs = async (db: Connection, now: UnixSeconds, limit: number, after: DuePlace | null = null): Promise<DuePlace[]> => {
  const { wakeAt, jobId } = after ?? { wakeAt: -1, jobId: "" }
  const { rows } = await sql<{ job_id: string; wake_at: string | number }>`
    select job_id, wake_at from afg.standings where wake_at <= ${now} and (wake_at, job_id) > (${wakeAt}::int8, ${jobId}::text)
    order by wake_at, job_id limit ${limit}`.execute(db)
  return rows.map(({ job_id, wake_at }) => ({ jobId: job_id, wakeAt: Number(wake_at) }))
}

/** Looks are wanted although no event came. */
export const markDue = async (db: Connection, jobIds: readonly string[]): Promise<void> => {
  await sql`update afg.standings set wake_at = 0 where job_id = any(${jobIds}::text[])`.execute(db)
}

/** Every job that is not over is to be looked at. Answers how many. */
export const markOpenDue = async (db: Connection): Promise<number> => {
  const { numAffectedRows } = await sql`update afg.standings set wake_at = 0 where open`.execute(db)
  return Number(numAffectedRows ?? 0)
}

type DueRow = { job_id: string; terms: string; last_seq: number; events: string | null; actions: string | null }

type ActionRow = readonly [key: string, status: string, notBefore: number]

/** Of these jobs, the ones that are due by `now`, each with its canonical events in order: one statement, so all of one moment. */
export const loadDue = async (db: Connection, jobIds: readonly string[], now: UnixSeconds): Promise<DueJob[]> => {
  const { rows } = await sql<DueRow>`
    select job_id, terms, last_seq,
      (select string_agg(body, ',' order by seq) from afg.events where events.job_id = jobs.job_id and not orphaned) as events,
      (select json_agg(json_build_array(action_key, status, not_before))::text from afg.actions where actions.job_id = jobs.job_id) as actions
    from afg.standings join afg.jobs using (job_id) where job_id = any(${jobIds}::text[]) and wake_at <= ${now}`.execute(db)
  return rows.map(({ job_id, terms, last_seq, events, actions }) => ({
    jobId: job_id,
    terms: decodeTerms(terms),
    lastSeq: last_seq,
    events: JSON.parse(`[${events ?? ""}]`) as JobEvent[],
    actions: new Map(
      (JSON.parse(actions ?? "[]") as ActionRow[]).map(([key, status, notBefore]) => [key, { refused: status === "refused", notBefore }]),
    ),
  }))
}

/**
 * Stores what looks found, in one statement. Answers the jobs that it was stored for; the history of the others changed meanwhile or is just being
 * changed, so they stay due. Rows that someone has locked are skipped rather than waited for: two who lock several jobs each must not wait for each other.
 */
export const saveProjections = async (db: Connection, found: readonly Projection[]): Promise<Set<string>> => {
  const column = <K extends keyof Projection>(name: K) => found.map((one) => one[name])
  const { rows } = await sql<{ job_id: string }>`
    with found as (
      select * from unnest(
        ${column("jobId")}::text[], ${column("lastSeq")}::int4[], ${column("state")}::text[], ${column("open")}::bool[], ${column("wakeAt")}::int8[]
      ) as one (job_id, last_seq, state, open, wake_at)
    ), mine as (
      select standings.job_id from afg.standings join found on found.job_id = standings.job_id and found.last_seq = standings.last_seq
      for update of standings skip locked
    )
    update afg.standings set state = coalesce(found.state, standings.state), open = found.open, wake_at = found.wake_at
    from found join mine on mine.job_id = found.job_id
    where standings.job_id = found.job_id
    returning standings.job_id`.execute(db)
  return new Set(rows.map(({ job_id }) => job_id))
}
