/** What every answer carries, and what every form must. */
import type { Context, MiddlewareHandler } from "hono"
import { AfgError } from "../../errors.ts"
import type { Env } from "./context.ts"
import type { RateLimit } from "./rate-limit.ts"

/** Nothing but our own style sheet and icon; no script at all; no frame around us; forms go nowhere else. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join("; ")

export const securityHeaders =
  (secure: boolean): MiddlewareHandler<Env> =>
  async (c, next) => {
    await next()
    const { headers } = c.res
    headers.set("Content-Security-Policy", POLICY)
    headers.set("X-Content-Type-Options", "nosniff")
    headers.set("X-Frame-Options", "DENY")
    // Not no-referrer: browsers would then send `Origin: null` with our own forms.
    headers.set("Referrer-Policy", "same-origin")
    headers.set("Cross-Origin-Opener-Policy", "same-origin")
    headers.set("Cross-Origin-Resource-Policy", "same-origin")
    headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store")
    if (secure) headers.set("Strict-Transport-Security", "max-age=31536000")
  }

/** The peer's address. Headers that a proxy may add are not believed: anyone can send them. */
const callerOf = (c: Context<Env>): string => c.env?.incoming?.socket.remoteAddress ?? "unknown"

/** Throws `rate-limited`; the error handler adds Retry-After from its details. */
export const limited =
  (limit: RateLimit): MiddlewareHandler<Env> =>
  async (c, next) => {
    const seconds = limit.take(callerOf(c))
    if (seconds !== null) throw new AfgError("rate-limited", `try again in ${seconds} s`, { details: { retryAfter: seconds } })
    await next()
  }

/**
 * A form comes from our own page: browsers say so on every POST, by `Sec-Fetch-Site` or by `Origin`. Whoever says neither is no
 * browser that could carry someone's session unknowingly, and is refused as well. Throws `form-foreign`.
 */
export const assertOwnForm = (c: Context<Env>, publicOrigin: string): void => {
  const site = c.req.header("sec-fetch-site")
  const origin = c.req.header("origin")
  const own = (site === undefined || site === "same-origin") && (origin === undefined ? site !== undefined : origin === publicOrigin)
  if (!own) throw new AfgError("form-foreign", "this form was not sent from our own page")
}
