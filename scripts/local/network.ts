/**
 * A whole local network: a chain with our contracts, a confirmation service, an orchestrator, and keys for everyone. For `afg dev` and `afg demo`.
 * Every part is a process of its own; the orchestrator is started again when it dies.
 */
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Deployment } from "../../orchestrator/chain/deployment.ts"
import { type LocalAccount, localAccount, localAccounts } from "../../orchestrator/local-accounts.ts"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import type { Hex } from "../../orchestrator/types.ts"
import { deployLocal } from "../deploy.ts"
import { freePort, type LocalChain, startChain } from "./chain.ts"
import { type ManagedProcess, type Supervised, startProcess, supervise } from "./process.ts"
import { startRedis } from "./redis.ts"

/** The human behind the buyer's agent. */
export const LOCAL_OPERATOR = "operator:acme"

/** The session lives in the chain's time, which `dev --warp` moves by years. */
const PERSON_SECONDS = 9_000_000

export type NetworkOptions = {
  /** Where logs, keys and stores go. */
  dataDir: string
  /** Port of the API. Default: a free one. */
  port?: number
  /** Timers on Redis: at REDIS_URL, or on a server of our own. */
  redis?: boolean
  /** `POST /dev/warp` moves the chain's time. */
  warp?: boolean
  /** Told when the orchestrator died and was started again. */
  onRestart?: (text: string) => void
}

export type ConfirmationReady = { url: string; jwks: string; kid: string; signer: Hex }

export type LocalNetwork = {
  chain: LocalChain
  deployment: Deployment
  api: string
  confirmation: ConfirmationReady & { sessionFile: string; dataDir: string }
  accounts: (LocalAccount & { keyFile: string })[]
  orchestrator: Supervised
  dataDir: string
  stop: () => Promise<void>
}

const writeKey = (directory: string, account: LocalAccount): LocalAccount & { keyFile: string } => {
  const keyFile = join(directory, `${account.role}.key`)
  writeFileSync(keyFile, `${account.privateKey}\n`, { mode: 0o600 })
  chmodSync(keyFile, 0o600)
  return { ...account, keyFile }
}

const writeJson = (file: string, value: unknown): string => {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
  return file
}

/** A local chain starts empty each time, so what an earlier one left behind belongs to nothing any more. It is put aside, not deleted. */
const putAside = (dataDir: string, moment: number): void => {
  for (const name of ["orchestrator", "confirmation"]) {
    const directory = join(dataDir, name)
    if (existsSync(directory)) renameSync(directory, `${directory}.before-${moment}`)
  }
}

const startConfirmation = async (
  dataDir: string,
  files: { deployment: string },
  apiOrigin: string,
  rpc: string,
): Promise<{ process: ManagedProcess; ready: ConfirmationReady; dataDir: string }> => {
  const directory = join(dataDir, "confirmation")
  mkdirSync(directory, { recursive: true })
  const buyers = writeJson(join(dataDir, "confirmation-buyers.json"), [
    { subject: LOCAL_OPERATOR, wallets: [localAccount("buyer").address] },
  ])
  const port = await freePort()
  const process = await startProcess({
    name: "confirmation service",
    args: ["--disable-warning=ExperimentalWarning", join(projectRoot, "orchestrator", "confirmation-service", "main.ts")],
    logFile: join(dataDir, "logs", "confirmation.log"),
    env: {
      CONFIRMATION_DATA_DIR: directory,
      CONFIRMATION_PORT: String(port),
      CONFIRMATION_BUYERS_FILE: buyers,
      CONFIRMATION_API_ORIGINS: apiOrigin,
      CONFIRMATION_DEPLOYMENT_FILES: files.deployment,
      CONFIRMATION_CLOCK_RPC_URL: rpc,
    },
  })
  return { process, ready: JSON.parse(process.readyLine) as ConfirmationReady, dataDir: directory }
}

