/**
 * A gate for annotated operations (AACP §10): the operation's handler runs only behind valid evidence for exactly this
 * call. For Hono.
 */
import type { Context, MiddlewareHandler } from "hono"
import { AfgError, isAfgError } from "../../errors.ts"
import type { ActionDescriptor } from "../descriptor.ts"
import type { Entropy } from "../identifiers.ts"
import { isJsonObject, type JsonObject, parseJson } from "../json.ts"
import type { KeySource } from "../keys/source.ts"
import type { RequestLedger } from "../replay/requests.ts"
import type { DenialRegister, OutcomeMemory, ReplayStore } from "../replay/store.ts"
import { type ConfirmationRequest, createRequest, DEFAULT_LIFETIME } from "../request.ts"
import type { Policy } from "../verify/policy.ts"
import { type Verification, verifyEvidence } from "../verify/verify.ts"
import { type Annotation, descriptorOf, EVIDENCE_FIELD } from "../x-aacp.ts"
import { type ProblemAnswer, problemOf } from "./problem.ts"

/** Header that carries the evidence, a compact JWS. */
export const EVIDENCE_HEADER = "AACP-Evidence"

export type ConfirmationGate = {
  /** The operation's `x-aacp`. */
  readonly annotation: Annotation
  readonly keys: KeySource
  readonly policy: Policy
  readonly replay: ReplayStore
  readonly requests: RequestLedger
  readonly outcomes?: OutcomeMemory
  readonly denials?: DenialRegister
  /** Names this API as the verifier: becomes the request's audience. */
  readonly audience: string | ((c: Context) => string | Promise<string>)
  /** The person to ask, where the call tells. */
  readonly subject?: (c: Context) => string | undefined | Promise<string | undefined>
  /** The descriptor of this call. Default: the REST mapping of URL and JSON body. */
  readonly describe?: (c: Context, body: JsonObject) => ActionDescriptor | Promise<ActionDescriptor>
  /** The API's public address, for `locations` behind a proxy. Default: the request's own origin. */
  readonly publicOrigin?: string
  /** Seconds that a confirmation stays acceptable. Default 300. */
  readonly lifetime?: number
  /** Unix seconds. */
  readonly now: () => number
  readonly entropy: Entropy
}

/** What a handler behind the gate finds under `c.get("confirmation")`. */
export type ConfirmedVariables = { confirmation: Verification }

/** Requests are kept while a person may be deciding, beyond the confirmation's own lifetime: seconds. */
const KEEP_REQUESTS = 3600

const readBody = async (c: Context): Promise<JsonObject> => {
  const text = await c.req.text()
  if (text === "") return {}
  const body = parseJson(text)
  if (!isJsonObject(body)) throw new AfgError("aacp-mapping-impossible", "the request body must be a JSON object", { path: "" })
  return body
}

const presented = (c: Context, body: JsonObject): string | undefined => {
  const header = c.req.header(EVIDENCE_HEADER)
  const member = Object.hasOwn(body, EVIDENCE_FIELD) ? body[EVIDENCE_FIELD] : undefined
  if (header !== undefined && header !== "") return header.trim()
  return typeof member === "string" ? member : member === undefined ? undefined : JSON.stringify(member)
}

const locationOf = (c: Context, publicOrigin: string | undefined): string => {
  const url = new URL(c.req.url)
  return `${publicOrigin ?? url.origin}${url.pathname}${url.search}`
}

const respond = ({ status, headers, body }: ProblemAnswer): Response => new Response(JSON.stringify(body), { status, headers })

const unreadable = (error: AfgError): Response =>
  Response.json(
    {
      type: `urn:aacp:error:${error.code}`,
      title: error.message,
      status: 400,
      code: error.code,
      ...(error.path === undefined ? {} : { path: error.path }),
    },
    { status: 400, headers: { "content-type": "application/problem+json" } },
  )

/**
 * Middleware that answers `428 confirmation_required` with a fresh request when no evidence comes along, the outcome's
 * own error when it does not hold, and otherwise lets the call through, once.
 *
 * ```ts
 * app.post("/bookings", requireConfirmation({ annotation, keys, policy, replay, requests, audience: "agent:booking", now, entropy }), book)
 * ```
 */
export const requireConfirmation = (gate: ConfirmationGate): MiddlewareHandler<{ Variables: ConfirmedVariables }> => {
  const { annotation, lifetime = DEFAULT_LIFETIME, now, requests } = gate

  const ask = async (c: Context, descriptor: ActionDescriptor, audience: string): Promise<ConfirmationRequest> => {
    const request = createRequest({ descriptor, lifetime, audience, subject: await gate.subject?.(c) }, gate.entropy)
    await requests.issue(request, now() + lifetime + KEEP_REQUESTS, now())
    return request
  }

  return async (c, next) => {
    let descriptor: ActionDescriptor
    let evidence: string | undefined
    try {
      const body = await readBody(c)
      evidence = presented(c, body)
      descriptor = await (gate.describe?.(c, body) ??
        descriptorOf(annotation, { location: locationOf(c, gate.publicOrigin), fields: body }))
    } catch (error) {
      if (!isAfgError(error)) throw error
      return unreadable(error)
    }
    const audience = typeof gate.audience === "string" ? gate.audience : await gate.audience(c)
    const result = await verifyEvidence({
      evidence,
      keys: gate.keys,
      descriptor,
      rendering: annotation,
      request: (id) => requests.find(id),
      audience,
      policy: gate.policy,
      replay: gate.replay,
      outcomes: gate.outcomes,
      denials: gate.denials,
      now: now(),
    })
    const problem = problemOf(result, result.outcome === "absent" ? await ask(c, descriptor, audience) : undefined)
    if (problem !== null) return respond(problem)
    c.set("confirmation", result)
    await next()
    return undefined
  }
}
