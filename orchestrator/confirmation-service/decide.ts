/**
 * The one place where a decision comes into being: from a form that this service rendered, sent by the session it was
 * rendered for. There is no other way in: no setting, no route, no variable decides, and the store refuses a decision
 * without such a form.
 */
import { AfgError } from "../errors.ts"
import type { ConfirmErrorCode } from "./errors.ts"
import { methodServes } from "./methods.ts"
import { newSecret } from "./secrets.ts"
import { appendAudit } from "./store/audit.ts"
import type { Database } from "./store/database.ts"
import { closeForm, findForm } from "./store/forms.ts"
import { type StoredRequest, standingDenial, stateOf } from "./store/requests.ts"
import type { Session } from "./store/sessions.ts"

export type DecisionRecord = {
  readonly decision: "confirmed" | "denied"
  readonly subject: string
  readonly method: string
  readonly loa: number
  readonly renderingDigest: string
  readonly dialogTurn: string | null
  /** Unix seconds. */
  readonly decidedAt: number
}

const refuse = (code: ConfirmErrorCode, message: string): never => {
  throw new AfgError(code, message)
}

/** A session sees its own person's requests; one that a link opened, only that link's. */
export const maySee = (session: Session, request: StoredRequest): boolean =>
  session.subject === request.subject && (session.requestId === null || session.requestId === request.requestId)

/** Whether this session may decide: it may see the request, and its method is admitted for the chain that the money is on. */
export const mayDecide = (session: Session, request: StoredRequest): boolean =>
  maySee(session, request) && methodServes(session.method, request.chainId)

/** The newest turn that no decision has used yet. */
const openTurn = (database: Database, request: StoredRequest): string | null => {
  const row = database.get(
    `SELECT turn_id FROM turn WHERE subject = :subject AND action_digest = :digest
       AND NOT EXISTS (SELECT 1 FROM decision WHERE dialog_turn = turn_id)
     ORDER BY allowed_at DESC, rowid DESC LIMIT 1`,
    { subject: request.subject, digest: request.actionDigest },
  )
  return row === undefined ? null : String(row.turn_id)
}

const assertPending = (database: Database, request: StoredRequest, now: number): void => {
  const state = stateOf(database, request, now)
  if (state.kind === "expired") refuse("dialog-expired", "the time for this request has passed")
  if (state.kind === "withdrawn") refuse("action-denied", "this action was rejected in another request")
  if (state.kind === "decided") refuse("already-decided", "this request was decided before")
}

/**
 * Records the person's decision, durably, before it returns; signing follows.
 * Throws `form-…`, `dialog-expired`, `action-denied` or `already-decided`, and then nothing was decided.
 */
export const decide = (
  database: Database,
  input: { session: Session; request: StoredRequest; token: string; decision: "confirmed" | "denied"; now: number },
): void =>
  database.transaction(() => {
    const { session, request, token, decision, now } = input
    if (!mayDecide(session, request)) return refuse("form-foreign", "this session cannot decide this request")
    const form = findForm(database, { session, requestId: request.requestId, purpose: "decide", token })
    assertPending(database, request, now)
    closeForm(database, form, now)
    database.run(
      `INSERT INTO decision (request_id, form_id, decision, subject, method, loa, rendering_digest, dialog_turn, decided_at)
       VALUES (:request, :form, :decision, :subject, :method, :loa, :rendering, :turn, :now)`,
      {
        request: request.requestId,
        form: form.formId,
        decision,
        subject: session.subject,
        method: session.method,
        loa: session.loa,
        rendering: form.renderingDigest,
        turn: openTurn(database, request),
        now,
      },
    )
    appendAudit(database, {
      at: now,
      event: "decision-made",
      requestId: request.requestId,
      detail: { decision, method: session.method, loa: session.loa },
    })
  })

/** Lifts a rejection: the person allows the agent to ask for the same action again. Throws `form-…`. */
export const allowAgain = (database: Database, input: { session: Session; request: StoredRequest; token: string; now: number }): void =>
  database.transaction(() => {
    const { session, request, token, now } = input
    if (!mayDecide(session, request)) return refuse("form-foreign", "this session cannot lift this rejection")
    const form = findForm(database, { session, requestId: request.requestId, purpose: "allow-again", token })
    closeForm(database, form, now)
    if (standingDenial(database, request.subject, request.actionDigest) !== request.requestId) {
      return refuse("form-used", "this rejection does not stand any more")
    }
    const turnId = newSecret().slice(0, 22)
    database.run(
      `INSERT INTO turn (turn_id, form_id, subject, action_digest, denied_request_id, allowed_at)
       VALUES (:turn, :form, :subject, :digest, :denied, :now)`,
      { turn: turnId, form: form.formId, subject: request.subject, digest: request.actionDigest, denied: request.requestId, now },
    )
    appendAudit(database, { at: now, event: "turn-allowed", requestId: request.requestId, detail: { turn: turnId } })
  })

/** What the signer signs. */
export const decisionOf = (database: Database, requestId: string): DecisionRecord | null => {
  const row = database.get("SELECT * FROM decision WHERE request_id = :id", { id: requestId })
  if (row === undefined) return null
  return {
    decision: row.decision === "confirmed" ? "confirmed" : "denied",
    subject: String(row.subject),
    method: String(row.method),
    loa: Number(row.loa),
    renderingDigest: String(row.rendering_digest),
    dialogTurn: row.dialog_turn === null ? null : String(row.dialog_turn),
    decidedAt: Number(row.decided_at),
  }
}
