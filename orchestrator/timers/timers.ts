/**
 * The BullMQ queues. A timer says only "look at this job now"; the truth is `wake_at` in the store. So a lost, doubled or late delivery
 * costs time at most, and the sweep bounds that time.
 */
import { createHash, randomUUID } from "node:crypto"
import { type BackendFactory, Queue, Worker } from "bullmq"
import { AfgError } from "../errors.ts"
import { failpoint } from "../failpoints.ts"
import { isEmbedded, type SharedPool } from "../store/index.ts"
import type { Seconds, UnixSeconds } from "../types.ts"
import { onDatabase, onRedis } from "./backend.ts"

/** `key` is the action's: it names submission, verifier and deliverable. */
export type VerificationOrder = { jobId: string; n: number; by: "primary" | "fallback"; key: string }

export type TimerHandlers = {
  /** Not waited for: the store knows what is left to do, so the queue need not. */
  wake?: (jobId: string) => Promise<void>
  verify?: (order: VerificationOrder) => Promise<void>
}

/** Look at the job `delay` seconds of wall time from now, when it will be `at` on the chain. */
export type Wake = { jobId: string; at: UnixSeconds; delay: Seconds }

export type Timers = {
  kind: "redis" | "store"
  /** Sets timers. Asking for the same moment twice is asking once. Never fails: what cannot be set is left to the sweep, and told to `onError`. */
  wakeAll: (wakes: readonly Wake[]) => Promise<void>
  wake: (jobId: string, at: UnixSeconds, delay: Seconds) => Promise<void>
  /** Look at the job now. Never fails, as `wakeAll`. */
  poke: (jobId: string) => Promise<void>
  /** Has one submission checked; asking again while that waits or runs is asking once. Throws `queue-unavailable`. */
  enqueueVerification: (order: VerificationOrder) => Promise<void>
  /** Starts the workers. */
  start: (handlers: TimerHandlers, concurrency?: { wake?: number; verify?: number }) => Promise<void>
  /** Waits for verifications under way, and ends. */
  close: () => Promise<void>
}

export type TimerOptions = {
  /** redis://…; without it the queues live in the store's database. */
  redisUrl?: string | undefined
  /** The store's. */
  pool: SharedPool
  /** Keys on Redis start with it. Default: `afg-` and the store's id, so that several systems can share a server. */
  prefix?: string
  /**
   * No other living process uses these queues: what they hold was left by a dead one, and the store knows better. Default: the store is embedded, which
   * only one process can have open.
   */
  exclusive?: boolean
  onError: (error: Error) => void
}

const WAKE = "afg-wake"
const VERIFY = "afg-verify"

/** Finished jobs are not kept: the store is the record, and a kept id would refuse the same timer later. */
const REMOVE = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } } as const
/** How long a dead worker's delivery is its own. */
const LOCK_MS = 5_000
/** A delivery that is lost again and again is still only a hint; the sweep brings it back. */
const STALLED_AT_MOST = 1_000
/** Deliveries fetched at the same time. */
const WAKE_CONCURRENCY = 200
/** A bulk costs BullMQ a temporary table on PostgreSQL: worth while from about here. */
const BULK_FROM = 5

const idOf = (...parts: (string | number)[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)

/** Named by the moment on both clocks: a timer that fires early is set again while it is still being handled, and must not be taken for itself. */
const wakeEntry = ({ jobId, at, delay }: Wake) => {
  const ms = Math.max(0, Math.ceil(delay * 1_000))
  const dueSecond = Math.floor((Date.now() + ms) / 1_000)
  return { name: "wake", data: { jobId }, opts: { jobId: idOf(jobId, at, dueSecond), delay: ms, ...REMOVE } }
}

const storeId = async (pool: SharedPool): Promise<string> => {
  const { rows } = await pool.query("select id from afg.identity")
  return String(rows[0]?.id)
}

const empty = async (queue: Queue): Promise<void> => {
  await queue.obliterate({ force: true })
  await queue.resume()
}

/** Opens the queues; nothing is processed until `start`. Throws `queue-unavailable`. */
export const openTimers = async (options: TimerOptions): Promise<Timers> => {
  const { redisUrl, pool, onError, exclusive = isEmbedded(pool) } = options
  const backend = redisUrl === undefined ? await onDatabase(pool) : await onRedis(redisUrl, onError)
  const base = { connection: {}, prefix: options.prefix ?? `afg-${await storeId(pool)}` }
  const queueOf = (name: string): Queue => {
    const queue = new Queue(name, base, backend.producing as BackendFactory<never>) as unknown as Queue
    queue.on("error", onError)
    return queue
  }
  const wakes = queueOf(WAKE)
  const verifications = queueOf(VERIFY)
  const workers: Worker[] = []
  if (exclusive) await Promise.all([wakes, verifications].map(empty))

  const startWorker = async <T>(name: string, handle: (data: T) => Promise<void>, concurrency: number): Promise<void> => {
    const worker = new Worker<T, void>(
      name,
      async ({ data }) => handle(data),
      {
        ...base,
        ...REMOVE,
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: LOCK_MS,
        maxStalledCount: STALLED_AT_MOST,
        runRetryDelay: 500,
      },
      backend.consuming as BackendFactory<never>,
    )
    worker.on("error", onError)
    worker.on("failed", (_, error) => onError(error))
    workers.push(worker as unknown as Worker)
    await worker.waitUntilReady()
  }

  const hint = async (add: () => Promise<unknown>): Promise<void> => {
    failpoint("queue.adding")
    try {
      await add()
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
    }
    failpoint("queue.added")
  }
  const wakeAll = async (wanted: readonly Wake[]): Promise<void> => {
    if (wanted.length === 0) return
    const entries = wanted.map(wakeEntry)
    await hint(() =>
      entries.length < BULK_FROM ? Promise.all(entries.map(({ name, data, opts }) => wakes.add(name, data, opts))) : wakes.addBulk(entries),
    )
  }

  return {
    kind: backend.kind,
    wakeAll,
    wake: (jobId, at, delay) => wakeAll([{ jobId, at, delay }]),
    poke: (jobId) => hint(() => wakes.add("wake", { jobId }, { jobId: randomUUID(), ...REMOVE })),
    enqueueVerification: async (order) => {
      failpoint("queue.adding")
      const id = idOf(order.jobId, order.key)
      try {
        await verifications.add("verify", order, { jobId: id, ...REMOVE })
      } catch (cause) {
        throw new AfgError("queue-unavailable", `the queue does not take the verification: ${cause}`, { cause })
      }
      failpoint("queue.added")
    },
    start: async ({ wake, verify }, concurrency = {}) => {
      const deliver = async ({ jobId }: { jobId: string }): Promise<void> => {
        wake?.(jobId).catch(onError)
      }
      if (wake !== undefined) await startWorker(WAKE, deliver, concurrency.wake ?? WAKE_CONCURRENCY)
      if (verify !== undefined) await startWorker<VerificationOrder>(VERIFY, verify, concurrency.verify ?? 1)
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()))
      await Promise.all([wakes.close(), verifications.close()])
      await backend.close()
    },
  }
}
