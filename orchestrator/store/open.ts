/**
 * Opens the store: PGlite in one data directory, or PostgreSQL by URL. Everything above this file is the same for both.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Kysely, PostgresDialect, sql } from "kysely"
import pg from "pg"
import { AfgError } from "../errors.ts"
import { lockDirectory } from "./directory-lock.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import { PGlitePool } from "./pglite-pool.ts"
import type { Database } from "./schema.ts"

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

export type OpenStore = {
  kind: "pglite" | "postgres"
  db: Kysely<Database>
  /** Connections whose search_path is BullMQ's schema. */
  queuePool: SharedPool
  close: () => Promise<void>
}

/** One lock for everyone who migrates the same database at once ("AFG!" in ASCII). */
const MIGRATION_LOCK = 0x41464721

/** BullMQ writes unqualified names; ours are always qualified. */
const QUEUE_SEARCH_PATH = "bullmq, public"

/** Brings the schema up to date: one transaction per migration, serialized across processes. */
export const migrate = async (db: Kysely<Database>): Promise<void> => {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction)
    await sql`create schema if not exists afg`.execute(transaction)
    await sql`create table if not exists afg.migrations (name text primary key)`.execute(transaction)
    const { rows } = await sql<{ name: string }>`select name from afg.migrations`.execute(transaction)
    const applied = new Set(rows.map(({ name }) => name))
    for (const { name, up } of MIGRATIONS) {
      if (applied.has(name)) continue
      await up(transaction as unknown as Kysely<unknown>)
      await sql`insert into afg.migrations (name) values (${name})`.execute(transaction)
    }
  })
}

const openEmbedded = async (dataDir: string): Promise<OpenStore> => {
  mkdirSync(dataDir, { recursive: true })
  const lock = await lockDirectory(dataDir)
  try {
    const pglite = await PGlite.create(join(dataDir, "pglite"))
    await pglite.exec(`create schema if not exists bullmq; set search_path to ${QUEUE_SEARCH_PATH}`)
    const pool = new PGlitePool(pglite)
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
    return {
      kind: "pglite",
      db,
      queuePool: pool,
      close: async () => {
        await db.destroy()
        await pglite.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

const openServer = async (url: string, connections: number): Promise<OpenStore> => {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  const queuePool = new pg.Pool({
    connectionString: url,
    // Each worker keeps one connection for LISTEN.
    max: connections + 4,
    keepAlive: true,
    options: `-c search_path=${QUEUE_SEARCH_PATH.replaceAll(" ", "")}`,
  })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  for (const one of [pool, queuePool]) one.on("error", () => undefined)
  try {
    await pool.query("select 1")
  } catch (cause) {
    await Promise.all([pool.end(), queuePool.end()])
    throw new AfgError("store-unavailable", `the database does not answer: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  return {
    kind: "postgres",
    db,
    queuePool,
    close: async () => {
      await db.destroy()
      await queuePool.end()
    },
  }
}

/** Throws `store-in-use` or `store-unavailable`. */
export const openDatabase = async (options: StoreOptions): Promise<OpenStore> => {
  const store =
    options.databaseUrl === undefined
      ? await openEmbedded(options.dataDir)
      : await openServer(options.databaseUrl, options.connections ?? 10)
  try {
    await migrate(store.db)
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}
