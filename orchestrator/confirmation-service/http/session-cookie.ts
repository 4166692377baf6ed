/** The session's secret in the browser: out of reach of scripts, never sent from another site. */
import type { Context } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import { AfgError } from "../../errors.ts"
import { findSession, type Session } from "../store/sessions.ts"
import type { Env, ServiceContext } from "./context.ts"

const NAME = "afg-confirmation"

const isSecure = (context: ServiceContext): boolean => context.publicUrl.startsWith("https:")

/** Over HTTPS the `__Host-` prefix keeps sibling domains from planting a session of theirs. */
export const cookieName = (secure: boolean): string => (secure ? `__Host-${NAME}` : NAME)

export const setSessionCookie = (c: Context<Env>, context: ServiceContext, secret: string, maxAge: number): void => {
  const secure = isSecure(context)
  setCookie(c, cookieName(secure), secret, { httpOnly: true, sameSite: "Strict", path: "/", secure, maxAge })
}

/** Throws `session-missing`. */
export const sessionOf = (c: Context<Env>, context: ServiceContext): Session => {
  const secret = getCookie(c, cookieName(isSecure(context)))
  const session = secret === undefined ? null : findSession(context.database, secret, context.now())
  if (session === null) throw new AfgError("session-missing", "open a link from the service's terminal first")
  return session
}
