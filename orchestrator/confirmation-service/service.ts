/** One running confirmation service: store, key and HTTP server, started together and stopped together. */

import type { AddressInfo } from "node:net"
import { type ServerType, serve } from "@hono/node-server"
import type { Logger } from "pino"
import type { Clock } from "./clock.ts"
import { keyFileIn, type ServiceConfig } from "./config.ts"
import { createApp } from "./http/app.ts"
import type { ServiceContext } from "./http/context.ts"
import { createRateLimit } from "./http/rate-limit.ts"
import { createWaiters } from "./http/waiters.ts"
import { type AnswerSigner, answerDecision, unsignedDecisions } from "./signing/answers.ts"
import { loadServiceKey } from "./signing/service-key.ts"
import { erc7913Signer } from "./signing/signer.ts"
import { appendAudit } from "./store/audit.ts"
import { type Database, lockDirectory, openDatabase } from "./store/database.ts"
import { announce } from "./store/settings.ts"

export type RunningService = {
  /** The address it listens on; `url` is the public one. */
  readonly listening: string
  readonly url: string
  readonly jwks: string
  readonly kid: string
  /** Signer bytes on the first configured chain: `buyer.confirmer` of a contract there. */
  readonly signer: string
  /** Answers what is being asked, then ends. May be called again. */
  readonly stop: () => Promise<void>
}

export type ServiceOptions = { readonly log: Logger; readonly clock: Clock }

const listening = (server: ServerType): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.once("listening", () => resolve((server.address() as AddressInfo).port))
  })

/** Signs what a crash left unsigned. One that cannot be signed now does not keep the others, or the service, from going on. */
const signLeftovers = async (database: Database, signer: AnswerSigner, log: Logger): Promise<void> => {
  for (const requestId of unsignedDecisions(database)) {
    await answerDecision(database, signer, requestId).catch((error: unknown) => log.error(error, `decision of ${requestId} stays unsigned`))
  }
}

const limits = (): ServiceContext["limits"] => {
  const clock = () => performance.now()
  return {
    requests: createRateLimit({ burst: 60, perSecond: 2, clock }),
    answers: createRateLimit({ burst: 200, perSecond: 20, clock }),
    pages: createRateLimit({ burst: 200, perSecond: 10, clock }),
  }
}

const close = (server: ServerType): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

/** Throws `confirm-store-unusable` or `confirm-key-unusable`. */
export const startService = async (config: ServiceConfig, options: ServiceOptions): Promise<RunningService> => {
  const { log, clock } = options
  const { now } = clock
  await clock.refresh()
  const lock = lockDirectory(config.dataDir)
  const database = openDatabase(config.dataDir)
  const key = loadServiceKey(keyFileIn(config.dataDir), now())
  const signer: AnswerSigner = { key, chains: config.chains, now }
  await signLeftovers(database, signer, log)
  const waiters = createWaiters()
  // The public URL may follow from the port, which is known only when the server listens: requests wait for both.
  const ready = Promise.withResolvers<ReturnType<typeof createApp>>()
  let stopping: Promise<void> | null = null
  const server = serve({
    fetch: async (request, env) => {
      const response = await (await ready.promise).fetch(request, env)
      // A connection kept alive would hold up the stop until it times out.
      if (stopping !== null) response.headers.set("Connection", "close")
      return response
    },
    hostname: config.host,
    port: config.port,
  })
  const port = await listening(server)
  const address = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`
  const publicUrl = config.publicUrl ?? address
  const issuer = config.issuer ?? publicUrl
  const { buyers, apiOrigins, chains } = config
  announce(database, {
    publicUrl,
    issuer,
    subjects: buyers.map((entry) => entry.subject),
    clockRpcUrl: config.clockRpcUrl ?? null,
    chains: [...chains],
  })
  const admission = { buyers, apiOrigins, chains, signerFor: (chain: (typeof chains)[number]) => erc7913Signer(key, chain.verifier) }
  ready.resolve(createApp({ database, admission, signer, issuer, publicUrl, clock, now, waiters, limits: limits(), log }))
  appendAudit(database, { at: now(), event: "service-started", detail: { kid: key.kid, issuer } })
  const end = async (): Promise<void> => {
    const closed = close(server)
    waiters.stop()
    await closed
    database.close()
    lock.release()
  }
  const [first] = chains
  return {
    listening: address,
    url: publicUrl,
    jwks: `${publicUrl}/.well-known/jwks.json`,
    kid: key.kid,
    signer: first === undefined ? "" : erc7913Signer(key, first.verifier),
    stop: () => {
      stopping ??= end()
      return stopping
    },
  }
}
