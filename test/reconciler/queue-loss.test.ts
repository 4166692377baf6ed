/**
 * A thousand timers pending, and then the queue's server is emptied, paused or restarted: every job is handled within the sweep's period after its moment,
 * each once.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { Redis } from "ioredis"
import { findRedis } from "../../orchestrator/cli/doctor/servers.ts"
import { createReconciler } from "../../orchestrator/reconciler/index.ts"
import { appendEvents, type Store } from "../../orchestrator/store/index.ts"
import { openTimers } from "../../orchestrator/timers/index.ts"
import { freePort, startServer, temporaryDirectory } from "../../scripts/services/server.ts"
import { POSTED_AT } from "../store/support/jobs.ts"
import { DATABASES, type TestStore } from "../store/support/stores.ts"
import { postFunded, refunded } from "./support/jobs.ts"

const JOBS = 1_000
/** Chain time runs with wall time, from here. */
const BEGIN = POSTED_AT + 100_000
/** Moments are spread over these seconds, after as many as it takes to set a thousand timers. */
const SPREAD = 3
const LEAD = 6
const PERIOD_MS = 1_000
/** Once due, a job must be found by the sweep's period and performed; on a busy machine a thousand at once take a while. */
const PATIENCE_MS = 20_000

type Outage = { what: string; happen: (parts: { store: Store; url: string | undefined }) => Promise<void> }

type Setting = { name: string; kind: Store["kind"]; skip: string | false; outages: readonly Outage[]; redis: boolean }

const redisProgram = findRedis()

const onRedis = async (url: string, act: (client: Redis) => Promise<unknown>): Promise<void> => {
  const client = new Redis(url, { maxRetriesPerRequest: 0 })
  client.on("error", () => undefined)
  try {
    await act(client)
  } finally {
    client.disconnect()
  }
}

const nothing: Outage = { what: "nothing happens to it", happen: async () => undefined }

const emptied: Outage = {
  what: "it is emptied",
  happen: async ({ store, url }) => {
    if (url !== undefined) await onRedis(url, (client) => client.flushall())
    else await store.queuePool.query("truncate bullmq.job, bullmq.meta cascade")
  },
}

const paused: Outage = {
  what: "it is paused for longer than the timers last",
  happen: async ({ url = "" }) => onRedis(url, (client) => client.call("CLIENT", "PAUSE", "8000", "ALL")),
}

const cutOff: Outage = {
  what: "its connections are cut",
  happen: async ({ store }) => {
    await store.queuePool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
  },
}

const databaseOf = (kind: Store["kind"]) => {
  const database = DATABASES.find((one) => one.kind === kind)
  if (database === undefined) throw new Error(`no database ${kind}`)
  return database
}

const SETTINGS: readonly Setting[] = [
  { name: "PGlite", kind: "pglite", skip: databaseOf("pglite").skip, redis: false, outages: [nothing, emptied] },
  { name: "PostgreSQL", kind: "postgres", skip: databaseOf("postgres").skip, redis: false, outages: [emptied, cutOff] },
  {
    name: "Redis",
    kind: "pglite",
    skip: redisProgram === null && "redis-server is not installed: `npm test` says how to have it",
    redis: true,
    outages: [emptied, paused, { what: "it is restarted without its memory", happen: async () => undefined }],
  },
]

/** A Redis of its own, that can be stopped and started again at the same address. */
const ownRedis = async () => {
  if (redisProgram === null) throw new Error("redis-server is not installed")
  const port = await freePort()
  const start = () =>
    startServer({
      name: "redis-server",
      command: redisProgram,
      args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      ready: /Ready to accept connections/,
      signal: "SIGKILL",
      directory: temporaryDirectory("redis"),
    })
  let stop = await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    restart: async () => {
      await stop()
      stop = await start()
    },
    stop: () => stop(),
  }
}

for (const { name, kind, skip, redis, outages } of SETTINGS) {
  describe(`a thousand timers on ${name}`, { skip }, () => {
    let place: TestStore
    let store: Store
    let server: Awaited<ReturnType<typeof ownRedis>> | undefined
    before(async () => {
      place = await databaseOf(kind).create()
      store = await place.open()
      if (redis) server = await ownRedis()
    })
    after(async () => {
      await place.remove()
      await server?.stop()
    })

    for (const [run, outage] of outages.entries())
      it(`are all handled, each once, when ${outage.what}`, async () => {
        const ids = Array.from({ length: JOBS }, (_, index) => `run-${run}-${index}`)
        const handled = new Map<string, number>()
        const all = Promise.withResolvers<void>()
        // Stands still until the jobs are posted.
        let zero: number | null = null
        const now = () => BEGIN + (zero === null ? 0 : Math.floor((Date.now() - zero) / 1_000))
        const timers = await openTimers({ redisUrl: server?.url, pool: store.queuePool, onError: () => undefined })
        const reconciler = createReconciler({
          store,
          timers,
          clocks: { chain: async () => now(), wallMs: Date.now },
          perform: async (_, { jobId }) => {
            handled.set(jobId, (handled.get(jobId) ?? 0) + 1)
            await appendEvents(store.db, jobId, [refunded(now())])
            if (handled.size === JOBS) all.resolve()
            return {}
          },
          log: () => undefined,
        })
        try {
          await postFunded(
            store,
            ids.map((id, index) => [id, BEGIN + LEAD + (index % SPREAD)]),
          )
          await timers.start({ wake: reconciler.reconcile })
          zero = Date.now()
          await reconciler.start(PERIOD_MS)
          assert.equal(handled.size, 0, "this machine takes too long to set the timers")
          await outage.happen({ store, url: server?.url })
          if (outage.what.includes("restarted")) await server?.restart()
          const last = zero + 1_000 * (LEAD + SPREAD)
          await Promise.race([all.promise, delay(last - Date.now() + PATIENCE_MS, undefined, { ref: false })])
          assert.equal(handled.size, JOBS, `after ${Date.now() - last} ms`)
          await reconciler.stop()
          assert.deepEqual(
            [...handled].filter(([, times]) => times !== 1),
            [],
          )
        } finally {
          await reconciler.stop()
          await timers.close()
        }
      })
  })
}
