/** A keeper as a process of its own that sends one call; killed at a fail-point, it is started again without. Prints what it got. */
import { createKeeper } from "../../../orchestrator/chain/index.ts"
import type { Call } from "../../../orchestrator/chain/rails/rail.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import { openStore } from "../../../orchestrator/store/index.ts"
import { clientOf } from "./client.ts"

const [rpc, dataDir, jobId, key, to, data] = process.argv.slice(2) as [string, string, string, string, `0x${string}`, `0x${string}`]

const store = await openStore({ dataDir })
const keeper = await createKeeper({
  client: clientOf(rpc),
  account: localAccount("keeper").account,
  chainId: 31337,
  store,
  log: (level, message, details) => process.stderr.write(`${level} ${message} ${JSON.stringify(details)}\n`),
})
const call: Call = { to, data, value: 0n, what: "test" }
const sent = await keeper.send(key, call, { jobId })
process.stdout.write(`${JSON.stringify(sent)}\n`)
await keeper.close()
await store.close()
