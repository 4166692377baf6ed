/** One-time links: whoever can read the service's terminal may hand a person a session for one pending request. */
import { newSecret, secretId } from "../secrets.ts"
import { appendAudit } from "./audit.ts"
import type { Database } from "./database.ts"
import { findRequest, type StoredRequest } from "./requests.ts"
import { createSession } from "./sessions.ts"

/** Time from printing the link to opening it, and from opening it to the session's end. */
export const LINK_SECONDS = 600
export const LINK_SESSION_SECONDS = 1_800

/** The link's secret. */
export const createLink = (database: Database, requestId: string, now: number): string =>
  database.transaction(() => {
    const secret = newSecret()
    database.run("INSERT INTO link (link_id, request_id, created_at, expires_at) VALUES (:id, :request, :now, :expires)", {
      id: secretId(secret),
      request: requestId,
      now,
      expires: now + LINK_SECONDS,
    })
    appendAudit(database, { at: now, event: "link-made", requestId })
    return secret
  })

/** What an unused, unexpired link is for; null otherwise. Looking does not use it up: mail scanners and previews look too. */
export const linkTarget = (database: Database, secret: string, now: number): StoredRequest | null => {
  const row = database.get("SELECT request_id FROM link WHERE link_id = :id AND used_at IS NULL AND expires_at >= :now", {
    id: secretId(secret),
    now,
  })
  return row === undefined ? null : (findRequest(database, String(row.request_id)) ?? null)
}

/** Uses the link up and opens a session for its request; null when the link opens nothing. */
export const openLink = (database: Database, secret: string, now: number): { request: StoredRequest; sessionSecret: string } | null =>
  database.transaction(() => {
    const request = linkTarget(database, secret, now)
    if (request === null) return null
    database.run("UPDATE link SET used_at = :now WHERE link_id = :id", { id: secretId(secret), now })
    appendAudit(database, { at: now, event: "link-opened", requestId: request.requestId })
    const sessionSecret = createSession(database, {
      subject: request.subject,
      method: "one-time-link",
      requestId: request.requestId,
      now,
      lifetime: LINK_SESSION_SECONDS,
    })
    return { request, sessionSecret }
  })
