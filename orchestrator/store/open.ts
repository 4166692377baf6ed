/** Opens the database: PGlite in one data directory, or PostgreSQL by URL. Everything above this file is the same for both. */
import { type Kysely, sql } from "kysely"
import type pg from "pg"
import type { EventSignal } from "./changes.ts"
import { openEmbedded } from "./embedded.ts"
import { PGlitePool } from "./pglite-pool.ts"
import type { Database } from "./schema.ts"
import { openServer } from "./server.ts"

export type StoreOptions = {
  /** Holds the embedded database; also what is locked for this process. */
  dataDir: string
  /** postgres://…; without it the store is embedded. */
  databaseUrl?: string | undefined
  /** Connections of a PostgreSQL pool. Default 10. */
  connections?: number
}

/** A pool in `pg`'s shape, for BullMQ's PostgreSQL backend. */
export type SharedPool = pg.Pool | PGlitePool

/** Whether the pool's database is open in this process alone. */
export const isEmbedded = (pool: SharedPool): boolean => pool instanceof PGlitePool

/** What either kind of database brings. */
export type OpenDatabase = {
  kind: "pglite" | "postgres"
  db: Kysely<Database>
  /** Without the rules of `transactions.ts`: for the store itself. */
  plain: Kysely<Database>
  /** Connections whose search_path is BullMQ's schema. */
  queuePool: SharedPool
  signal: EventSignal
  /** SQL of a subquery: holders whose process lives. */
  liveHolders: (holder: number) => string
  /** From here on this process counts as alive. Answers how to end it. */
  openSession: (holder: number) => Promise<() => Promise<void>>
  alone: OpenStore["alone"]
  close: () => Promise<void>
}

export type OpenStore = {
  kind: OpenDatabase["kind"]
  db: Kysely<Database>
  queuePool: SharedPool
  signal: EventSignal
  /** Random, made with the tables: tells stores apart that share a queue server. */
  id: string
  /** This process among those that have the store open: what it takes is free again when it dies. */
  holder: number
  /** Frees what dead processes were doing. Answers the jobs concerned; they are due. */
  releaseDead: (nowMs: number) => Promise<string[]>
  /** Runs `work` unless another process is running work of this name; then null. */
  alone: <T>(name: string, work: () => Promise<T>) => Promise<T | null>
  close: () => Promise<void>
}

/** Throws `store-in-use`, `store-unavailable` or `store-newer`. */
export const openDatabase = async (options: StoreOptions): Promise<OpenStore> => {
  const { kind, db, plain, queuePool, signal, liveHolders, openSession, alone, close } =
    options.databaseUrl === undefined
      ? await openEmbedded(options.dataDir)
      : await openServer(options.databaseUrl, options.connections ?? 10)
  try {
    const { rows } = await sql<{ holder: string | number; id: string }>`
      select nextval('afg.holders') as holder, id from afg.identity`.execute(plain)
    const [row] = rows
    if (row === undefined) throw new Error("the store has no identity")
    const holder = Number(row.holder)
    const endSession = await openSession(holder)
    let closing: Promise<void> | undefined
    return {
      kind,
      db,
      queuePool,
      signal,
      alone,
      id: row.id,
      holder,
      releaseDead: async (nowMs) => {
        const freed = await sql<{ job_id: string }>`
          with freed as (
            update afg.actions set not_before = 0
            where status in ('running', 'done') and not_before > ${nowMs} and holder not in (${sql.raw(liveHolders(holder))})
            returning job_id
          )
          update afg.standings set wake_at = 0 where job_id in (select job_id from freed) returning job_id`.execute(db)
        return freed.rows.map(({ job_id }) => job_id)
      },
      close: () => {
        closing ??= endSession().then(close)
        return closing
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
