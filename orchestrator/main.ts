/**
 * The orchestrator as a process: `node orchestrator/main.ts`. Composes the roles that `ROLES` names, prints one JSON line when it is ready,
 * ends on SIGTERM. It holds no money and no party's key; killing it loses nothing.
 */
import { serve } from "@hono/node-server"
import { pino } from "pino"
import { createApp } from "./api/app.ts"
import { apiServices } from "./api/services.ts"
import { createKeeper, createWatcher, type Keeper, performOnChain } from "./chain/index.ts"
import { readConfig } from "./config.ts"
import { openCore } from "./core.ts"
import { AfgError, isAfgError } from "./errors.ts"
import { createReconciler, type Perform } from "./reconciler/index.ts"
import { createVerifier } from "./verifier-role.ts"

type Closing = () => Promise<void>

const run = async (): Promise<void> => {
  const config = readConfig(process.env)
  const logger = pino({ name: "afg", level: config.logLevel }, pino.destination(2))
  const log = (level: "info" | "warn" | "error", message: string, details: Record<string, unknown> = {}): void =>
    logger[level](details, message)
  const closing: Closing[] = []
  const core = await openCore(config, log)
  closing.push(core.close)
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
  if (verifier !== null) closing.push(verifier.close)

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

  let api: string | null = null
  if (config.roles.has("api")) {
    const { promise: listening, resolve } = Promise.withResolvers<number>()
    const origin = (port: number): string => config.publicOrigin ?? `http://${config.host}:${port}`
    const app = createApp(apiServices({ config, core, publicOrigin: config.publicOrigin ?? `http://${config.host}:${config.port}`, log }))
    const server = serve({ fetch: app.fetch, hostname: config.host, port: config.port }, ({ port }) => resolve(port))
    api = origin(await listening)
    closing.unshift(
      () =>
        new Promise((done) => {
          server.close(() => done())
          if ("closeAllConnections" in server) server.closeAllConnections()
        }),
    )
  }

  process.stdout.write(`${JSON.stringify({ ready: true, api, chain_id: core.chainId, roles: [...config.roles], pid: process.pid })}\n`)
  const stop = async (): Promise<void> => {
    for (const close of closing) await close().catch((error: unknown) => log("warn", "while stopping", { reason: String(error) }))
    process.exit(0)
  }
  process.once("SIGTERM", () => void stop())
  process.once("SIGINT", () => void stop())
}

run().catch((error: unknown) => {
  process.stderr.write(
    isAfgError(error) ? `${error.code}: ${error.message}\n` : `${error instanceof Error ? error.stack : String(error)}\n`,
  )
  process.exit(1)
})
