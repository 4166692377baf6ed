/** The HTTP interface: one table of routes, the same steps for each. */
import { randomUUID } from "node:crypto"
import { Hono } from "hono"
import { sql } from "kysely"
import { isAfgError } from "../errors.ts"
import { authenticate, requireAgent } from "./auth.ts"
import { jsonBody, readBody } from "./body.ts"
import { bodyLimit } from "./body-limit.ts"
import type { ApiContext, ApiEnv, ApiServices } from "./context.ts"
import { keepAnswer, oneAtATime, readIdempotencyKey, recallAnswer } from "./idempotency.ts"
import { openApiDocument } from "./openapi.ts"
import { ApiError, problemOf } from "./problem.ts"
import { rateLimit } from "./rate-limit.ts"
import { concede, submit } from "./routes/acts.ts"
import { getArtifact, putArtifact } from "./routes/artifacts.ts"
import { streamEvents } from "./routes/events.ts"
import { authorizeFunding, fund } from "./routes/fund.ts"
import { getJob, postJob, signJob } from "./routes/jobs.ts"
import { warpBody } from "./schemas.ts"

/** Answers of the routes made with `post` are kept under their Idempotency-Key. Funding has its own rule (AACP §8.3), and bytes are their own key. */
type Handler = (services: ApiServices, c: ApiContext, id: string) => Promise<unknown>

const requestIdOf = (c: ApiContext): string => c.get("requestId") ?? "none"

const fail = (services: ApiServices, c: ApiContext, error: unknown): Response => {
  const problem = problemOf(error, requestIdOf(c))
  if (problem.status >= 500 && !(error instanceof ApiError)) {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const { code } = problem.document
    services.log(code === "internal" ? "error" : "warn", "request failed", {
      request: requestIdOf(c),
      method: c.req.method,
      path: c.req.path,
      code,
      cause,
    })
  }
  return new Response(JSON.stringify(problem.document), {
    status: problem.status,
    headers: { ...problem.headers, ...commonHeaders(c) },
  })
}

const commonHeaders = (c: ApiContext): Record<string, string> => ({
  "X-Request-Id": requestIdOf(c),
  "X-Content-Type-Options": "nosniff",
})

/** Which methods a path takes, for a request with another one; empty: there is no such path. */
const allowedMethods = (app: Hono<ApiEnv>, path: string): string[] => {
  const methods = app.routes
    .filter(({ path: pattern }) => pattern !== "/*" && new RegExp(`^${pattern.replaceAll(/:[a-z]+/g, "[^/]+")}$`).test(path))
    .map(({ method }) => method)
  return [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))]
}

export const createApp = (services: ApiServices): Hono<ApiEnv> => {
  const app = new Hono<ApiEnv>()
  const submissions = rateLimit(services.limits.submissionsPerMinute)
  const queued = oneAtATime()

  /** Runs a handler once per Idempotency-Key: its answer is kept and given again. */
  const idempotently = async (c: ApiContext, run: () => Promise<unknown>, status: 200 | 201): Promise<Response> => {
    const agent = c.get("agent")
    const key = readIdempotencyKey(c.req.header("Idempotency-Key"))
    if (agent === null || key === null) return c.json((await run()) as object, status)
    const { pathname, search } = new URL(c.req.url)
    const request = { agent, key, method: c.req.method, path: `${pathname}${search}`, body: c.get("body"), now: services.clocks.wall() }
    return queued(`${agent} ${key}`, async () => {
      const earlier = await recallAnswer(services.store.db, request)
      if (earlier.answer !== null) return c.json(earlier.answer.body as object, earlier.answer.status as 200)
      c.set("repeated", earlier.repeated)
      const body = await run()
      await keepAnswer(services.store.db, request, { status, body })
      return c.json(body as object, status)
    })
  }

  app.use("*", async (c, next) => {
    c.set("requestId", randomUUID())
    c.set("agent", null)
    c.set("repeated", false)
    c.set("body", await readBody(c, await bodyLimit(services, c)))
    c.set("agent", await authenticate(services, c))
    await next()
    for (const [name, value] of Object.entries(commonHeaders(c))) c.header(name, value)
    return undefined
  })
  app.onError((error, c) => fail(services, c as ApiContext, error))
  app.notFound((c) => {
    const allow = allowedMethods(app, c.req.path).join(", ")
    return fail(
      services,
      c as ApiContext,
      allow === ""
        ? new ApiError("not_found", `there is nothing at ${c.req.path}`)
        : new ApiError("method_not_allowed", `${c.req.path} takes ${allow}`, { headers: { Allow: allow } }),
    )
  })

  const post = (path: string, handler: Handler, status: 200 | 201 = 200): void => {
    app.post(path, (c) => idempotently(c, () => handler(services, c, c.req.param("id") ?? ""), status))
  }

  app.get("/healthz", (c) => c.json({ ok: true }))
  app.get("/readyz", async (c) => {
    await sql`select 1`.execute(services.store.db)
    return c.json({ ok: true, chain_time: await services.clocks.chain() })
  })
  app.get("/openapi.json", (c) => c.json(openApiDocument(services.publicOrigin)))

  app.post("/v1/speccheck", async (c) => {
    const report = await services.lint(c.get("body"), { chain: true }).catch((error: unknown) => {
      // A contract for a chain that this orchestrator does not watch is judged without it.
      if (isAfgError(error) && error.code === "rpc-wrong-chain") return services.lint(c.get("body"), { chain: false })
      throw error
    })
    const malformed = report.rejects.some(({ code }) => code === "schema" || code.startsWith("json-"))
    return c.json({ valid: !malformed, ...report })
  })
  post("/v1/jobs", (_services, c) => postJob(services, c), 201)
  app.get("/v1/jobs/:id", async (c) => c.json(await getJob(services, c.req.param("id"))))
  app.get("/v1/jobs/:id/events", (c) => streamEvents(services, c, c.req.param("id")))
  post("/v1/jobs/:id/sign", signJob)
  app.post("/v1/jobs/:id/fund", async (c) => c.json(await fund(services, c, c.req.param("id"))))
  post("/v1/jobs/:id/fund/authorization", authorizeFunding)
  post("/v1/jobs/:id/submit", async (_services, c, id) => {
    submissions(requireAgent(c), services.clocks.wall())
    return submit(services, c, id)
  })
  post("/v1/jobs/:id/concede", concede)
  app.post("/v1/artifacts", async (c) => c.json(await putArtifact(services, c), 201))
  app.get("/v1/artifacts/:reference", async (c) => {
    const bytes = await getArtifact(services, c.req.param("reference"))
    return c.body(bytes as Uint8Array<ArrayBuffer>, 200, {
      "Content-Type": "application/octet-stream",
      "Content-Disposition": "attachment",
      "Cache-Control": "public, max-age=31536000, immutable",
    })
  })

  const { warp } = services
  if (warp !== undefined)
    app.post("/dev/warp", async (c) => {
      const { seconds } = jsonBody(c, warpBody)
      await warp(seconds)
      return c.json({ chain_time: await services.clocks.chain() })
    })
  return app
}
