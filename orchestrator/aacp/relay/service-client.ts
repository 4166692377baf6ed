/** A confirmation service over HTTP, as an agent uses it: submit a request, wait for its answer, come back later. */
import { setTimeout as pause } from "node:timers/promises"
import { AfgError } from "../../errors.ts"
import { canonicalText } from "../json.ts"
import { MEDIA_TYPES } from "../media-types.ts"
import type { ConfirmationRequest } from "../request.ts"
import { type Answer, readAnswer } from "./answer.ts"

export interface ServiceClient {
  /** Brings a request. The same request again gives the same answer. Throws `aacp-service-refused` or `aacp-service-unreachable`. */
  submit(request: ConfirmationRequest): Promise<Answer>
  /** Asks for the answer, waiting at the service for up to `seconds`. Needs nothing but the id, so it works after any interruption. */
  poll(requestId: string, seconds: number): Promise<Answer>
}

export type HttpServiceOptions = {
  /** Where requests are posted and found, such as `https://cs.example.com/requests`. */
  readonly endpoint: string
  readonly fetch?: typeof globalThis.fetch
  /** Longest wait for the service's reply beyond a poll's own seconds, in milliseconds. Default 10,000. */
  readonly timeout?: number
}

/** Answers are small; a longer one is not read to its end. */
const MAX_ANSWER_BYTES = 64 * 1024

const readBody = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) throw new AfgError("aacp-service-refused", `the answer has more than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

export const httpService = ({ endpoint, fetch = globalThis.fetch, timeout = 10_000 }: HttpServiceOptions): ServiceClient => {
  const call = async (url: string, init: RequestInit, seconds: number): Promise<Answer> => {
    let response: Response
    let body: string
    try {
      response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(timeout + seconds * 1000) })
      body = await readBody(response)
    } catch (cause) {
      if (cause instanceof AfgError) throw cause
      throw new AfgError("aacp-service-unreachable", "the confirmation service does not answer", { cause })
    }
    if (response.ok) return readAnswer(response.headers.get("content-type") ?? "", body)
    const code = response.status >= 500 ? "aacp-service-unreachable" : "aacp-service-refused"
    throw new AfgError(code, `the confirmation service answered ${response.status}`, {
      details: { status: response.status, body: body.slice(0, 2000) },
    })
  }
  return {
    submit: (request) =>
      call(endpoint, { method: "POST", headers: { "content-type": MEDIA_TYPES.request }, body: canonicalText(request) }, 0),
    poll: (requestId, seconds) => call(`${endpoint}/${requestId}?wait=${seconds}`, { method: "GET" }, seconds),
  }
}

export type AwaitOptions = {
  /** Unix seconds. */
  readonly now: () => number
  /** Unix seconds after which a pending request is given up; it can be resumed by its id. */
  readonly until: number
  /** Seconds to wait at the service per poll. Default 25. */
  readonly wait?: number
  /** Milliseconds between polls of a service that does not wait by itself. Default 1000. */
  readonly pauseMs?: number
  readonly signal?: AbortSignal
}

/** Polls until there is an answer, or returns `pending` at `until`. */
export const awaitAnswer = async (service: ServiceClient, requestId: string, options: AwaitOptions): Promise<Answer> => {
  const { now, until, wait = 25, pauseMs = 1000, signal } = options
  for (;;) {
    const seconds = Math.max(0, Math.min(wait, Math.floor(until - now())))
    const began = performance.now()
    const answer = await service.poll(requestId, seconds)
    if (answer.kind !== "pending" || now() >= until) return answer
    signal?.throwIfAborted()
    // A service that kept us waiting needs no pause; one that answered at once must not be hammered.
    if (performance.now() - began < pauseMs) await pause(pauseMs, undefined, signal === undefined ? {} : { signal })
  }
}
