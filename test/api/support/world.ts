/**
 * An orchestrator as it runs, but for the verifier: real node, contracts, store, keeper and confirmation service, all in this process but the
 * node, over real HTTP.
 */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { type AfgClient, createAfgClient } from "../../../orchestrator/client/client.ts"
import { ProblemError } from "../../../orchestrator/client/transport.ts"
import { type Config, readConfig } from "../../../orchestrator/config.ts"
import { enrolScriptedDemo } from "../../../orchestrator/confirmation-service/admin.ts"
import { readServiceConfig } from "../../../orchestrator/confirmation-service/config.ts"
import { type RunningService, startService } from "../../../orchestrator/confirmation-service/service.ts"
import { type LocalRole, localAccount } from "../../../orchestrator/local-accounts.ts"
import { type Orchestrator, startOrchestrator } from "../../../orchestrator/orchestrator.ts"
import { freePort } from "../../../scripts/local/chain.ts"
import { type Node, startNode } from "../../chain/support/chain.ts"

export const OPERATOR = "operator.buyer"

export type ApiWorld = {
  node: Node
  origin: string
  confirmation: RunningService
  /** Its scripted person's session. */
  session: string
  /** Lines of its log. */
  log: string[]
  orchestrator: () => Orchestrator
  /** What the orchestrator is configured with, for one that runs as a process of its own. */
  environment: Record<string, string>
  /** Ends the orchestrator; `restart` begins it again. */
  pause: () => Promise<void>
  /** Ends the orchestrator and starts it on the same store. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

const keyFile = (directory: string, role: LocalRole): string => {
  const file = join(directory, `${role}.key`)
  writeFileSync(file, localAccount(role).privateKey, { mode: 0o600 })
  return file
}

const startConfirmation = async (directory: string, node: Node, origin: string): Promise<{ service: RunningService; session: string }> => {
  const write = (name: string, value: unknown): string => {
    const file = join(directory, name)
    writeFileSync(file, JSON.stringify(value))
    return file
  }
  const config = readServiceConfig({
    CONFIRMATION_DATA_DIR: join(directory, "confirmation"),
    CONFIRMATION_BUYERS_FILE: write("buyers.json", [{ subject: OPERATOR, wallets: [localAccount("buyer").address] }]),
    CONFIRMATION_API_ORIGINS: origin,
    CONFIRMATION_DEPLOYMENT_FILES: write("deployment.json", node.deployment),
  })
  const now = (): number => Math.floor(Date.now() / 1_000)
  const service = await startService(config, { log: pino({ level: "silent" }), clock: { now, refresh: async () => undefined } })
  const secretFile = join(directory, "person.session")
  enrolScriptedDemo({ dataDir: config.dataDir, subject: OPERATOR, secretFile, now: now(), lifetime: 86_400 })
  return { service, session: readFileSync(secretFile, "utf8").trim() }
}

/** Settings that a test changes: environment variables of the orchestrator. */
export const startApi = async (settings: Record<string, string> = {}): Promise<ApiWorld> => {
  const directory = mkdtempSync(join(tmpdir(), "afg-api-"))
  const node = await startNode()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const { service, session } = await startConfirmation(directory, node, origin)
  const { keys } = (await (await fetch(service.jwks)).json()) as { keys: { iss: string }[] }
  const services = join(directory, "services.json")
  const [buyer, issuer] = [localAccount("buyer").address, keys[0]?.iss]
  writeFileSync(services, JSON.stringify([{ buyer, operator: OPERATOR, issuer, jwks: service.jwks }]))
  const environment = {
    DATA_DIR: join(directory, "orchestrator"),
    ROLES: "api,reconciler,watcher,keeper",
    API_PORT: String(port),
    RPC_URL: node.rpc,
    DEPLOYMENT_FILE: join(directory, "deployment.json"),
    KEEPER_KEY_FILE: keyFile(directory, "keeper"),
    CONFIRMATION_SERVICES_FILE: services,
    MAX_OPEN_JOBS: "1000",
    SUBMISSIONS_PER_MINUTE: "1000",
    ...settings,
  }
  const config: Config = readConfig(environment)
  const log: string[] = []
  const begin = (): Promise<Orchestrator> =>
    startOrchestrator(config, (level, message, details) => log.push(`${level} ${message} ${JSON.stringify(details ?? {})}`))
  let running = await begin()
  return {
    node,
    origin,
    confirmation: service,
    session,
    log,
    orchestrator: () => running,
    environment,
    pause: () => running.close(),
    restart: async () => {
      await running.close()
      running = await begin()
    },
    stop: async () => {
      await running.close()
      await service.stop()
      await node.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** What an agent has: its own key, and a client that signs with it. */
export const agentOf = (world: Pick<ApiWorld, "origin">, role: LocalRole): AfgClient => {
  const { account, address } = localAccount(role)
  return createAfgClient({
    api: world.origin,
    signer: { address, signMessage: (message) => account.signMessage({ message }) },
    patienceMs: 30_000,
  })
}

/** The problem document of a call that must be refused with `code`. */
export const refused = async (code: string, call: Promise<unknown>): Promise<Record<string, unknown>> => {
  const error = await call.then(
    (answer) => assert.fail(`not refused: ${JSON.stringify(answer).slice(0, 300)}`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProblemError)) throw error
  assert.equal(error.code, code, `${error.message} ${JSON.stringify(error.problem)}`)
  return error.problem
}

export const unique = (): string => randomBytes(16).toString("hex")
