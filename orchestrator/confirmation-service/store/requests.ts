/** Requests as they were taken in, and the state that follows from what happened since. */
import type { Hex } from "../../types.ts"
import type { PageView } from "../view.ts"
import type { Database, Row } from "./database.ts"

export type StoredRequest = {
  readonly requestId: string
  readonly bodySha256: string
  /** The confirmation request without the contract, as JCS. */
  readonly body: string
  readonly subject: string
  readonly actionDigest: string
  readonly view: PageView
  readonly renderingDigest: string
  readonly chainId: number
  readonly resolver: Hex
  readonly termsHash: Hex
  /** Unix seconds, like the two below. */
  readonly fundBy: number
  readonly receivedAt: number
  /** Last second in which a decision counts. */
  readonly expiresAt: number
}

export type RequestState =
  | { readonly kind: "pending" }
  | { readonly kind: "decided"; readonly decision: "confirmed" | "denied"; readonly decidedAt: number }
  /** The same action was rejected in another request, so this one is not asked any more. */
  | { readonly kind: "withdrawn" }
  | { readonly kind: "expired" }

const fromRow = (row: Row): StoredRequest => ({
  requestId: String(row.request_id),
  bodySha256: String(row.body_sha256),
  body: String(row.body),
  subject: String(row.subject),
  actionDigest: String(row.action_digest),
  view: JSON.parse(String(row.view)) as PageView,
  renderingDigest: String(row.rendering_digest),
  chainId: Number(row.chain_id),
  resolver: String(row.resolver) as Hex,
  termsHash: String(row.terms_hash) as Hex,
  fundBy: Number(row.fund_by),
  receivedAt: Number(row.received_at),
  expiresAt: Number(row.expires_at),
})

export const findRequest = (database: Database, requestId: string): StoredRequest | undefined => {
  const row = database.get("SELECT * FROM request WHERE request_id = :id", { id: requestId })
  return row === undefined ? undefined : fromRow(row)
}

export const insertRequest = (database: Database, request: StoredRequest): void => {
  database.run(
    `INSERT INTO request (request_id, body_sha256, body, subject, action_digest, view, rendering_digest, chain_id, resolver,
       terms_hash, fund_by, signed, received_at, expires_at)
     VALUES (:id, :sha, :body, :subject, :digest, :view, :rendering, :chain, :resolver, :terms, :fundBy, :signed, :received, :expires)`,
    {
      id: request.requestId,
      sha: request.bodySha256,
      body: request.body,
      subject: request.subject,
      digest: request.actionDigest,
      view: JSON.stringify(request.view),
      rendering: request.renderingDigest,
      chain: request.chainId,
      resolver: request.resolver,
      terms: request.termsHash,
      fundBy: request.fundBy,
      signed: request.view.signedByPayer ? 1 : 0,
      received: request.receivedAt,
      expires: request.expiresAt,
    },
  )
}

/** The newest first. `only` narrows to one request, for a session that a link opened. */
export const requestsOf = (database: Database, subject: string, only: string | null, limit: number): StoredRequest[] =>
  database
    .all(
      `SELECT * FROM request WHERE subject = :subject AND (:only IS NULL OR request_id = :only)
       ORDER BY received_at DESC, rowid DESC LIMIT :limit`,
      { subject, only, limit },
    )
    .map(fromRow)

/** Every request that nobody has decided and whose time has not passed, whoever it is for. */
export const undecidedRequests = (database: Database, now: number): StoredRequest[] =>
  database
    .all("SELECT r.* FROM request r LEFT JOIN decision d USING (request_id) WHERE d.request_id IS NULL AND r.expires_at >= :now", { now })
    .map(fromRow)

/** How many of one person's requests, signed by the buyer's wallet or not, wait for a decision. */
export const pendingCount = (database: Database, subject: string, signed: boolean, now: number): number =>
  Number(
    database.get(
      `SELECT count(*) AS n FROM request r LEFT JOIN decision d USING (request_id)
       WHERE r.subject = :subject AND r.signed = :signed AND d.request_id IS NULL AND r.expires_at >= :now`,
      { subject, signed: signed ? 1 : 0, now },
    )?.n ?? 0,
  )

/** A rejection of this action by this person that no new turn has lifted. */
export const standingDenial = (database: Database, subject: string, actionDigest: string): string | null => {
  const row = database.get(
    `SELECT d.request_id FROM decision d JOIN request r USING (request_id)
     WHERE r.subject = :subject AND r.action_digest = :digest AND d.decision = 'denied'
       AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.denied_request_id = d.request_id)
     LIMIT 1`,
    { subject, digest: actionDigest },
  )
  return row === undefined ? null : String(row.request_id)
}

export const stateOf = (database: Database, request: StoredRequest, now: number): RequestState => {
  const decision = database.get("SELECT decision, decided_at FROM decision WHERE request_id = :id", { id: request.requestId })
  if (decision !== undefined) {
    return { kind: "decided", decision: decision.decision === "confirmed" ? "confirmed" : "denied", decidedAt: Number(decision.decided_at) }
  }
  if (now > request.expiresAt) return { kind: "expired" }
  return standingDenial(database, request.subject, request.actionDigest) === null ? { kind: "pending" } : { kind: "withdrawn" }
}
