/** Events: appended once, in order; never edited. A reorganisation only sets some aside. */
import { sql } from "kysely"
import type { Terms } from "../contract/messages.ts"
import { AfgError } from "../errors.ts"
import { failpoint } from "../failpoints.ts"
import { type ChainPosition, eventKey, foldJob, type Job, type JobEvent } from "../state-machine/index.ts"
import { type Connection, noteChange } from "./transactions.ts"

export type StoredEvent = { seq: number; event: JobEvent }

/** SQLSTATE that `afg.append_events` raises for a job that is not there. */
const NO_SUCH_JOB = "AFG01"

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && "code" in error && error.code === code

const blockOf = (event: JobEvent): ChainPosition | null => (event.source === "chain" ? event.position : null)

/**
 * Appends events to one job's history, each once, in order, and marks the job as due, in one statement. Answers those that were new. An event
 * whose block was orphaned and is canonical again counts as new. Throws `job-unknown`.
 */
export const appendEvents = async (db: Connection, jobId: string, events: readonly JobEvent[]): Promise<JobEvent[]> => {
  if (events.length === 0) return []
  const byKey = new Map<string, JobEvent>()
  for (const event of events) {
    const key = eventKey(event)
    if (!byKey.has(key)) byKey.set(key, event)
  }
  const column = <T>(of: (event: JobEvent) => T): T[] => [...byKey.values()].map(of)
  failpoint("store.appending")
  let fresh: { event_key: string }[]
  try {
    const result = await sql<{ event_key: string }>`select afg.append_events(
      ${jobId}, ${[...byKey.keys()]}, ${column(({ type }) => type)}, ${column((event) => JSON.stringify(event))}, ${column(({ at }) => at)},
      ${column((event) => blockOf(event)?.block ?? null)}, ${column((event) => blockOf(event)?.blockHash ?? null)}
    ) as event_key`.execute(db)
    fresh = result.rows
  } catch (cause) {
    if (hasCode(cause, NO_SUCH_JOB)) throw new AfgError("job-unknown", `there is no job ${jobId}`, { cause })
    throw cause
  }
  failpoint("store.appended")
  const keys = new Set(fresh.map(({ event_key }) => event_key))
  if (keys.size > 0) noteChange(db, [jobId])
  return [...byKey].filter(([key]) => keys.has(key)).map(([, event]) => event)
}

/** The job's canonical events after `afterSeq`, in order. */
export const readEvents = async (db: Connection, jobId: string, afterSeq = 0): Promise<StoredEvent[]> => {
  const rows = await db
    .selectFrom("afg.events")
    .select(["seq", "body"])
    .where("job_id", "=", jobId)
    .where("seq", ">", afterSeq)
    .where("orphaned", "=", false)
    .orderBy("seq")
    .execute()
  return rows.map(({ seq, body }) => ({ seq, event: JSON.parse(body) as JobEvent }))
}

/** The job as its events make it, with the position of the last one. */
export const loadJob = async (db: Connection, jobId: string, terms: Terms): Promise<{ job: Job; cursor: number }> => {
  const events = await readEvents(db, jobId)
  const job = foldJob(
    terms,
    events.map(({ event }) => event),
  )
  return { job, cursor: events.at(-1)?.seq ?? 0 }
}

/**
 * Sets aside the events of blocks from `fromBlock` on: the chain was reorganised. The jobs concerned are due, and what was done for them may be done
 * again: its effect may be gone. Answers these jobs.
 */
export const orphanFrom = async (db: Connection, fromBlock: number): Promise<string[]> => {
  const { rows } = await sql<{ job_id: string }>`
    with lost as (
      update afg.events set orphaned = true where block_number >= ${fromBlock} and not orphaned returning job_id
    ), concerned as (
      update afg.standings set last_seq = last_seq + 1, wake_at = 0 where job_id in (select job_id from lost) returning job_id
    ), again as (
      update afg.actions set not_before = 0 where status = 'done' and job_id in (select job_id from lost)
    )
    select job_id from concerned`.execute(db)
  const jobIds = rows.map(({ job_id }) => job_id)
  if (jobIds.length > 0) noteChange(db, jobIds)
  return jobIds
}
