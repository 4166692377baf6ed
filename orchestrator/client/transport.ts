/**
 * Signed HTTP to the orchestrator: one request, signed afresh for every attempt, repeated only where repeating is safe.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { type SignMessage, signRequest } from "../api/signed-request.ts"
import { AfgError, type ErrorTable } from "../errors.ts"
import { parseStrictJson } from "../json/index.ts"
import type { Address } from "../types.ts"

export const ERRORS = {
  "api-unreachable": {
    status: 503,
    what: "The orchestrator did not answer within the time allowed.",
    recovery: "Repeat with the same Idempotency-Key; acts on chain can also be sent by your own wallet.",
  },
  "api-answer-malformed": {
    status: 502,
    what: "The answer is not the JSON that this route promises.",
    recovery: "Check that --api points at an AFG orchestrator.",
  },
} as const satisfies ErrorTable

export type Signer = { address: Address; signMessage: SignMessage }

export type TransportOptions = {
  /** Origin of the API, such as `http://127.0.0.1:8080`. */
  api: string
  signer: Signer
  /** Wall clock in Unix seconds. */
  now?: () => number
  /** How long to go on while the API cannot be reached, in milliseconds. */
  patienceMs?: number
  onRetry?: (reason: string) => void
}

export type RequestOptions = {
  method?: "GET" | "POST"
  /** A JSON document, or raw bytes. */
  body?: unknown
  headers?: Record<string, string>
  /** The same key makes a repeated request answer as the first did. Default: a fresh one per call. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** An answer of the API that is not 2xx: its problem document. */
export class ProblemError extends AfgError {
  readonly status: number
  readonly problem: Record<string, unknown>

  constructor(status: number, problem: Record<string, unknown>) {
    super(String(problem.code ?? "api-answer-malformed"), String(problem.detail ?? problem.title ?? `HTTP ${status}`), { details: problem })
    this.status = status
    this.problem = problem
  }
}

export type Transport = {
  json: <T>(path: string, options?: RequestOptions) => Promise<T>
  raw: (path: string, options?: RequestOptions) => Promise<Response>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

const encodeBody = (body: unknown): { bytes: Uint8Array; type: string } => {
  if (body === undefined) return { bytes: new Uint8Array(), type: "" }
  if (body instanceof Uint8Array) return { bytes: body, type: "application/octet-stream" }
  return { bytes: new TextEncoder().encode(JSON.stringify(body)), type: "application/json" }
}

/** These need somebody to act first; asking again by itself would only be noise (AACP §8.2: "after key or CS recovery"). */
const DEFINITE: ReadonlySet<unknown> = new Set(["confirmation_unavailable", "confirmation_not_configured", "too_many_jobs"])

/** Only a lost connection, 429 and 503 are repeated: every other answer is definite (AACP §8.2's retry column included). */
const mayRepeat = (status: number, problem: Record<string, unknown>): boolean =>
  (status === 503 || status === 429) && !DEFINITE.has(problem.code)

/** Milliseconds that the answer asks us to wait. */
const askedToWait = (response: Response): number => {
  const seconds = Number(response.headers.get("Retry-After") ?? 0)
  return Number.isFinite(seconds) ? seconds * 1_000 : 0
}

export const createTransport = (options: TransportOptions): Transport => {
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const patience = options.patienceMs ?? 60_000

  const once = async (path: string, request: RequestOptions, key: string): Promise<Response> => {
    const { bytes, type } = encodeBody(request.body)
    const method = request.method ?? (request.body === undefined ? "GET" : "POST")
    const description = {
      method,
      path,
      body: bytes,
      address: options.signer.address,
      nonce: randomBytes(16).toString("hex"),
      timestamp: now(),
    }
    const headers: Record<string, string> = {
      ...(await signRequest(description, options.signer.signMessage)),
      ...(method === "POST" ? { "Idempotency-Key": key } : {}),
      ...(type === "" ? {} : { "Content-Type": type }),
      ...request.headers,
    }
    return fetch(`${options.api}${path}`, {
      method,
      headers,
      ...(method === "POST" ? { body: bytes } : {}),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
  }

  const raw = async (path: string, request: RequestOptions = {}): Promise<Response> => {
    const key = request.idempotencyKey ?? randomBytes(16).toString("hex")
    const deadline = performance.now() + patience
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const result = await once(path, request, key).catch((error: unknown) => error)
      if (result instanceof Response && result.ok) return result
      let reason: string
      let wait = pause
      if (result instanceof Response) {
        const problem = await readProblem(result)
        if (!mayRepeat(result.status, problem)) throw new ProblemError(result.status, problem)
        wait = Math.max(pause, askedToWait(result))
        if (performance.now() + wait > deadline) throw new ProblemError(result.status, problem)
        reason = String(problem.code)
      } else {
        if (request.signal?.aborted) throw result
        reason = result instanceof Error ? result.message : String(result)
        if (performance.now() > deadline) {
          throw new AfgError("api-unreachable", `${options.api} did not answer for ${Math.round(patience / 1000)} s: ${reason}`, {
            cause: result,
          })
        }
      }
      options.onRetry?.(reason)
      await delay(wait, undefined, request.signal === undefined ? {} : { signal: request.signal })
    }
  }

  const json = async <T>(path: string, request: RequestOptions = {}): Promise<T> => {
    const response = await raw(path, request)
    try {
      return parseStrictJson(new Uint8Array(await response.arrayBuffer())) as T
    } catch (cause) {
      throw new AfgError("api-answer-malformed", `${path}: the answer is not JSON`, { cause })
    }
  }

  return { json, raw }
}

const readProblem = async (response: Response): Promise<Record<string, unknown>> => {
  const text = await response.text()
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document === "object" && document !== null) return document as Record<string, unknown>
  } catch {
    // Not a problem document: a proxy's page, perhaps. The status is all there is to tell.
  }
  return { code: "api-answer-malformed", detail: `HTTP ${response.status} without a problem document` }
}
