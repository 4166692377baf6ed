/** For agents: bring a request, wait for its answer. Nothing here decides anything. */
import { type Context, Hono } from "hono"
import { createStatus, formatTime, MEDIA_TYPES } from "../../aacp/index.ts"
import { AfgError } from "../../errors.ts"
import type { ConfirmErrorCode } from "../errors.ts"
import { MAX_REQUEST_BYTES } from "../intake/limits.ts"
import { receive } from "../intake/receive.ts"
import { answerDecision } from "../signing/answers.ts"
import { appendAudit } from "../store/audit.ts"
import { findRequest, type StoredRequest, stateOf } from "../store/requests.ts"
import type { Env, ServiceContext } from "./context.ts"
import { failureOf } from "./problem.ts"
import { limited } from "./security.ts"

/** Longest wait for an answer, in seconds: under what proxies and clients cut off. */
const MAX_WAIT_SECONDS = 30

/** Refusals that somebody should look at: one thing was stated and another carried, or a rejection was ignored. */
const TAMPERING: ReadonlySet<string> = new Set<ConfirmErrorCode>([
  "contract-hash-differs",
  "terms-hash-differs",
  "descriptor-differs",
  "request-known",
  "action-denied",
])

const known = (context: ServiceContext, id: string): StoredRequest => {
  const request = findRequest(context.database, id)
  if (request === undefined) throw new AfgError("confirm-not-found", "no request of that id was received")
  return request
}

/** Bytes up to the limit; beyond it nothing more is read. */
const readBody = async (c: Context<Env>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length
    if (size > MAX_REQUEST_BYTES) throw new AfgError("request-too-large", `more than ${MAX_REQUEST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Pending: 202. Decided: 200 with what was signed. Not decided in time: the status object. */
const answer = async (c: Context<Env>, context: ServiceContext, request: StoredRequest): Promise<Response> => {
  const { requestId } = request
  const state = stateOf(context.database, request, context.now())
  switch (state.kind) {
    case "decided": {
      const signed = await answerDecision(context.database, context.signer, requestId)
      return c.json({ "request-id": requestId, evidence: signed?.evidence, confirmation: signed?.confirmation ?? null })
    }
    case "expired": {
      // Reported as of when it happened, so that asking twice gives the same bytes.
      const status = createStatus(requestId, "dialog-expired", request.expiresAt + 1)
      return c.body(JSON.stringify(status), 200, { "Content-Type": MEDIA_TYPES.status })
    }
    case "withdrawn":
      throw new AfgError("action-denied", "the person rejected this action in another request")
    case "pending":
      return c.json(
        {
          "request-id": requestId,
          outcome: "pending",
          page: `${context.publicUrl}/confirm/${requestId}`,
          "decide-by": formatTime(request.expiresAt),
        },
        202,
        { Location: `/requests/${requestId}` },
      )
  }
}

/** Whole seconds from `?wait=`; anything else is no wait. */
const waitOf = (c: Context<Env>): number => {
  const text = c.req.query("wait") ?? "0"
  return /^\d{1,3}$/.test(text) ? Math.min(Number(text), MAX_WAIT_SECONDS) : 0
}

const receiveRequest = async (c: Context<Env>, context: ServiceContext): Promise<Response> => {
  const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase()
  if (type !== MEDIA_TYPES.request) throw new AfgError("request-media-type", `the type must be ${MEDIA_TYPES.request}`)
  const bytes = await readBody(c)
  const now = context.now()
  try {
    return await answer(c, context, await receive(context.database, context.admission, bytes, now))
  } catch (error) {
    const { code } = failureOf(error)
    context.log.warn({ code }, "request refused")
    if (TAMPERING.has(code)) appendAudit(context.database, { at: now, event: "request-refused", detail: { code } })
    throw error
  }
}

const waitForAnswer = async (c: Context<Env>, context: ServiceContext): Promise<Response> => {
  const request = known(context, c.req.param("id") ?? "")
  const seconds = waitOf(c)
  if (seconds > 0 && stateOf(context.database, request, context.now()).kind === "pending") {
    // No longer than the dialog itself: its end is an answer too.
    const left = request.expiresAt + 1 - context.now()
    await context.waiters.wait(request.requestId, Math.min(seconds, left) * 1_000, c.req.raw.signal)
  }
  return answer(c, context, request)
}

const evidenceAlone = async (c: Context<Env>, context: ServiceContext): Promise<Response> => {
  const request = known(context, c.req.param("id") ?? "")
  const signed = await answerDecision(context.database, context.signer, request.requestId)
  if (signed === null) throw new AfgError("confirm-not-found", "this request has no decision")
  return c.body(signed.evidence, 200, { "Content-Type": MEDIA_TYPES.evidence })
}

export const requestRoutes = (context: ServiceContext): Hono<Env> => {
  const routes = new Hono<Env>()
  routes.post("/", limited(context.limits.requests), (c) => receiveRequest(c, context))
  routes.get("/:id", limited(context.limits.answers), (c) => waitForAnswer(c, context))
  routes.get("/:id/evidence", limited(context.limits.answers), (c) => evidenceAlone(c, context))
  return routes
}
