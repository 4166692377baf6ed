/** The database as a PostgreSQL server, for any number of processes. */
import { Kysely, PostgresDialect, sql } from "kysely"
import pg from "pg"
import { AfgError } from "../errors.ts"
import { createChanges } from "./changes.ts"
import { migrate } from "./migrate.ts"
import type { OpenDatabase } from "./open.ts"
import type { Database } from "./schema.ts"
import { LIVE_HOLDERS, openSession, type Session } from "./session.ts"
import { guarded } from "./transactions.ts"

const CONNECT_MS = 5_000

/** Connections besides those that statements share: one each for our session and for the LISTEN of every BullMQ worker. */
const LISTENERS = 4

/** BullMQ writes unqualified names; ours are always qualified. No blank: options are split there. */
const QUEUE_SEARCH_PATH = "bullmq,public"

const unavailable = (cause: unknown): AfgError =>
  new AfgError("store-unavailable", `the database does not answer: ${cause instanceof Error ? cause.message : cause}`, { cause })

/** By a lock that the server drops with the connection, should we die. */
const alone = <T>(db: Kysely<Database>, name: string, work: () => Promise<T>): Promise<T | null> =>
  db.connection().execute(async (connection) => {
    const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_lock(hashtextextended(${`afg:${name}`}, 0)) as got`.execute(
      connection,
    )
    if (rows[0]?.got !== true) return null
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended(${`afg:${name}`}, 0))`.execute(connection)
    }
  })

/** Throws `store-unavailable`. */
export const openServer = async (url: string, connections: number): Promise<OpenDatabase> => {
  const common = { connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true }
  const pool = new pg.Pool({ ...common, max: connections })
  const queuePool = new pg.Pool({ ...common, max: connections + LISTENERS, options: `-c search_path=${QUEUE_SEARCH_PATH}` })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  for (const one of [pool, queuePool]) one.on("error", () => undefined)
  // Every queue and worker listens for errors of the pool that they share; there is no leak.
  queuePool.setMaxListeners(0)
  const plain = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const close = async (): Promise<void> => {
    await Promise.all([plain.destroy(), queuePool.end()])
  }
  try {
    await pool.query("select 1")
  } catch (cause) {
    await close()
    throw unavailable(cause)
  }
  try {
    await migrate(plain)
  } catch (error) {
    await close()
    throw error
  }
  const changes = createChanges()
  let session: Session | undefined
  return {
    kind: "postgres",
    db: guarded(plain, (jobIds) => session?.announce(jobIds)),
    plain,
    queuePool,
    signal: changes,
    liveHolders: () => LIVE_HOLDERS,
    openSession: async (holder) => {
      session = await openSession(queuePool, holder, changes)
      return session.close
    },
    alone: (name, work) => alone(plain, name, work),
    close,
  }
}
