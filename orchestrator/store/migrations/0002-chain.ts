import { type Kysely, sql } from "kysely"

/** What the chain's edge keeps besides: logs that name no job of ours yet, and on whose account the keeper spent gas. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const statements = [
    `create table afg.chain_unclaimed (
       chain_id int4 not null, rail_ref text not null, event_key text not null, block_number int8 not null, terms_hash text, body text not null,
       primary key (chain_id, rail_ref, event_key))`,
    "create index chain_unclaimed_by_block on afg.chain_unclaimed (chain_id, block_number)",
    "alter table afg.transactions add column job_id text not null default ''",
    "alter table afg.transactions add column gas_limit int8 not null default 0",
    "create index transactions_by_job on afg.transactions (job_id)",
    "create index transactions_open on afg.transactions (chain_id, sender, nonce) where status = 'prepared'",
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
