/**
 * A process that carries one job from its first message to its end, and stops: to be killed anywhere and started again. Arguments: data directory, world's
 * directory, database URL or "", Redis URL or "". Everything it did before it was killed it finds in the store or in the world.
 */
import { setTimeout as delay } from "node:timers/promises"
import { createReconciler } from "../../../orchestrator/reconciler/index.ts"
import { appendEvents, insertJob, openStore, readEvents } from "../../../orchestrator/store/index.ts"
import { openTimers } from "../../../orchestrator/timers/index.ts"
import { newJob } from "../../store/support/jobs.ts"
import { eventOf, MESSAGES, openWorld, verdictSigned } from "./world.ts"

const JOB = "job"
const [dataDir = "", worldDir = "", databaseUrl = "", redisUrl = ""] = process.argv.slice(2)
const say = (level: string, message: string, details?: unknown) => process.stderr.write(`${level} ${message} ${JSON.stringify(details)}\n`)

const world = openWorld(worldDir)
const store = await openStore({ dataDir, databaseUrl: databaseUrl === "" ? undefined : databaseUrl })
const timers = await openTimers({
  redisUrl: redisUrl === "" ? undefined : redisUrl,
  pool: store.queuePool,
  onError: (error) => say("warn", "queue", error.message),
})
const clocks = { chain: async () => world.now(JOB), wallMs: Date.now }
const over = Promise.withResolvers<void>()

/** As the watcher does: what the world took is appended, in its order, however often. */
const watch = async (): Promise<void> => {
  const events = world.taken(JOB).map(eventOf)
  await appendEvents(
    store.db,
    JOB,
    events.filter((event) => event !== null),
  )
  await timers.poke(JOB)
}

const reconciler = createReconciler({
  store,
  timers,
  clocks,
  log: say,
  perform: async (action, { jobId }) => {
    if (action.kind === "verify") {
      await timers.enqueueVerification({ jobId, n: action.n, by: action.by, key: action.key })
      return { queued: true }
    }
    world.take(jobId, action)
    await watch()
    return { taken: action.key }
  },
})
const isOver = (): void => {
  readEvents(store.db, JOB).then((events) => {
    if (events.some(({ event }) => event.type === "settled")) over.resolve()
  }, over.reject)
}
store.signal.subscribe(JOB, isOver)

await timers.start({
  wake: reconciler.reconcile,
  verify: async ({ jobId, key }) => {
    world.take(jobId, { kind: "verify", key })
    await appendEvents(store.db, jobId, [verdictSigned])
    await timers.poke(jobId)
  },
})
await insertJob(store.db, newJob(JOB))
// As an agent does who got no answer: the same again.
await appendEvents(store.db, JOB, MESSAGES)
await watch()
await reconciler.start(200)
// It may have been over before we were killed.
isOver()
await Promise.race([over.promise, delay(60_000, undefined, { ref: false }).then(() => Promise.reject(new Error("the job does not end")))])
await reconciler.reconcile(JOB)
await reconciler.stop()
await timers.close()
await store.close()