/** A session for the demonstration's person, as the operator would enrol it on the service's own machine. */
const enrolPerson = async (dataDir: string, confirmationDir: string): Promise<string> => {
  const secretFile = join(dataDir, "person.session")
  const { enrolScriptedDemo, serviceTime } = await import("../../orchestrator/confirmation-service/admin.ts")
  enrolScriptedDemo({
    dataDir: confirmationDir,
    subject: LOCAL_OPERATOR,
    secretFile,
    now: await serviceTime(confirmationDir),
    lifetime: PERSON_SECONDS,
  })
  return secretFile
}

/** `AFG_FAILPOINT=a,b` kills the first start of the orchestrator at `a` and the second at `b`: one name for all of them would kill it for ever. */
const failpointOfStart = (list = ""): ((start: number) => { AFG_FAILPOINT: string | undefined }) => {
  const names = list.split(",")
  return (start) => ({ AFG_FAILPOINT: names[start] })
}

/** Starts everything; when any part fails, what was started is stopped. Throws `process-failed`, `deployment-failed`. */
export const startNetwork = async (options: NetworkOptions): Promise<LocalNetwork> => {
  const dataDir = options.dataDir
  const logs = join(dataDir, "logs")
  const keys = join(dataDir, "keys")
  for (const directory of [logs, keys]) mkdirSync(directory, { recursive: true })
  putAside(dataDir, Date.now())
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    const accounts = localAccounts().map((account) => writeKey(keys, account))
    const keyOf = (role: string): string => join(keys, `${role}.key`)
    const apiPort = options.port ?? (await freePort())
    const api = `http://127.0.0.1:${apiPort}`

    const chain = await startChain(join(logs, "chain.log"))
    stops.push(() => chain.process.stop())
    const deploymentFile = join(dataDir, "deployment.json")
    const deployment = await deployLocal({ rpcUrl: chain.rpc, out: deploymentFile })

    const confirmation = await startConfirmation(dataDir, { deployment: deploymentFile }, api, chain.rpc)
    stops.push(() => confirmation.process.stop())
    const sessionFile = await enrolPerson(dataDir, confirmation.dataDir)
    const { issuer } = await issuerOf(confirmation.ready)
    const services = writeJson(join(dataDir, "confirmation-services.json"), [
      { buyer: localAccount("buyer").address, operator: LOCAL_OPERATOR, issuer, jwks: confirmation.ready.jwks },
    ])

    let redisUrl: string | undefined
    if (options.redis === true) {
      const redis = await startRedis(join(dataDir, "redis"), join(logs, "redis.log"))
      stops.push(redis.stop)
      redisUrl = redis.url
    }
    const orchestrator = await supervise(
      {
        name: "orchestrator",
        args: ["--disable-warning=ExperimentalWarning", join(projectRoot, "orchestrator", "main.ts")],
        logFile: join(logs, "orchestrator.log"),
        env: {
          DATA_DIR: join(dataDir, "orchestrator"),
          API_PORT: String(apiPort),
          PUBLIC_ORIGIN: api,
          RPC_URL: chain.rpc,
          DEPLOYMENT_FILE: deploymentFile,
          KEEPER_KEY_FILE: keyOf("keeper"),
          VERIFIER_KEY_FILE: keyOf("verifier"),
          CONFIRMATION_SERVICES_FILE: services,
          DEV_WARP: options.warp === true ? "1" : "0",
          REDIS_URL: redisUrl,
        },
        envOfStart: failpointOfStart(process.env.AFG_FAILPOINT),
      },
      ({ code, signal }) => options.onRestart?.(`the orchestrator ended (${signal ?? `exit ${code}`}) and is started again`),
    )
    stops.push(orchestrator.stop)
    return {
      chain,
      deployment,
      api,
      confirmation: { ...confirmation.ready, sessionFile, dataDir: confirmation.dataDir },
      accounts,
      orchestrator,
      dataDir,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The service's name is in the keys it publishes. */
const issuerOf = async ({ jwks }: ConfirmationReady): Promise<{ issuer: string }> => {
  const { keys } = (await (await fetch(jwks)).json()) as { keys: { iss: string }[] }
  const [key] = keys
  if (key === undefined) throw new Error("the confirmation service publishes no key")
  return { issuer: key.iss }
}
