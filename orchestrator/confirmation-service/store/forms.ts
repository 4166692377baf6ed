/** Forms: each rendering of a page with a decision on it gets a token of its own, good once, for that session. */
import { AfgError } from "../../errors.ts"
import type { ConfirmErrorCode } from "../errors.ts"
import { newSecret, secretId } from "../secrets.ts"
import type { Database } from "./database.ts"
import type { StoredRequest } from "./requests.ts"
import type { Session } from "./sessions.ts"

export type FormPurpose = "decide" | "allow-again"

/** How long a rendered page may lie open. */
export const FORM_SECONDS = 900
/** Open pages per session and request; the oldest close first. */
const MAX_OPEN = 20

/** Records that the page was rendered and returns the token to put into its form. */
export const renderForm = (
  database: Database,
  input: { session: Session; request: StoredRequest; purpose: FormPurpose; now: number },
): string =>
  database.transaction(() => {
    const { session, request, purpose, now } = input
    const token = newSecret()
    const expires = purpose === "decide" ? Math.min(request.expiresAt, now + FORM_SECONDS) : now + FORM_SECONDS
    database.run(
      `DELETE FROM form WHERE used_at IS NULL AND session_id = :session AND form_id IN (
         SELECT form_id FROM form WHERE session_id = :session AND request_id = :request AND used_at IS NULL
         ORDER BY rendered_at DESC, rowid DESC LIMIT -1 OFFSET :keep)`,
      { session: session.sessionId, request: request.requestId, keep: MAX_OPEN - 1 },
    )
    database.run(
      `INSERT INTO form (form_id, session_id, request_id, purpose, rendering_digest, rendered_at, expires_at)
       VALUES (:id, :session, :request, :purpose, :rendering, :now, :expires)`,
      {
        id: secretId(token),
        session: session.sessionId,
        request: request.requestId,
        purpose,
        rendering: request.renderingDigest,
        now,
        expires,
      },
    )
    return token
  })

const refuse = (code: ConfirmErrorCode, message: string): never => {
  throw new AfgError(code, message)
}

export type OpenForm = { readonly formId: string; readonly renderingDigest: string; readonly expiresAt: number }

/** The form that a token belongs to. Throws `form-foreign` or `form-used`. */
export const findForm = (
  database: Database,
  input: { session: Session; requestId: string; purpose: FormPurpose; token: string },
): OpenForm => {
  const formId = secretId(input.token)
  const row = database.get("SELECT * FROM form WHERE form_id = :id AND session_id = :session", {
    id: formId,
    session: input.session.sessionId,
  })
  if (row === undefined || row.request_id !== input.requestId || row.purpose !== input.purpose) {
    return refuse("form-foreign", "this form was not rendered for this session and request")
  }
  if (row.used_at !== null) return refuse("form-used", "this form was sent before")
  return { formId, renderingDigest: String(row.rendering_digest), expiresAt: Number(row.expires_at) }
}

/** Uses a form up; call it inside the transaction that records what it decides. Throws `form-expired`. */
export const closeForm = (database: Database, form: OpenForm, now: number): void => {
  if (form.expiresAt < now) refuse("form-expired", "this form was rendered too long ago")
  database.run("UPDATE form SET used_at = :now WHERE form_id = :id", { id: form.formId, now })
}
