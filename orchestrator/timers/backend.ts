/** Where BullMQ keeps its queues: Redis, or the store's own database. */
import { type BackendFactory, createPostgresBackend, createRedisBackend, type PgPool, runMigrations } from "bullmq"
import { Redis } from "ioredis"
import { AfgError } from "../errors.ts"
import type { SharedPool } from "../store/index.ts"

export type QueueBackend = {
  kind: "redis" | "store"
  /** For whoever adds. */
  producing: BackendFactory
  /** For whoever waits: a worker needs a connection of its own, and patience when the server is away. */
  consuming: BackendFactory
  close: () => Promise<void>
}

/** An answer that takes longer is no answer: adding a timer must not hold up what it is a hint for. */
const COMMAND_MS = 2_000
const CONNECT_MS = 5_000

/** BullMQ's tables live in its default schema, which the pool's search_path names. */
const SCHEMA = "bullmq"

export const onDatabase = async (shared: SharedPool): Promise<QueueBackend> => {
  // Both kinds of pool have what BullMQ calls; their declared types say more than that.
  const pool = shared as unknown as PgPool
  const client = await pool.connect()
  try {
    await runMigrations(client, SCHEMA)
  } finally {
    client.release()
  }
  const factory: BackendFactory = (name, options, extra) => createPostgresBackend(name, { ...options, connection: pool }, extra)
  return { kind: "store", producing: factory, consuming: factory, close: async () => undefined }
}

const connect = async (connection: Redis): Promise<void> => {
  try {
    await connection.connect()
  } catch (cause) {
    connection.disconnect()
    throw new AfgError("queue-unavailable", "Redis does not answer at REDIS_URL", { cause })
  }
}

/** Throws `queue-unavailable`. */
export const onRedis = async (url: string, onError: (error: Error) => void): Promise<QueueBackend> => {
  const common = { lazyConnect: true, connectTimeout: CONNECT_MS, retryStrategy: (times: number) => Math.min(50 * times, 500) }
  // Fails at once while the server is away, instead of waiting for it with everyone who adds.
  const producer = new Redis(url, { ...common, maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: COMMAND_MS })
  const consumer = new Redis(url, { ...common, maxRetriesPerRequest: null })
  for (const one of [producer, consumer]) one.on("error", onError)
  await connect(producer)
  await connect(consumer)
  const onConnection =
    (connection: Redis): BackendFactory =>
    (name, options, extra) =>
      createRedisBackend(name, { ...options, connection }, extra)
  return {
    kind: "redis",
    producing: onConnection(producer),
    consuming: onConnection(consumer),
    close: async () => {
      for (const one of [producer, consumer]) one.disconnect()
    },
  }
}
