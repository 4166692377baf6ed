/**
 * Ten thousand wake-ups due in the same second, each with its durable transition; adding a timer among many; recovery with ten thousand open jobs.
 * `node scripts/bench/wakes.ts`. Seconds are measured against the goals of the design; on a busy machine they say little.
 */
import { randomUUID } from "node:crypto"
import { sql } from "kysely"
import { findRedis } from "../../orchestrator/cli/doctor/servers.ts"
import { createReconciler, type Reconciler } from "../../orchestrator/reconciler/index.ts"
import { insertJob, type Store } from "../../orchestrator/store/index.ts"
import { openTimers, type Timers } from "../../orchestrator/timers/index.ts"
import { CLOCK, newJob } from "../../test/store/support/jobs.ts"
import { startRedis } from "../services/redis.ts"
import { type BenchRow, median, onStores, p99 } from "./support/stores.ts"

const JOBS = 10_000
const CHUNK = 500
/** Nobody signs: a second after this the job has lapsed. */
const MOMENT = CLOCK.fundBy + 1

const within = (what: string, seconds: number, goal: number): BenchRow => ({
  what,
  ours: Number(seconds.toFixed(3)),
  baseline: goal,
  ratio: Number((seconds / goal).toFixed(3)),
  goal: 1,
  ok: seconds <= goal,
})

const chunks = function* (prefix: string): Generator<string[]> {
  for (let start = 0; start < JOBS; start += CHUNK) yield Array.from({ length: CHUNK }, (_, index) => `${prefix}-${start + index}`)
}

const post = async (store: Store, prefix: string, wakeAt: number): Promise<void> => {
  for (const ids of chunks(prefix))
    await store.db.transaction().execute(async (transaction) => {
      for (const id of ids) await insertJob(transaction, newJob(id, { wakeAt }))
    })
}

const leftOver = async (store: Store): Promise<number> => {
  const { rows } = await sql<{ n: string | number }>`select count(*) as n from afg.standings where wake_at <= ${MOMENT}`.execute(store.db)
  return Number(rows[0]?.n)
}

/** Seconds until all but one in a hundred, and until all, have been looked at. */
const untilLookedAt = async (store: Store, from: number): Promise<{ nearlyAll: number; all: number }> => {
  let nearlyAll: number | null = null
  for (;;) {
    const left = await leftOver(store)
    const seconds = (performance.now() - from) / 1_000
    if (left <= JOBS / 100) nearlyAll ??= seconds
    if (left === 0) return { nearlyAll: nearlyAll ?? seconds, all: seconds }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

type Bench = { store: Store; timers: Timers; reconciler: Reconciler; setNow: (now: number) => void; close: () => Promise<void> }

const open = async (store: Store, redisUrl: string | undefined): Promise<Bench> => {
  let now = MOMENT - 1
  const timers = await openTimers({
    redisUrl,
    pool: store.queuePool,
    prefix: `bench-${randomUUID()}`,
    exclusive: true,
    onError: () => undefined,
  })
  const reconciler = createReconciler({
    store,
    timers,
    clocks: { chain: async () => now, wallMs: Date.now },
    perform: async () => ({}),
    log: () => undefined,
  })
  return {
    store,
    timers,
    reconciler,
    setNow: (moment) => {
      now = moment
    },
    close: async () => {
      await reconciler.stop()
      await timers.close()
    },
  }
}

const SET_S = 20

const dueAtOnce = async (store: Store, redisUrl: string | undefined): Promise<BenchRow[]> => {
  const bench = await open(store, redisUrl)
  try {
    await post(store, "due", MOMENT)
    const dueAt = performance.now() + SET_S * 1_000
    for (const ids of chunks("due")) {
      const delay = (dueAt - performance.now()) / 1_000
      await bench.timers.wakeAll(ids.map((jobId) => ({ jobId, at: MOMENT, delay })))
    }
    const pickedUp: number[] = []
    await bench.timers.start({
      wake: async (jobId) => {
        pickedUp.push((performance.now() - dueAt) / 1_000)
        await bench.reconciler.reconcile(jobId)
      },
    })
    await bench.reconciler.start()
    await new Promise((resolve) => setTimeout(resolve, dueAt - performance.now()))
    bench.setNow(MOMENT)
    const { nearlyAll } = await untilLookedAt(store, dueAt)
    while (pickedUp.length < JOBS) await new Promise((resolve) => setTimeout(resolve, 100))
    const where = redisUrl === undefined ? store.kind : `Redis and ${store.kind}`
    const done = within(`10,000 due at once on ${where}: transition done, p99 s`, nearlyAll, redisUrl === undefined ? 10 : 3)
    return redisUrl === undefined ? [done] : [within(`10,000 due at once on ${where}: picked up, p99 s`, p99(pickedUp), 1), done]
  } finally {
    await bench.close()
  }
}

/** Adding takes as long with many pending as with few. */
const adding = async (store: Store, redisUrl: string | undefined): Promise<BenchRow> => {
  const bench = await open(store, redisUrl)
  let pending = 0
  const fill = async (count: number): Promise<void> => {
    for (; pending < count; pending += CHUNK)
      await bench.timers.wakeAll(
        Array.from({ length: CHUNK }, (_, index) => ({ jobId: `fill-${pending + index}`, at: pending + index, delay: 100_000 + index })),
      )
  }
  const addMs = async (): Promise<number> => {
    const times: number[] = []
    for (let index = 0; index < 400; index++) {
      const began = performance.now()
      await bench.timers.wake(`more-${index}-${pending}`, index, 90_000 + index)
      times.push(performance.now() - began)
    }
    return median(times)
  }
  try {
    await fill(2_000)
    const few = await addMs()
    await fill(100_000)
    const many = await addMs()
    const ratio = many / few
    const where = redisUrl === undefined ? store.kind : "Redis"
    return {
      what: `adding a timer with 100,000 pending over 2,000, ms, on ${where}`,
      ours: many,
      baseline: few,
      ratio,
      goal: 1.5,
      ok: ratio <= 1.5,
    }
  } finally {
    await bench.close()
  }
}

/** What a restart does, with every job due, as after the worst of crashes. */
const recovery = async (store: Store): Promise<BenchRow> => {
  await post(store, "open", MOMENT)
  const began = performance.now()
  const bench = await open(store, undefined)
  try {
    bench.setNow(MOMENT)
    const all = untilLookedAt(store, began)
    await bench.reconciler.start()
    return within(`recovery with 10,000 open jobs on ${store.kind}, s`, (await all).all, 5)
  } finally {
    await bench.close()
  }
}

export const benchWakes = async (): Promise<BenchRow[]> => {
  const rows: BenchRow[] = []
  const program = findRedis()
  const redis = program === null ? null : await startRedis(program)
  try {
    rows.push(...(await onStores(["pglite", "postgres"], (store) => dueAtOnce(store, undefined))).flat())
    if (redis !== null) rows.push(...(await onStores(["postgres"], (store) => dueAtOnce(store, redis.url))).flat())
    rows.push(...(await onStores(["pglite", "postgres"], recovery)))
    rows.push(...(await onStores(["pglite", "postgres"], (store) => adding(store, undefined))))
    if (redis !== null) rows.push(...(await onStores(["pglite"], (store) => adding(store, redis.url))))
  } finally {
    await redis?.stop()
  }
  return rows
}

if (import.meta.main) {
  const rows = await benchWakes()
  process.stdout.write(`${JSON.stringify({ name: "wakes", rows }, null, 2)}\n`)
  process.exitCode = rows.every((row) => row.ok) ? 0 : 1
}
