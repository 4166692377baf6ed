/** The service's HTTP face: one part for agents, one for people, one key set for verifiers. */
import { Hono } from "hono"
import { AfgError, isAfgError } from "../../errors.ts"
import { ICON, STYLE } from "../pages/style.ts"
import { publicJwks } from "../signing/jwks.ts"
import type { Env, ServiceContext } from "./context.ts"
import { pageRoutes } from "./page-routes.ts"
import { failureOf, problemDocument, problemPage } from "./problem.ts"
import { requestRoutes } from "./request-routes.ts"
import { securityHeaders } from "./security.ts"

/** Paths that programs call; all others are pages. */
const isForPrograms = (path: string): boolean => path.startsWith("/requests") || path.startsWith("/.well-known/")

const retryAfter = (error: unknown): Record<string, string> => {
  const seconds = isAfgError(error) ? error.details?.retryAfter : undefined
  return typeof seconds === "number" ? { "Retry-After": String(seconds) } : {}
}

const failed = (context: ServiceContext, path: string, error: unknown): Response => {
  const failure = failureOf(error)
  if (failure.code === "confirm-internal") context.log.error(error, "unexpected failure")
  const status = failure.entry.status
  if (isForPrograms(path)) {
    const headers = { "Content-Type": "application/problem+json", ...retryAfter(error) }
    return new Response(JSON.stringify(problemDocument(failure)), { status, headers })
  }
  const back = path.startsWith("/confirm/") && failure.code.startsWith("form-") ? path : null
  return new Response(problemPage(failure, back).toString(), {
    status,
    headers: { "Content-Type": "text/html; charset=utf-8", ...retryAfter(error) },
  })
}

export const createApp = (context: ServiceContext): Hono<Env> => {
  const app = new Hono<Env>()
  app.use(securityHeaders(context.publicUrl.startsWith("https:")))
  app.use(async (_c, next) => {
    await context.clock.refresh()
    await next()
  })
  app.get("/.well-known/jwks.json", (c) =>
    c.body(JSON.stringify(publicJwks(context.signer, context.issuer)), 200, {
      "Content-Type": "application/jwk-set+json",
      "Cache-Control": "public, max-age=60",
    }),
  )
  const fixed = { "Cache-Control": "public, max-age=3600" }
  app.get("/style.css", (c) => c.body(STYLE, 200, { "Content-Type": "text/css; charset=utf-8", ...fixed }))
  app.get("/icon.svg", (c) => c.body(ICON, 200, { "Content-Type": "image/svg+xml", ...fixed }))
  app.route("/requests", requestRoutes(context))
  app.route("/", pageRoutes(context))
  app.notFound((c) => failed(context, c.req.path, new AfgError("confirm-not-found", "there is nothing at this address")))
  app.onError((error, c) => failed(context, c.req.path, error))
  return app
}
