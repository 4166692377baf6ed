/** For people: the inbox, the page with the decision, and the links that open a session. */
import { type Context, Hono } from "hono"
import { AfgError, isAfgError } from "../../errors.ts"
import { allowAgain, decide, mayDecide, maySee } from "../decide.ts"
import { MAX_FORM_BYTES } from "../intake/limits.ts"
import { confirmPage, settledPage } from "../pages/confirm-page.ts"
import type { Html } from "../pages/html.ts"
import { type InboxItem, inboxPage } from "../pages/inbox-page.ts"
import { linkPage } from "../pages/link-page.ts"
import { answerDecision } from "../signing/answers.ts"
import { renderForm } from "../store/forms.ts"
import { LINK_SESSION_SECONDS, linkTarget, openLink } from "../store/links.ts"
import { findRequest, requestsOf, type StoredRequest, standingDenial, stateOf } from "../store/requests.ts"
import type { Session } from "../store/sessions.ts"
import type { Env, ServiceContext } from "./context.ts"
import { failureOf } from "./problem.ts"
import { assertOwnForm, limited } from "./security.ts"
import { sessionOf, setSessionCookie } from "./session-cookie.ts"

const INBOX_LENGTH = 100

const page = (c: Context<Env>, content: Html, status = 200): Response =>
  c.body(content.toString(), status as 200, { "Content-Type": "text/html; charset=utf-8" })

/** What another session's request looks like to this one: like none. */
const visibleRequest = (c: Context<Env>, context: ServiceContext, session: Session): StoredRequest => {
  const request = findRequest(context.database, c.req.param("id") ?? "")
  if (request === undefined || !maySee(session, request)) throw new AfgError("confirm-not-found", "no such request waits here")
  return request
}

/** The members of a form, each at most once. Throws `form-malformed`. */
const readForm = async (c: Context<Env>, names: readonly string[]): Promise<Record<string, string>> => {
  const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase()
  const length = Number(c.req.header("content-length") ?? Number.NaN)
  if (type !== "application/x-www-form-urlencoded" || !(length <= MAX_FORM_BYTES)) {
    throw new AfgError("form-malformed", "a short form of our own page was expected")
  }
  const sent = new URLSearchParams(await c.req.text())
  const entries = names.map((name): [string, string] => {
    const [value, ...more] = sent.getAll(name)
    if (value === undefined || more.length > 0) throw new AfgError("form-malformed", `${name} must be there once`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}

const showConfirmation = (c: Context<Env>, context: ServiceContext): Response => {
  const session = sessionOf(c, context)
  const request = visibleRequest(c, context, session)
  const now = context.now()
  const state = stateOf(context.database, request, now)
  if (state.kind !== "pending") return page(c, settledPage(request, state, null))
  if (!mayDecide(session, request)) throw new AfgError("chain-not-served", `${session.method} is not admitted for chain ${request.chainId}`)
  const token = renderForm(context.database, { session, request, purpose: "decide", now })
  return page(c, confirmPage(request, session, token, now))
}

const CHOICES = { confirmed: "confirmed", denied: "denied" } as const

const takeDecision = async (c: Context<Env>, context: ServiceContext): Promise<Response> => {
  assertOwnForm(c, new URL(context.publicUrl).origin)
  const session = sessionOf(c, context)
  const request = visibleRequest(c, context, session)
  const form = await readForm(c, ["token", "decision"])
  const decision = Object.values(CHOICES).find((choice) => choice === form.decision)
  if (decision === undefined) throw new AfgError("form-malformed", "decision must be confirmed or denied")
  const now = context.now()
  try {
    decide(context.database, { session, request, token: form.token ?? "", decision, now })
  } catch (error) {
    const state = stateOf(context.database, request, now)
    // Too late, twice, or in another tab: the person sees how it stands.
    if (isAfgError(error) && state.kind !== "pending" && error.code !== "form-foreign") {
      const { entry } = failureOf(error)
      return page(c, settledPage(request, state, entry.what), entry.status)
    }
    throw error
  }
  context.log.info({ request: request.requestId, decision }, "decided")
  // The decision is durable. Should signing fail now, whoever asks for the answer makes it be tried again.
  await answerDecision(context.database, context.signer, request.requestId).catch((error: unknown) =>
    context.log.error(error, "signing failed"),
  )
  context.waiters.wake(request.requestId)
  return c.redirect(`/confirm/${request.requestId}`, 303)
}

const showInbox = (c: Context<Env>, context: ServiceContext): Response => {
  const session = sessionOf(c, context)
  const now = context.now()
  const items = requestsOf(context.database, session.subject, session.requestId, INBOX_LENGTH).map((request): InboxItem => {
    const state = stateOf(context.database, request, now)
    const stands =
      standingDenial(context.database, request.subject, request.actionDigest) === request.requestId && mayDecide(session, request)
    const allowAgainToken = stands ? renderForm(context.database, { session, request, purpose: "allow-again", now }) : null
    return { request, state, allowAgainToken }
  })
  return page(c, inboxPage(session, items, now))
}

const takeTurn = async (c: Context<Env>, context: ServiceContext): Promise<Response> => {
  assertOwnForm(c, new URL(context.publicUrl).origin)
  const session = sessionOf(c, context)
  const request = visibleRequest(c, context, session)
  const form = await readForm(c, ["token"])
  allowAgain(context.database, { session, request, token: form.token ?? "", now: context.now() })
  return c.redirect("/", 303)
}

const showLink = (c: Context<Env>, context: ServiceContext): Response => {
  const secret = c.req.param("secret") ?? ""
  if (linkTarget(context.database, secret, context.now()) === null) throw new AfgError("link-invalid", "this link opens nothing")
  return page(c, linkPage(secret))
}

const takeLink = (c: Context<Env>, context: ServiceContext): Response => {
  assertOwnForm(c, new URL(context.publicUrl).origin)
  const opened = openLink(context.database, c.req.param("secret") ?? "", context.now())
  if (opened === null) throw new AfgError("link-invalid", "this link opens nothing")
  setSessionCookie(c, context, opened.sessionSecret, LINK_SESSION_SECONDS)
  return c.redirect(`/confirm/${opened.request.requestId}`, 303)
}

export const pageRoutes = (context: ServiceContext): Hono<Env> => {
  const routes = new Hono<Env>()
  const { pages } = context.limits
  routes.get("/", limited(pages), (c) => showInbox(c, context))
  routes.get("/confirm/:id", limited(pages), (c) => showConfirmation(c, context))
  routes.post("/confirm/:id", limited(pages), (c) => takeDecision(c, context))
  routes.post("/turns/:id", limited(pages), (c) => takeTurn(c, context))
  routes.get("/link/:secret", limited(pages), (c) => showLink(c, context))
  routes.post("/link/:secret", limited(pages), (c) => takeLink(c, context))
  return routes
}
