import { type Kysely, sql } from "kysely"

/** The first tables: jobs and their events, what was performed, and what each door must remember. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const statements = [
    `create table afg.jobs (
       job_id text primary key, rail_ref text not null unique, contract_hash text not null, terms_hash text not null, buyer text not null,
       contract text not null, terms text not null, created_at int8 not null)`,
    "create index jobs_by_buyer on afg.jobs (buyer)",
    // Apart from the job, because it changes with every event and every look: a narrow row with few indexes is cheap to write.
    `create table afg.standings (
       job_id text primary key, last_seq int4 not null default 0, wake_at int8, state text not null, open boolean not null) with (fillfactor = 80)`,
    "create index standings_wake on afg.standings (wake_at, job_id) where wake_at is not null",
    `create table afg.events (
       job_id text not null, seq int4 not null, event_key text not null,
       type text not null, body text not null, at int8 not null, block_number int8, block_hash text, orphaned boolean not null default false,
       primary key (job_id, seq), unique (job_id, event_key))`,
    "create index events_by_block on afg.events (block_number) where block_number is not null",
    `create table afg.actions (
       job_id text not null, action_key text not null, status text not null, holder int4 not null, attempts int4 not null, not_before int8 not null,
       code text, message text, result text, updated_at int8 not null, primary key (job_id, action_key))`,
    "create index actions_postponed on afg.actions (not_before) where status in ('running', 'done')",
    "create sequence afg.holders as int4 cycle",
    "create table afg.identity (id text not null)",
    "insert into afg.identity (id) values (replace(gen_random_uuid()::text, '-', ''))",
    `create table afg.confirmations (
       service text not null, request_id text not null, evidence_digest text not null, job_id text not null, idempotency_key text not null,
       keep_until int8 not null, primary key (service, request_id))`,
    `create table afg.confirmation_requests (
       request_id text primary key, job_id text not null, action_digest text not null, request text not null, keep_until int8 not null)`,
    "create table afg.confirmation_outcomes (digest text primary key, outcome text not null, remembered_at int8 not null)",
    `create table afg.confirmation_denials (
       action_digest text not null, service text not null, request_id text not null, denied_at int8 not null, primary key (action_digest, request_id))`,
    "create table afg.request_nonces (address text not null, nonce text not null, keep_until int8 not null, primary key (address, nonce))",
    `create table afg.idempotency_keys (
       address text not null, key text not null, request_hash text not null, status int4, answer text, keep_until int8 not null,
       primary key (address, key))`,
    "create table afg.chain_cursor (chain_id int4 primary key, next_block int8 not null)",
    "create table afg.chain_blocks (chain_id int4 not null, number int8 not null, hash text not null, primary key (chain_id, number))",
    `create table afg.transactions (
       action_key text primary key, chain_id int4 not null, sender text not null, nonce int4 not null, raw text not null, hashes text not null,
       status text not null, gas_used int8, block_hash text, created_at int8 not null, unique (chain_id, sender, nonce))`,
    "create table afg.artifacts (sha256 text primary key, sealed boolean not null, size int8 not null, stored_at int8 not null, owner text not null)",
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
