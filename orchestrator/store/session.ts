/**
 * This process's own connection to a PostgreSQL server, kept for as long as the store is open. Its advisory lock says that the process lives: the server
 * drops it the moment the process is gone, however that died. And it hears from the other processes which jobs changed.
 *
 * News is sent apart from the transactions that make it, a few times a second at most: NOTIFY inside a transaction makes every commit of
 * the server wait for the one before.
 */
import type pg from "pg"
import type { Changes } from "./changes.ts"

const CHANNEL = "afg_events"

/** First half of the advisory lock's key ("AFGh" in ASCII); the holder's number is the second. */
const HOLDER_LOCK = 0x41464768

/** Processes that live, as a subquery: compare `holder` with it in the statement that reads `holder`. */
export const LIVE_HOLDERS = `select objid::int8 from pg_locks where locktype = 'advisory' and classid = ${HOLDER_LOCK} and objsubid = 2 and granted
  and database = (select oid from pg_database where datname = current_database())`

const GATHER_MS = 15
const RECONNECT_MS = 250
/** News that got lost is made up for by looking again, this often. */
const LOOK_ANYWAY_MS = 5_000
/** PostgreSQL's limit of a payload is 8,000 bytes; job ids are short. */
const IDS_PER_NOTE = 100

export type Session = { announce: (jobIds: ReadonlySet<string>) => void; close: () => Promise<void> }

export const openSession = async (pool: pg.Pool, holder: number, changes: Changes): Promise<Session> => {
  let client: pg.PoolClient | null = null
  let closed = false
  let gathered = new Set<string>()
  let gathering: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const fresh = await pool.connect()
    fresh.on("error", () => lose(fresh))
    fresh.on("end", () => lose(fresh))
    fresh.on("notification", ({ channel, payload }) => {
      if (channel !== CHANNEL || payload === undefined) return
      const [from, ...jobIds] = payload.split(" ")
      if (from !== String(holder)) changes.tell(jobIds)
    })
    try {
      await fresh.query(`listen ${CHANNEL}`)
      // Waits while the server has not noticed yet that our last connection is gone.
      await fresh.query("select pg_advisory_lock($1, $2)", [HOLDER_LOCK, holder])
    } catch (error) {
      fresh.release(true)
      throw error
    }
    if (closed) return fresh.release(true)
    client = fresh
    changes.tellEveryone()
  }
  const lose = (lost: pg.PoolClient): void => {
    if (client !== lost || closed) return
    client = null
    lost.release(true)
    reconnect()
  }
  const reconnect = (): void => {
    if (closed) return
    connect().catch(() => setTimeout(reconnect, RECONNECT_MS).unref())
  }

  const send = (): void => {
    const jobIds = [...gathered]
    gathered = new Set()
    gathering = undefined
    for (let start = 0; start < jobIds.length; start += IDS_PER_NOTE) {
      const note = [holder, ...jobIds.slice(start, start + IDS_PER_NOTE)].join(" ")
      // Not told: the others look anyway after a while.
      pool.query("select pg_notify($1, $2)", [CHANNEL, note]).catch(() => undefined)
    }
  }

  await connect()
  const anyway = setInterval(changes.tellEveryone, LOOK_ANYWAY_MS)
  anyway.unref()
  return {
    announce: (jobIds) => {
      changes.tell(jobIds)
      for (const jobId of jobIds) gathered.add(jobId)
      gathering ??= setTimeout(send, GATHER_MS).unref()
    },
    close: async () => {
      closed = true
      clearInterval(anyway)
      clearTimeout(gathering)
      client?.release(true)
      client = null
    },
  }
}
