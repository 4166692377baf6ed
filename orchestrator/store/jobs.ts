/** Jobs and their events: appended once, folded when needed. */
import { type Kysely, sql, type Transaction } from "kysely"
import type { Terms } from "../contract/messages.ts"
import { eventKey, foldJob, type Job, type JobEvent } from "../state-machine/index.ts"
import type { UnixSeconds } from "../types.ts"
import type { Database } from "./schema.ts"

/** Inside or outside a transaction. */
export type Connection = Kysely<Database> | Transaction<Database>

export const EVENTS_CHANNEL = "afg_events"

export type NewJob = {
  jobId: string
  railRef: string
  contractHash: string
  termsHash: string
  buyer: string
  /** Canonical JSON. */
  contract: string
  createdAt: UnixSeconds
  wakeAt: UnixSeconds
}

export type StoredJob = {
  jobId: string
  railRef: string
  contractHash: string
  termsHash: string
  contract: string
  createdAt: UnixSeconds
}

export type StoredEvent = { seq: number; event: JobEvent }

/** False when a job with this id or rail reference exists. */
export const insertJob = async (db: Connection, job: NewJob): Promise<boolean> => {
  const inserted = await db
    .insertInto("afg.jobs")
    .values({
      job_id: job.jobId,
      rail_ref: job.railRef,
      contract_hash: job.contractHash,
      terms_hash: job.termsHash,
      buyer: job.buyer.toLowerCase(),
      contract: job.contract,
      created_at: job.createdAt,
      wake_at: job.wakeAt,
      state: "DRAFT",
      open: true,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("job_id")
    .execute()
  return inserted.length === 1
}

const toStored = (row: {
  job_id: string
  rail_ref: string
  contract_hash: string
  terms_hash: string
  contract: string
  created_at: string | number | bigint
}): StoredJob => ({
  jobId: row.job_id,
  railRef: row.rail_ref,
  contractHash: row.contract_hash,
  termsHash: row.terms_hash,
  contract: row.contract,
  createdAt: Number(row.created_at),
})

export const findJob = async (db: Connection, jobId: string): Promise<StoredJob | null> => {
  const row = await db.selectFrom("afg.jobs").selectAll().where("job_id", "=", jobId).executeTakeFirst()
  return row === undefined ? null : toStored(row)
}

export const findJobByRef = async (db: Connection, railRef: string): Promise<StoredJob | null> => {
  const row = await db.selectFrom("afg.jobs").selectAll().where("rail_ref", "=", railRef).executeTakeFirst()
  return row === undefined ? null : toStored(row)
}

export const countOpenJobs = async (db: Connection, buyer: string): Promise<number> => {
  const row = await db
    .selectFrom("afg.jobs")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("buyer", "=", buyer.toLowerCase())
    .where("open", "=", true)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/**
 * Appends events to one job's history, each once, in order. Answers those that were new. An event whose block was orphaned and is canonical
 * again counts as new.
 */
export const appendEvents = async (db: Connection, jobId: string, events: readonly JobEvent[]): Promise<JobEvent[]> => {
  if (events.length === 0) return []
  const rows = events.map((event) => ({
    key: eventKey(event),
    type: event.type,
    body: JSON.stringify(event),
    at: event.at,
    block: event.source === "chain" ? event.position.block : null,
    hash: event.source === "chain" ? event.position.blockHash : null,
  }))
  const { rows: fresh } = await sql<{ event_key: string }>`
    with numbered as (
      update afg.jobs set last_seq = last_seq + ${events.length} where job_id = ${jobId} returning last_seq
    ), appended as (
      insert into afg.events (job_id, seq, event_key, type, body, at, block_number, block_hash)
      select ${jobId}, numbered.last_seq - ${events.length} + one.position::int4, one.key, one.type, one.body, one.at, one.block, one.hash
      from numbered, unnest(
        ${rows.map((row) => row.key)}::text[], ${rows.map((row) => row.type)}::text[], ${rows.map((row) => row.body)}::text[],
        ${rows.map((row) => row.at)}::int8[], ${rows.map((row) => row.block)}::int8[], ${rows.map((row) => row.hash)}::text[]
      ) with ordinality as one (key, type, body, at, block, hash, position)
      on conflict (job_id, event_key) do update set orphaned = false, seq = excluded.seq where afg.events.orphaned
      returning event_key
    )
    select event_key, pg_notify(${EVENTS_CHANNEL}, ${jobId}) from appended`.execute(db)
  const keys = new Set(fresh.map(({ event_key }) => event_key))
  return events.filter((event) => keys.has(eventKey(event)))
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
  return {
    job: foldJob(
      terms,
      events.map(({ event }) => event),
    ),
    cursor: events.at(-1)?.seq ?? 0,
  }
}

/** Sets aside the events of blocks from `fromBlock` on: the chain was reorganised. Answers the jobs concerned. */
export const orphanFrom = async (db: Connection, fromBlock: number): Promise<string[]> => {
  const rows = await db
    .updateTable("afg.events")
    .set({ orphaned: true })
    .where("block_number", ">=", fromBlock)
    .where("orphaned", "=", false)
    .returning("job_id")
    .execute()
  return [...new Set(rows.map(({ job_id }) => job_id))]
}

/** What the last reconcile found: for lists, and for the sweep. */
export const saveProjection = async (
  db: Connection,
  jobId: string,
  projection: { state: string; open: boolean; wakeAt: UnixSeconds | null },
): Promise<void> => {
  await db
    .updateTable("afg.jobs")
    .set({ state: projection.state, open: projection.open, wake_at: projection.wakeAt })
    .where("job_id", "=", jobId)
    .execute()
}

/** Jobs to look at by `now` (chain time), the longest overdue first. */
export const dueJobs = async (db: Connection, now: UnixSeconds, limit: number): Promise<string[]> => {
  const rows = await db.selectFrom("afg.jobs").select("job_id").where("wake_at", "<=", now).orderBy("wake_at").limit(limit).execute()
  return rows.map(({ job_id }) => job_id)
}

/** Every job that is not over. */
export const openJobs = async (db: Connection): Promise<string[]> => {
  const rows = await db.selectFrom("afg.jobs").select("job_id").where("open", "=", true).execute()
  return rows.map(({ job_id }) => job_id)
}
