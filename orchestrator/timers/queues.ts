/**
 * The BullMQ queues. A timer says only "look at this job now"; the truth is `wake_at` in the store. So a lost, doubled or late delivery
 * costs time at most, and the sweep bounds that time.
 */
import { createHash, randomUUID } from "node:crypto"
import { createPostgresBackend, type Processor, Queue, runMigrations, Worker } from "bullmq"
import { Redis } from "ioredis"
import { AfgError } from "../errors.ts"
import type { SharedPool } from "../store/index.ts"
import type { Seconds, UnixSeconds } from "../types.ts"

export type VerificationOrder = { jobId: string; n: number; by: "primary" | "fallback"; key: string }

export type TimerHandlers = {
  wake: (jobId: string) => Promise<void>
  verify?: (order: VerificationOrder) => Promise<void>
}

export type Timers = {
  kind: "redis" | "store"
  /** Look at the job in `delay` seconds of wall time. `at` names the moment: asking for the same moment twice is asking once. */
  wake: (jobId: string, at: UnixSeconds, delay: Seconds) => Promise<void>
  /** Look at the job now. */
  poke: (jobId: string) => Promise<void>
  enqueueVerification: (order: VerificationOrder) => Promise<void>
  /** Starts the workers. */
  start: (handlers: TimerHandlers, concurrency?: { wake?: number; verify?: number }) => Promise<void>
  close: () => Promise<void>
}

export type TimerOptions = {
  /** redis://…; without it the queues live in the store's database. */
  redisUrl?: string | undefined
  pool: SharedPool
  /** Separates several systems on one Redis. */
  prefix?: string
  onError: (error: Error) => void
}

const WAKE = "afg-wake"
const VERIFY = "afg-verify"

/** Finished jobs are not kept: the store is the record, and a kept id would refuse the same timer later. */
const REMOVE = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } } as const
const LOCK_MS = 10_000

const idOf = (...parts: (string | number)[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)

type Backend = { create: <T>(build: (options: never, factory: never) => T) => T; close: () => Promise<void> }

const onPostgres = async (pool: SharedPool): Promise<Backend> => {
  const client = await pool.connect()
  try {
    await runMigrations(client as never, "bullmq")
  } finally {
    client.release()
  }
  return { create: (build) => build({ connection: pool } as never, createPostgresBackend as never), close: async () => undefined }
}

const onRedis = async (url: string, prefix: string | undefined, onError: (error: Error) => void): Promise<Backend> => {
  const connection = new Redis(url, { maxRetriesPerRequest: null, lazyConnect: true })
  connection.on("error", onError)
  try {
    await connection.connect()
  } catch (cause) {
    connection.disconnect()
    throw new AfgError("queue-unavailable", "Redis does not answer at REDIS_URL", { cause })
  }
  return {
    create: (build) => build({ connection, ...(prefix === undefined ? {} : { prefix }) } as never, undefined as never),
    close: async () => {
      await connection.quit().catch(() => connection.disconnect())
    },
  }
}

/** Opens the queues; nothing is processed until `start`. Throws `queue-unavailable`. */
export const openTimers = async (options: TimerOptions): Promise<Timers> => {
  const backend =
    options.redisUrl === undefined ? await onPostgres(options.pool) : await onRedis(options.redisUrl, options.prefix, options.onError)
  const queueOf = (name: string): Queue => backend.create((base, factory) => new Queue(name, base, factory))
  const wakes = queueOf(WAKE)
  const verifications = queueOf(VERIFY)
  const workers: Worker[] = []
  for (const queue of [wakes, verifications]) queue.on("error", options.onError)

  const startWorker = (name: string, processor: Processor, concurrency: number): Promise<unknown> => {
    const worker = backend.create(
      (base, factory) =>
        new Worker(
          name,
          processor,
          {
            ...(base as object),
            ...REMOVE,
            concurrency,
            lockDuration: LOCK_MS,
            stalledInterval: LOCK_MS,
            // A delivery that is lost again and again is still only a hint; the sweep brings it back.
            maxStalledCount: 10,
          } as never,
          factory,
        ),
    )
    worker.on("error", options.onError)
    workers.push(worker)
    return worker.waitUntilReady()
  }

  return {
    kind: options.redisUrl === undefined ? "store" : "redis",
    wake: async (jobId, at, delay) => {
      await wakes.add("wake", { jobId }, { jobId: idOf(jobId, at), delay: Math.max(0, Math.ceil(delay * 1000)), ...REMOVE })
    },
    poke: async (jobId) => {
      await wakes.add("wake", { jobId }, { jobId: randomUUID(), ...REMOVE })
    },
    enqueueVerification: async (order) => {
      await verifications.add("verify", order, { jobId: randomUUID(), ...REMOVE })
    },
    start: async ({ wake, verify }, { wake: wakeConcurrency = 16, verify: verifyConcurrency = 1 } = {}) => {
      await startWorker(WAKE, async ({ data }) => wake((data as { jobId: string }).jobId), wakeConcurrency)
      if (verify !== undefined) await startWorker(VERIFY, async ({ data }) => verify(data as VerificationOrder), verifyConcurrency)
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()))
      await Promise.all([wakes.close(), verifications.close()])
      await backend.close()
    },
  }
}
