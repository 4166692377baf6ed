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
import { readEventsOf } from "./events.ts"
import { decodeTerms } from "./terms-json.ts"
import type { Connection } from "./transactions.ts"

/** When an action may be tried again. */
export type ActionState = { refused: boolean; notBefore: number }

/** A job as a look needs it. `lastSeq` names the history it was loaded with. */
export type DueJob = { jobId: string; terms: Terms; lastSeq: number; events: JobEvent[]; actions: ReadonlyMap<string, ActionState> }

/** What a look found: for lists, and for the sweep. */
export type Projection = { jobId: string; lastSeq: number; state: string; open: boolean; wakeAt: UnixSeconds | null }

/** A due job and its place in the order of due jobs. */
export type DuePlace = { jobId: string; wakeAt: UnixSeconds }

/** Jobs to look at by `now` (chain time), the longest overdue first: the first `limit`, or those that come after a place. */
export const dueJobs = async (db: Connection, now: UnixSeconds, limit: number, after: DuePlace | null = null): Promise<DuePlace[]> => {
  const { wakeAt, jobId } = after ?? { wakeAt: -1, jobId: "" }
  const { rows } = await sql<{ job_id: string; wake_at: string | number }>`
    select job_id, wake_at from afg.jobs where wake_at <= ${now} and (wake_at, job_id) > (${wakeAt}::int8, ${jobId}::text)
    order by wake_at, job_id limit ${limit}`.execute(db)
  return rows.map(({ job_id, wake_at }) => ({ jobId: job_id, wakeAt: Number(wake_at) }))
}

/** Looks are wanted although no event came. */
export const markDue = async (db: Connection, jobIds: readonly string[]): Promise<void> => {
  await sql`update afg.jobs set wake_at = 0 where job_id = any(${jobIds}::text[])`.execute(db)
}

/** Every job that is not over is to be looked at. Answers how many. */
export const markOpenDue = async (db: Connection): Promise<number> => {
  const { numAffectedRows } = await sql`update afg.jobs set wake_at = 0 where open`.execute(db)
  return Number(numAffectedRows ?? 0)
}

const readActions = async (db: Connection, jobIds: readonly string[]): Promise<Map<string, Map<string, ActionState>>> => {
  const { rows } = await sql<{ job_id: string; action_key: string; status: string; not_before: string | number }>`
    select job_id, action_key, status, not_before from afg.actions where job_id = any(${jobIds}::text[])`.execute(db)
  const actions = new Map<string, Map<string, ActionState>>(jobIds.map((jobId) => [jobId, new Map()]))
  for (const row of rows)
    actions.get(row.job_id)?.set(row.action_key, { refused: row.status === "refused", notBefore: Number(row.not_before) })
  return actions
}

/** Of these jobs, the ones that are due by `now`. */
export const loadDue = async (db: Connection, jobIds: readonly string[], now: UnixSeconds): Promise<DueJob[]> => {
  // The jobs first: an event that comes in between belongs to a later history than the look will name.
  const { rows } = await sql<{ job_id: string; terms: string; last_seq: number }>`
    select job_id, terms, last_seq from afg.jobs where job_id = any(${jobIds}::text[]) and wake_at <= ${now}`.execute(db)
  if (rows.length === 0) return []
  const due = rows.map(({ job_id }) => job_id)
  const actions = await readActions(db, due)
  const events = await readEventsOf(db, due)
  return rows.map(({ job_id, terms, last_seq }) => ({
    jobId: job_id,
    terms: decodeTerms(terms),
    lastSeq: last_seq,
    events: events.get(job_id) ?? [],
    actions: actions.get(job_id) ?? new Map(),
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
      select jobs.job_id from afg.jobs as jobs join found on found.job_id = jobs.job_id and found.last_seq = jobs.last_seq
      for update of jobs skip locked
    )
    update afg.jobs as jobs set state = found.state, open = found.open, wake_at = found.wake_at
    from found join mine on mine.job_id = found.job_id
    where jobs.job_id = found.job_id
    returning jobs.job_id`.execute(db)
  return new Set(rows.map(({ job_id }) => job_id))
}
