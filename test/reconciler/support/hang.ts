/** A process that takes the actions of a job and never ends performing them. Arguments: data directory, database URL, job. */
import { createReconciler } from "../../../orchestrator/reconciler/index.ts"
import { openStore } from "../../../orchestrator/store/index.ts"
import { openTimers } from "../../../orchestrator/timers/index.ts"
import { POSTED_AT } from "../../store/support/jobs.ts"

const [dataDir = "", databaseUrl = "", jobId = ""] = process.argv.slice(2)
const store = await openStore({ dataDir, databaseUrl })
const timers = await openTimers({ pool: store.queuePool, onError: () => undefined })
const reconciler = createReconciler({
  store,
  timers,
  clocks: { chain: async () => POSTED_AT + 3, wallMs: Date.now },
  perform: ({ key }) => {
    process.stdout.write(`${key}\n`)
    return new Promise(() => undefined)
  },
  log: () => undefined,
})
void reconciler.reconcile(jobId)
setInterval(() => undefined, 60_000)
