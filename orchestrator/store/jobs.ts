/** Jobs: what was posted, and where each stands as far as lists and the sweep need to know. */
import { sql } from "kysely"
import { type Contract, parseContract, termsOf } from "../contract/index.ts"
import type { Terms } from "../contract/messages.ts"
import type { UnixSeconds } from "../types.ts"
import { encodeTerms } from "./terms-json.ts"
import type { Connection } from "./transactions.ts"

export type NewJob = {
  jobId: string
  railRef: string
  contractHash: string
  termsHash: string
  buyer: string
  /** Canonical JSON. */
  contract: string
  /** What follows from the contract; derived from it when not given. */
  terms?: Terms
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

const encoder = new TextEncoder()

/** The contract of a stored job. */
export const contractOf = (text: string): Contract => parseContract(encoder.encode(text))

/** False when a job with this id or rail reference exists. */
export const insertJob = async (db: Connection, job: NewJob): Promise<boolean> => {
  const terms = encodeTerms(job.terms ?? termsOf(contractOf(job.contract)))
  const { rows } = await sql`
    with inserted as (
      insert into afg.jobs (job_id, rail_ref, contract_hash, terms_hash, buyer, contract, terms, created_at)
      values (${job.jobId}, ${job.railRef}, ${job.contractHash}, ${job.termsHash}, ${job.buyer.toLowerCase()}, ${job.contract}, ${terms},
        ${job.createdAt})
      on conflict do nothing returning job_id
    )
    insert into afg.standings (job_id, wake_at, state, open) select job_id, ${job.wakeAt}::int8, 'DRAFT', true from inserted
    returning job_id`.execute(db)
  return rows.length === 1
}

const COLUMNS = ["job_id", "rail_ref", "contract_hash", "terms_hash", "contract", "created_at"] as const

type Row = {
  job_id: string
  rail_ref: string
  contract_hash: string
  terms_hash: string
  contract: string
  created_at: string | number | bigint
}

const toStored = (row: Row): StoredJob => ({
  jobId: row.job_id,
  railRef: row.rail_ref,
  contractHash: row.contract_hash,
  termsHash: row.terms_hash,
  contract: row.contract,
  createdAt: Number(row.created_at),
})

export const findJob = async (db: Connection, jobId: string): Promise<StoredJob | null> => {
  const row = await db.selectFrom("afg.jobs").select(COLUMNS).where("job_id", "=", jobId).executeTakeFirst()
  return row === undefined ? null : toStored(row)
}

export const findJobByRef = async (db: Connection, railRef: string): Promise<StoredJob | null> => {
  const row = await db.selectFrom("afg.jobs").select(COLUMNS).where("rail_ref", "=", railRef).executeTakeFirst()
  return row === undefined ? null : toStored(row)
}

/** How many of this buyer's jobs are not over. */
export const countOpenJobs = async (db: Connection, buyer: string): Promise<number> => {
  const { rows } = await sql<{ count: string | number }>`
    select count(*) as count from afg.jobs join afg.standings using (job_id) where buyer = ${buyer.toLowerCase()} and open`.execute(db)
  return Number(rows[0]?.count)
}
