/** The tables, as Kysely sees them. Ours live in schema `afg`; BullMQ's PostgreSQL backend has a schema of its own. */
import type { ColumnType, Generated } from "kysely"

/** int8: written as number or bigint; read as text by pg, as number by PGlite. Convert with `Number`. */
type Int8 = ColumnType<string | number | bigint, number | bigint, number | bigint>

type Jobs = {
  job_id: string
  /** Reference on the rail, `0x` + 64 hex: how chain logs find their job. */
  rail_ref: string
  contract_hash: string
  terms_hash: string
  buyer: string
  /** The contract's canonical JSON, signatures included. */
  contract: string
  /** What follows from the contract, as JSON: see `terms-json.ts`. */
  terms: string
  created_at: Int8
}

/** Where a job stands: changes with every event and every look. */
type Standings = {
  job_id: string
  /** The latest `seq` given out. Grows with every change of the history, a lost event included. */
  last_seq: Generated<number>
  /** Chain time at which to look again; 0: now, something changed; null: nothing will change by time. */
  wake_at: Int8 | null
  /** Projection of the fold at the last look, for lists and counts; never read to decide. */
  state: string
  open: boolean
}

type Events = {
  job_id: string
  /** Position in the job's history: the cursor of its stream. */
  seq: number
  /** What makes it the same event: see `eventKey`. */
  event_key: string
  type: string
  body: string
  at: Int8
  block_number: Int8 | null
  block_hash: string | null
  orphaned: Generated<boolean>
}

type Actions = {
  job_id: string
  action_key: string
  /** `failed` is tried again, `refused` is not. */
  status: "running" | "done" | "failed" | "refused"
  /** The process that took it; see `session.ts`. */
  holder: number
  attempts: number
  /** Unix milliseconds until which its performer may be presumed alive, or before which it is not tried again. */
  not_before: Int8
  code: string | null
  message: string | null
  result: string | null
  updated_at: Int8
}

type Confirmations = {
  service: string
  request_id: string
  evidence_digest: string
  job_id: string
  idempotency_key: string
  keep_until: Int8
}

type ConfirmationRequests = { request_id: string; job_id: string; action_digest: string; request: string; keep_until: Int8 }

type ConfirmationOutcomes = { digest: string; outcome: string; remembered_at: Int8 }

type ConfirmationDenials = { action_digest: string; service: string; request_id: string; denied_at: Int8 }

type RequestNonces = { address: string; nonce: string; keep_until: Int8 }

type IdempotencyKeys = {
  address: string
  key: string
  request_hash: string
  status: number | null
  answer: string | null
  keep_until: Int8
}

type ChainCursor = { chain_id: number; next_block: Int8 }

type ChainBlocks = { chain_id: number; number: Int8; hash: string }

type Transactions = {
  action_key: string
  chain_id: number
  sender: string
  nonce: number
  /** Signed raw transactions, the latest last: a replacement keeps the nonce. */
  raw: string
  hashes: string
  status: "prepared" | "mined" | "reverted" | "dropped"
  gas_used: Int8 | null
  block_hash: string | null
  created_at: Int8
  job_id: string
  gas_limit: Int8
}

type ChainUnclaimed = {
  chain_id: number
  rail_ref: string
  event_key: string
  block_number: Int8
  terms_hash: string | null
  body: string
}

type Artifacts = { sha256: string; sealed: boolean; size: Int8; stored_at: Int8; owner: string }

export type Database = {
  "afg.jobs": Jobs
  "afg.standings": Standings
  "afg.events": Events
  "afg.actions": Actions
  "afg.confirmations": Confirmations
  "afg.confirmation_requests": ConfirmationRequests
  "afg.confirmation_outcomes": ConfirmationOutcomes
  "afg.confirmation_denials": ConfirmationDenials
  "afg.request_nonces": RequestNonces
  "afg.idempotency_keys": IdempotencyKeys
  "afg.chain_cursor": ChainCursor
  "afg.chain_blocks": ChainBlocks
  "afg.chain_unclaimed": ChainUnclaimed
  "afg.transactions": Transactions
  "afg.artifacts": Artifacts
}
