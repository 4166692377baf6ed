/** An API whose chain does not answer: for what needs none, and for what happens then. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keccak256, stringToHex } from "viem"
import { type RequestDescription, signRequest } from "../../../orchestrator/api/signed-request.ts"
import { readConfig } from "../../../orchestrator/config.ts"
import { type LocalRole, localAccount } from "../../../orchestrator/local-accounts.ts"
import { type Orchestrator, startOrchestrator } from "../../../orchestrator/orchestrator.ts"
import type { Store } from "../../../orchestrator/store/index.ts"
import { freePort } from "../../../scripts/local/chain.ts"
import { unique } from "./world.ts"

const NAMES = ["AFGResolver", "ERC8183Escrow", "TestUSDC", "P256Verifier", "Batcher"] as const

const deployment = () => ({
  chainId: 31337,
  contracts: Object.fromEntries(
    NAMES.map((name, index) => [name, { address: `0x${String(index + 1).padStart(40, "0")}`, codeHash: keccak256(stringToHex(name)) }]),
  ),
  feeBps: 150,
  treasury: localAccount("treasury").address,
  bytecodeHashes: Object.fromEntries(NAMES.map((name) => [name, keccak256(stringToHex(name))])),
})

export type QuietApi = {
  origin: string
  store: () => Store
  log: string[]
  restart: () => Promise<void>
  stop: () => Promise<void>
}

export const startQuietApi = async (settings: Record<string, string> = {}): Promise<QuietApi> => {
  const directory = mkdtempSync(join(tmpdir(), "afg-quiet-"))
  writeFileSync(join(directory, "deployment.json"), JSON.stringify(deployment()))
  const [port, nobody] = [await freePort(), await freePort()]
  const config = readConfig({
    DATA_DIR: join(directory, "data"),
    ROLES: "api",
    SUBMISSIONS_PER_MINUTE: "1000",
    API_PORT: String(port),
    RPC_URL: `http://127.0.0.1:${nobody}`,
    DEPLOYMENT_FILE: join(directory, "deployment.json"),
    ...settings,
  })
  const log: string[] = []
  const begin = (): Promise<Orchestrator> =>
    startOrchestrator(config, (level, message, details) => log.push(`${level} ${message} ${JSON.stringify(details ?? {})}`))
  let running = await begin()
  return {
    origin: running.api ?? "",
    store: () => running.core.store,
    log,
    restart: async () => {
      await running.close()
      running = await begin()
    },
    stop: async () => {
      await running.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export type Sent = {
  method?: string
  path: string
  body?: string | Uint8Array
  role?: LocalRole | null
  headers?: Record<string, string>
  /** What is signed, where it differs from what is sent. */
  signed?: Partial<RequestDescription>
}

export type Reply = { status: number; headers: Headers; bytes: Uint8Array; json: Record<string, unknown> }

/** Sends exactly this, signed by the role unless it is null. */
export const send = async (
  origin: string,
  { method = "POST", path, body = "", role = "buyer", headers = {}, signed = {} }: Sent,
): Promise<Reply> => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const who = localAccount(role ?? "buyer")
  const description = {
    method,
    path,
    body: bytes,
    address: who.address,
    nonce: unique(),
    timestamp: Math.floor(Date.now() / 1_000),
    ...signed,
  }
  const signature = role === null ? {} : await signRequest(description, (message) => who.account.signMessage({ message }))
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...signature, ...headers },
    ...(method === "GET" || method === "HEAD" ? {} : { body: new Uint8Array(bytes) }),
  })
  const answer = new Uint8Array(await response.arrayBuffer())
  const isJson = /json/.test(response.headers.get("content-type") ?? "")
  return {
    status: response.status,
    headers: response.headers,
    bytes: answer,
    json: isJson && answer.length > 0 ? (JSON.parse(Buffer.from(answer).toString("utf8")) as Record<string, unknown>) : {},
  }
}
