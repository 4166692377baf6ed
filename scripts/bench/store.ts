/**
 * Durable transitions per second: an event appended, and the job's state and next wake-up stored, as the reconciler does it; against one hand-written
 * statement that inserts the event and updates the job. `node scripts/bench/store.ts [pglite|postgres]`; PostgreSQL is the one that DATABASE_URL names,
 * or one of its own. Chunks of both alternate, so that a busy machine slows both.
 */
import { createReconciler } from "../../orchestrator/reconciler/index.ts"
import type { MessageEvent } from "../../orchestrator/state-machine/index.ts"
import { appendEvents, insertJob, type Store } from "../../orchestrator/store/index.ts"
import type { Timers } from "../../orchestrator/timers/index.ts"
import { newJob, POSTED_AT, word } from "../../test/store/support/jobs.ts"
import { type BenchRow, median, onStores, type StoreKind } from "./support/stores.ts"

const GOALS = { pglite: 1_000 / 1_900, postgres: 2_500 / 5_637 } as const
const CALLERS = 256
/** Enough that a job has about as many events as real ones do. */
const JOBS = 1_000

const RAW = `with job as (
    update public.raw_jobs set last_seq = last_seq + 1, state = $2, wake_at = $3 where job_id = $1 returning last_seq
  )
  insert into public.raw_events (job_id, seq, event_key, type, body, at, block_number, block_hash)
  select $1, last_seq, $4, 'confirmed', $5, $6, null, null from job`

/** Nothing but the database is measured: no queue. */
const noTimers: Timers = {
  kind: "store",
  wakeAll: async () => undefined,
  wake: async () => undefined,
  poke: async () => undefined,
  enqueueVerification: async () => undefined,
  start: async () => undefined,
  close: async () => undefined,
}

const perSecond = async (count: number, one: (index: number) => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return (count * 1_000) / (performance.now() - began)
}

const prepare = async (store: Store): Promise<void> => {
  const { queuePool: pool } = store
  await pool.query("create table public.raw_jobs (job_id text primary key, last_seq int4 not null, state text not null, wake_at int8)")
  await pool.query("create index raw_jobs_wake on public.raw_jobs (wake_at)")
  await pool.query(`create table public.raw_events (job_id text not null, seq int4 not null, event_key text not null, type text not null, body text not null,
    at int8 not null, block_number int8, block_hash text, primary key (job_id, seq), unique (job_id, event_key))`)
  for (let index = 0; index < JOBS; index++) {
    await insertJob(store.db, newJob(`job-${index}`))
    await pool.query("insert into public.raw_jobs values ($1, 0, 'DRAFT', 1)", [`job-${index}`])
  }
}

const event = (index: number): MessageEvent => ({
  source: "message",
  type: "fundingAuthorized",
  at: POSTED_AT,
  salt: word(index),
  validAfter: 0,
  validBefore: 1,
  signature: word("signature", index),
})

const measure = async (store: Store, rounds: number, chunk: number): Promise<BenchRow> => {
  await prepare(store)
  const reconciler = createReconciler({
    store,
    timers: noTimers,
    clocks: { chain: async () => POSTED_AT + 1, wallMs: Date.now },
    perform: async () => ({}),
    log: () => undefined,
  })
  let made = 0
  const transition = async (): Promise<void> => {
    made += 1
    const jobId = `job-${made % JOBS}`
    await appendEvents(store.db, jobId, [event(made)])
    await reconciler.reconcile(jobId)
  }
  const raw = async (): Promise<void> => {
    made += 1
    const body = JSON.stringify(event(made))
    await store.queuePool.query(RAW, [`job-${made % JOBS}`, "DRAFT", made, `fundingAuthorized:${word(made)}`, body, POSTED_AT])
  }
  const times: { ours: number; raw: number }[] = []
  for (let round = 0; round < rounds + 1; round++) {
    const time = { ours: await perSecond(chunk, transition), raw: await perSecond(chunk, raw) }
    // The first warms both up.
    if (round > 0) times.push(time)
  }
  await reconciler.stop()
  const ratio = median(times.map((time) => time.ours / time.raw))
  const rate = (pick: (time: { ours: number; raw: number }) => number) => Math.round(median(times.map(pick)))
  const goal = GOALS[store.kind]
  return {
    what: `durable transitions/s on ${store.kind}`,
    ours: rate((time) => time.ours),
    baseline: rate((time) => time.raw),
    ratio,
    goal,
    ok: ratio >= goal,
  }
}

/** One row per database that there is. */
export const benchStore = (kinds?: readonly StoreKind[], rounds = 5, chunk = 1_000): Promise<BenchRow[]> =>
  onStores(kinds, (store) => measure(store, rounds, chunk))

if (import.meta.main) {
  const [kind] = process.argv.slice(2)
  const rows = await benchStore(kind === "pglite" || kind === "postgres" ? [kind] : undefined)
  process.stdout.write(`${JSON.stringify({ name: "store", rows }, null, 2)}\n`)
  process.exitCode = rows.every((row) => row.ok) ? 0 : 1
}
