/** Sessions: whose browser (or demo program) this is, and how that is known. */
import { isMethod, METHODS, type Method } from "../methods.ts"
import { newSecret, secretId } from "../secrets.ts"
import { appendAudit } from "./audit.ts"
import type { Database, Row } from "./database.ts"

export type Session = {
  readonly sessionId: string
  readonly subject: string
  readonly method: Method
  readonly loa: number
  /** The only request this session may see, or null for all of the subject's. */
  readonly requestId: string | null
  /** Unix seconds. */
  readonly expiresAt: number
}

/** A row of a method that this program no longer offers opens nothing. */
const fromRow = (row: Row): Session | null => {
  const method = String(row.method)
  if (!isMethod(method)) return null
  return {
    sessionId: String(row.session_id),
    subject: String(row.subject),
    method,
    loa: Number(row.loa),
    requestId: row.request_id === null ? null : String(row.request_id),
    expiresAt: Number(row.expires_at),
  }
}

/** Makes a session and returns the secret that opens it; the store keeps only the secret's digest. */
export const createSession = (
  database: Database,
  input: { subject: string; method: Method; requestId: string | null; now: number; lifetime: number },
): string => {
  const secret = newSecret()
  database.run(
    `INSERT INTO session (session_id, subject, method, loa, request_id, created_at, expires_at)
     VALUES (:id, :subject, :method, :loa, :request, :now, :expires)`,
    {
      id: secretId(secret),
      subject: input.subject,
      method: input.method,
      loa: METHODS[input.method].loa,
      request: input.requestId,
      now: input.now,
      expires: input.now + input.lifetime,
    },
  )
  return secret
}

export const findSession = (database: Database, secret: string, now: number): Session | null => {
  const row = database.get("SELECT * FROM session WHERE session_id = :id AND expires_at >= :now", { id: secretId(secret), now })
  return row === undefined ? null : fromRow(row)
}

/** Enrols a program as the demonstration's person: loa 0, the local chain only. */
export const enrolScriptedSession = (database: Database, input: { subject: string; now: number; lifetime: number }): string =>
  database.transaction(() => {
    const secret = createSession(database, { ...input, method: "scripted-demo", requestId: null })
    appendAudit(database, { at: input.now, event: "session-enrolled", detail: { subject: input.subject, method: "scripted-demo" } })
    return secret
  })
