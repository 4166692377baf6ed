/** The keeper's transactions in the store: kept before they are sent, found again whatever happened meanwhile. */
import { sql } from "kysely"
import type { Connection } from "../../store/index.ts"
import type { Address, Hex, UnixSeconds } from "../../types.ts"

export type TransactionStatus = "prepared" | "mined" | "reverted" | "dropped"

export type KeptTransaction = {
  key: string
  jobId: string
  nonce: number
  /** Signed, the latest last: each replaces the one before at the same nonce. */
  raw: readonly [Hex, ...Hex[]]
  hashes: readonly [Hex, ...Hex[]]
  status: TransactionStatus
}

export type Signer = { chainId: number; address: Address }

type Row = { action_key: string; job_id: string; nonce: number; raw: string; hashes: string; status: TransactionStatus }

const COLUMNS = ["action_key", "job_id", "nonce", "raw", "hashes", "status"] as const

const fromRow = (row: Row): KeptTransaction => ({
  key: row.action_key,
  jobId: row.job_id,
  nonce: row.nonce,
  raw: JSON.parse(row.raw) as [Hex, ...Hex[]],
  hashes: JSON.parse(row.hashes) as [Hex, ...Hex[]],
  status: row.status,
})

export const findTransaction = async (db: Connection, key: string): Promise<KeptTransaction | null> => {
  const row = await db.selectFrom("afg.transactions").select(COLUMNS).where("action_key", "=", key).executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

/** All of this signer's from a nonce on, in order. */
export const transactionsFrom = async (db: Connection, signer: Signer, nonce: number): Promise<KeptTransaction[]> => {
  const rows = await db
    .selectFrom("afg.transactions")
    .select(COLUMNS)
    .where("chain_id", "=", signer.chainId)
    .where("sender", "=", signer.address.toLowerCase())
    .where("nonce", ">=", nonce)
    .orderBy("nonce")
    .execute()
  return rows.map(fromRow)
}

/** Keeps a new transaction. What an earlier attempt under this key did stays, under the key and its nonce. */
export const keepTransaction = (
  db: Connection,
  signer: Signer,
  transaction: { key: string; jobId: string; nonce: number; raw: Hex; hash: Hex; gas: bigint; now: UnixSeconds },
): Promise<void> =>
  db.transaction().execute(async (inside) => {
    await sql`update afg.transactions set action_key = action_key || '~' || nonce where action_key = ${transaction.key}`.execute(inside)
    await inside
      .insertInto("afg.transactions")
      .values({
        action_key: transaction.key,
        chain_id: signer.chainId,
        sender: signer.address.toLowerCase(),
        nonce: transaction.nonce,
        raw: JSON.stringify([transaction.raw]),
        hashes: JSON.stringify([transaction.hash]),
        status: "prepared",
        created_at: transaction.now,
        job_id: transaction.jobId,
        gas_limit: transaction.gas,
      })
      .execute()
  })

/** Adds a replacement at the same nonce. */
export const keepReplacement = async (db: Connection, kept: KeptTransaction, raw: Hex, hash: Hex): Promise<KeptTransaction> => {
  const replaced: KeptTransaction = { ...kept, raw: [...kept.raw, raw], hashes: [...kept.hashes, hash] }
  await db
    .updateTable("afg.transactions")
    .set({ raw: JSON.stringify(replaced.raw), hashes: JSON.stringify(replaced.hashes) })
    .where("action_key", "=", kept.key)
    .execute()
  return replaced
}

export const saveStatus = async (
  db: Connection,
  key: string,
  status: TransactionStatus,
  mined: { gasUsed: bigint; blockHash: Hex } | null = null,
): Promise<void> => {
  await db
    .updateTable("afg.transactions")
    .set({ status, gas_used: mined?.gasUsed ?? null, block_hash: mined?.blockHash ?? null })
    .where("action_key", "=", key)
    .execute()
}

export type GasSpent = { job: bigint; wallet: bigint }

/** Gas spent or set aside for a job, and since `since` for all jobs of its buyer. */
export const gasSpent = async (db: Connection, jobId: string, since: UnixSeconds): Promise<GasSpent> => {
  const { rows } = await sql<{ job: string | number; wallet: string | number }>`
    select
      coalesce(sum(coalesce(sent.gas_used, sent.gas_limit)) filter (where sent.job_id = ${jobId}), 0)::text as job,
      coalesce(sum(coalesce(sent.gas_used, sent.gas_limit)) filter (where sent.created_at >= ${since}), 0)::text as wallet
    from afg.transactions as sent
    where sent.job_id = ${jobId} or sent.job_id in (
      select others.job_id from afg.jobs as others
      join afg.jobs as this on this.buyer = others.buyer where this.job_id = ${jobId})`.execute(db)
  return { job: BigInt(rows[0]?.job ?? 0), wallet: BigInt(rows[0]?.wallet ?? 0) }
}
