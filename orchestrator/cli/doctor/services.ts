/** Checks of what the orchestrator keeps its state in: the store and the queue of timers. */
import { AfgError } from "../../errors.ts"
import { type CheckResult, check, type Env } from "./check.ts"

const OLDEST_POSTGRES = 14
const OLDEST_REDIS = [6, 2] as const

const postgres = async (url: string): Promise<string> => {
  const { Client } = (await import("pg")).default
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ number: string; name: string; fsync: string }>(
      "select current_setting('server_version_num') as number, current_setting('server_version') as name, current_setting('fsync') as fsync",
    )
    const [row] = rows
    if (!row || Number(row.number) < OLDEST_POSTGRES * 10_000)
      throw new Error(`PostgreSQL ${row?.name} is too old: ${OLDEST_POSTGRES} or later`)
    return `PostgreSQL ${row.name}${row.fsync === "off" ? ", which does not survive a power cut (fsync is off)" : ""}`
  } finally {
    await client.end()
  }
}

/** Opens an embedded database in memory, so that no one's data directory is touched, and has it notify itself. */
const embedded = async (): Promise<{ version: string; notified: boolean }> => {
  const { PGlite } = await import("@electric-sql/pglite")
  const database = new PGlite()
  try {
    const { rows } = await database.query<{ version: string }>("select current_setting('server_version') as version")
    let notified = false
    const unlisten = await database.listen("afg_doctor", () => {
      notified = true
    })
    await database.query("notify afg_doctor")
    await unlisten()
    return { version: rows[0]?.version ?? "?", notified }
  } finally {
    await database.close()
  }
}

const redis = async (url: string): Promise<string> => {
  const { Redis } = await import("ioredis")
  const client = new Redis(url, { lazyConnect: true, connectTimeout: 5_000, maxRetriesPerRequest: 0, retryStrategy: () => null })
  // Without a listener a refused connection ends the process; the rejected call says the same.
  client.on("error", () => undefined)
  try {
    await client.connect()
    const info = await client.info("server")
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? "0"
    const [major = 0, minor = 0] = version.split(".").map(Number)
    if (major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1]))
      throw new Error(`Redis ${version} is too old: ${OLDEST_REDIS.join(".")} or later`)
    const memory = /^maxmemory_policy:(\S+)/m.exec(await client.info("memory"))?.[1]
    if (memory !== undefined && memory !== "noeviction")
      throw new Error(`maxmemory-policy is ${memory}: timers would be evicted; set noeviction`)
    return `Redis ${version}`
  } finally {
    client.disconnect()
  }
}

/** The store that `DATABASE_URL` chooses, and the queue that `REDIS_URL` chooses; both embedded by default. */
export const checkStoreAndQueue = async (env: Env): Promise<CheckResult[]> => {
  let opened: ReturnType<typeof embedded> | undefined
  const embeddedOnce = () => {
    opened ??= embedded()
    return opened
  }
  const { DATABASE_URL: database, REDIS_URL: queue } = env
  const store = await check("store", "start the server that DATABASE_URL names, or unset it for the embedded store", async () =>
    database ? postgres(database) : `embedded PostgreSQL ${(await embeddedOnce()).version} (PGlite); it does not survive a power cut`,
  )
  const timers = await check("queue", "start the server that REDIS_URL names, or unset it to keep timers in the store", async () => {
    if (queue) return redis(queue)
    if (database) return "timers are in the store"
    if (!(await embeddedOnce()).notified) throw new AfgError("internal", "the embedded store does not deliver notifications")
    return "timers are in the embedded store; notifications arrive"
  })
  return [store, timers]
}
