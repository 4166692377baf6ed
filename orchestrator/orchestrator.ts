/**
 * A running orchestrator: the roles that the configuration names, composed over one store. It holds no money and no party's key; ending it,
 * in whatever way, loses nothing.
 */
import { type ServerType, serve } from "@hono/node-server"
import { createApp } from "./api/app.ts"
import { apiServices } from "./api/services.ts"
import { createKeeper, createWatcher, type Keeper, performOnChain } from "./chain/index.ts"
import type { Config } from "./config.ts"
import { type Core, openCore } from "./core.ts"
import { AfgError } from "./errors.ts"
import { createReconciler, type Log, type Perform } from "./reconciler/index.ts"
import { createVerifier } from "./verifier-role.ts"

export type Orchestrator = {
  core: Core
  /** Origin of its API; null when it has none. */
  api: string | null
  /** Ends every role, the API first. */
  close: () => Promise<void>
}

type App = ReturnType<typeof createApp>

/** The origin is part of what a human confirms, so the app is made when the port is known. Throws `config-invalid` for an address that cannot be had. */
const listen = async (
  { host, port, publicOrigin }: Config,
  make: (origin: string) => App,
): Promise<{ origin: string; close: () => Promise<void> }> => {
  const { promise, resolve, reject } = Promise.withResolvers<{ app: App; origin: string }>()
  const server: ServerType = serve(
    { fetch: async (request, env) => (await promise).app.fetch(request, env), hostname: host, port },
    (address) => {
      const origin = publicOrigin ?? `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`
      resolve({ app: make(origin), origin })
    },
  )
  server.once("error", (cause: Error) =>
    reject(new AfgError("config-invalid", `API_HOST, API_PORT: cannot listen on ${host}:${port}: ${cause.message}`, { cause })),
  )
  const close = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done())
      if ("closeAllConnections" in server) server.closeAllConnections()
    })
  return { origin: (await promise).origin, close }
}

const start = async (config: Config, core: Core, log: Log, closing: (() => Promise<void>)[]): Promise<string | null> => {
  const { store, timers, clocks } = core
  let keeper: Keeper | null = null
  if (config.roles.has("keeper")) {
    keeper = await createKeeper({ client: core.client, account: core.keeperAccount(), store, chainId: core.chainId, log })
    closing.unshift(keeper.close)
    await keeper.recover()
  }
  const perform: Perform = async (action, context) => {
    if (action.kind === "verify") {
      const { n, by, key } = action
      await timers.enqueueVerification({ jobId: context.jobId, n, by, key })
      return { queued: true }
    }
    if (keeper === null) throw new AfgError("role-missing", "this process has no keeper; another one performs the action")
    return performOnChain({ rail: core.rail, keeper }, action, context)
  }
  const reconciler = config.roles.has("reconciler")
    ? createReconciler({ store, timers, clocks: { chain: clocks.chain, wallMs: Date.now }, perform, log })
    : null
  const verifier = config.roles.has("verifier") ? await createVerifier({ core, log }) : null
  // Before the queue, which waits for what runs: a check is called off and begins anew after the restart.
  if (verifier !== null) closing.unshift(verifier.close)

  // The chain is read up to its head before anything is performed: much of what seems missing has happened.
  if (config.roles.has("watcher")) {
    const watcher = createWatcher({
      client: core.client,
      chainId: core.chainId,
      rail: core.rail,
      store,
      confirmations: config.confirmations,
      onJobs: async (jobIds) => {
        await Promise.all(jobIds.map((jobId) => timers.poke(jobId)))
      },
      onHead: async () => {
        await reconciler?.sweep()
      },
      log,
    })
    await watcher.start()
    closing.unshift(watcher.close)
  }
  if (reconciler !== null || verifier !== null) {
    await timers.start({
      ...(reconciler === null ? {} : { wake: reconciler.reconcile }),
      ...(verifier === null ? {} : { verify: verifier.verify }),
    })
  }
  if (reconciler !== null) {
    await reconciler.start(config.sweepSeconds * 1_000)
    closing.unshift(reconciler.stop)
  }
  if (!config.roles.has("api")) return null
  const { origin, close } = await listen(config, (publicOrigin) => createApp(apiServices({ config, core, publicOrigin, log })))
  closing.unshift(close)
  return origin
}

/** Starts the configured roles. When one fails, those that were started are ended. */
export const startOrchestrator = async (config: Config, log: Log): Promise<Orchestrator> => {
  const core = await openCore(config, log)
  // In the order in which they are ended; the store last.
  const closing: (() => Promise<void>)[] = [core.close]
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0)) await end().catch((error: unknown) => log("warn", "while stopping", { reason: String(error) }))
  }
  try {
    return { core, api: await start(config, core, log, closing), close }
  } catch (error) {
    await close()
    throw error
  }
}
