/** A process of its own that opens a store, says so, and holds it until it is killed. Arguments: data directory, job to post before. */
import { insertJob, openStore } from "../../../orchestrator/store/index.ts"
import { newJob } from "./jobs.ts"

const [dataDir = "", jobId = ""] = process.argv.slice(2)
const store = await openStore({ dataDir })
await insertJob(store.db, newJob(jobId))
process.stdout.write("open\n")
setInterval(() => undefined, 60_000)
