/** A confirmation service on a directory of its own, a contract that it would ask about, and an agent that asks. */
import { randomBytes, randomUUID } from "node:crypto"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { pino } from "pino"
import { type ConfirmationRequest, createRequest, MEDIA_TYPES } from "../../../orchestrator/aacp/index.ts"
import { enrolScriptedDemo } from "../../../orchestrator/confirmation-service/admin.ts"
import { readServiceConfig } from "../../../orchestrator/confirmation-service/config.ts"
import { type RunningService, startService } from "../../../orchestrator/confirmation-service/service.ts"
import { CONTRACT_MEMBER, fundAction } from "../../../orchestrator/contract/fund-action.ts"
import { type Contract, exampleContract, fromUnix, signTerms, withSignature } from "../../../orchestrator/contract/index.ts"
import { fundDescriptor } from "../../../orchestrator/fund-descriptor.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import type { Address } from "../../../orchestrator/types.ts"

export const SUBJECT = "operator.buyer"
export const API_ORIGIN = "http://api.example:8000"
export const RESOLVER: Address = "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9"
export const VERIFIER: Address = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512"
export const CHAIN_ID = 31337

/** Unix seconds; tests move it. */
export type TestClock = { now: number }

export const START = 1_800_000_000

export type World = {
  readonly dataDir: string
  readonly environment: Record<string, string>
  readonly clock: TestClock
  readonly service: RunningService
  /** Stops the service and starts it again on the same directory. */
  readonly restart: () => Promise<World>
}

export const deploymentDocument = (chainId = CHAIN_ID) => ({
  chainId,
  contracts: { AFGResolver: { address: RESOLVER }, P256Verifier: { address: VERIFIER } },
})

const writeSettings = async (directory: string): Promise<Record<string, string>> => {
  const deployment = join(directory, "deployment.json")
  const buyers = join(directory, "buyers.json")
  await writeFile(deployment, JSON.stringify(deploymentDocument()))
  await writeFile(
    buyers,
    JSON.stringify([
      { subject: SUBJECT, wallets: [localAccount("buyer").address] },
      { subject: "operator.other", wallets: [localAccount("mediator").address] },
    ]),
  )
  return {
    CONFIRMATION_DATA_DIR: join(directory, "data"),
    CONFIRMATION_BUYERS_FILE: buyers,
    CONFIRMATION_API_ORIGINS: API_ORIGIN,
    CONFIRMATION_DEPLOYMENT_FILES: deployment,
  }
}

export const makeEnvironment = async (t: TestContext): Promise<Record<string, string>> => {
  const directory = await mkdtemp(join(tmpdir(), "afg-confirmation-"))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return writeSettings(directory)
}

/** A service in this process, over real HTTP, whose clock the test moves. */
export const startWorld = async (t: TestContext, settings: Record<string, string> = {}): Promise<World> => {
  const environment = { ...(await makeEnvironment(t)), ...settings }
  const clock: TestClock = { now: START }
  const begin = async (): Promise<World> => {
    const config = readServiceConfig(environment)
    const service = await startService(config, {
      log: pino({ level: "silent" }),
      clock: { now: () => clock.now, refresh: async () => undefined },
    })
    t.after(() => service.stop())
    const restart = async (): Promise<World> => {
      await service.stop()
      return begin()
    }
    return { dataDir: config.dataDir, environment, clock, service, restart }
  }
  return begin()
}

/** Made once: deriving the local accounts' keys takes a while. */
const example = exampleContract("code-fix", { addressOf: (role) => localAccount(role).address })

/** The contract of worked example A, for this service and a time that has not passed. */
export const contractFor = (
  service: { signer: string },
  now: number,
  change: (contract: Contract) => Contract = (same) => same,
): Contract => {
  const signer = service.signer as `0x${string}`
  return change({
    ...example,
    created_at: fromUnix(now),
    buyer: { ...example.buyer, operator_id: SUBJECT, confirmer: signer },
    escrow: { ...example.escrow, resolver: RESOLVER, fund_by: fromUnix(now + 7_200), expiry: fromUnix(now + 600_000) },
    deadline: { ...example.deadline, delivery_by: fromUnix(now + 172_800) },
  })
}

/** The same contract with the buyer's signature under its Terms. */
export const signedByBuyer = async (contract: Contract): Promise<Contract> =>
  withSignature(contract, "buyer", await signTerms(contract, "buyer", localAccount("buyer").account))

const entropy = { uuid: () => randomUUID(), octets: (length: number) => randomBytes(length) }

export type Asked = ConfirmationRequest & { readonly [CONTRACT_MEMBER]: Contract }

/** The request that the API would make for funding this contract. */
export const requestFor = (contract: Contract, options: { origin?: string; subject?: string; lifetime?: number } = {}): Asked => {
  const action = fundAction(contract, { publicOrigin: options.origin ?? API_ORIGIN })
  const request = createRequest(
    {
      descriptor: fundDescriptor(action),
      audience: action.audience,
      subject: options.subject ?? SUBJECT,
      lifetime: options.lifetime ?? 300,
    },
    entropy,
  )
  return { ...request, [CONTRACT_MEMBER]: contract }
}

export type Reply = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> }

const reply = async (response: Response): Promise<Reply> => ({
  status: response.status,
  headers: response.headers,
  body: (await response.json()) as Record<string, unknown>,
})

export const postRaw = async (
  service: { url: string },
  body: string | Uint8Array<ArrayBuffer>,
  type: string = MEDIA_TYPES.request,
): Promise<Reply> => reply(await fetch(`${service.url}/requests`, { method: "POST", headers: { "content-type": type }, body }))

export const ask = (service: { url: string }, request: unknown): Promise<Reply> => postRaw(service, JSON.stringify(request))

export const fetchAnswer = async (service: { url: string }, requestId: string, query = ""): Promise<Reply> =>
  reply(await fetch(`${service.url}/requests/${requestId}${query}`))

let files = 0

/** Enrols the demonstration's program; returns its session's secret. */
export const enrol = async (world: World, subject = SUBJECT, lifetime = 86_400): Promise<string> => {
  files += 1
  const secretFile = join(world.dataDir, "..", `session-${files}`)
  enrolScriptedDemo({ dataDir: world.dataDir, subject, secretFile, now: world.clock.now, lifetime })
  return (await readFile(secretFile, "utf8")).trim()
}

/** A request about a contract of its own, stored and pending. `n` tells the jobs apart. */
export const askAbout = async (
  world: { service: { url: string; signer: string }; clock: TestClock },
  n = 1,
  options: Parameters<typeof requestFor>[1] = {},
): Promise<Asked> => {
  const contract = contractFor(world.service, world.clock.now, (example) => ({
    ...example,
    job_id: `afg:job:01M0AFGC0DEF1X${String(n).padStart(12, "0")}`,
    escrow: { ...example.escrow, escrow_ref: String(7_000 + n) },
  }))
  const request = requestFor(contract, options)
  const { status, body } = await ask(world.service, request)
  if (status !== 202) throw new Error(`the request was not taken: ${JSON.stringify(body)}`)
  return request
}
