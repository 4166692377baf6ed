/** The audit log: what happened, in order, each entry bound to the one before by its hash. Never edited, never deleted. */
import { hash } from "node:crypto"
import { canonicalize } from "../../json/index.ts"
import type { Database, Row } from "./database.ts"

export type AuditEvent =
  | "service-started"
  | "request-received"
  | "request-refused"
  | "session-enrolled"
  | "link-made"
  | "link-opened"
  | "decision-made"
  | "answer-signed"
  | "turn-allowed"

export type AuditEntry = {
  readonly seq: number
  /** Unix seconds. */
  readonly at: number
  readonly event: AuditEvent
  readonly requestId: string | null
  /** Never a secret, never a sensitive value. */
  readonly detail: Readonly<Record<string, string | number>>
  readonly hash: string
}

const FIRST = "0".repeat(64)

const entryHash = (previous: string, entry: Omit<AuditEntry, "hash">): string =>
  hash("sha256", canonicalize([previous, entry.seq, entry.at, entry.event, entry.requestId, entry.detail]), "hex")

const fromRow = (row: Row): AuditEntry => ({
  seq: Number(row.seq),
  at: Number(row.at),
  event: String(row.event) as AuditEvent,
  requestId: row.request_id === null ? null : String(row.request_id),
  detail: JSON.parse(String(row.detail)) as AuditEntry["detail"],
  hash: String(row.hash),
})

/** Adds an entry. Call it inside the transaction that makes the fact it tells of. */
export const appendAudit = (
  database: Database,
  entry: { at: number; event: AuditEvent; requestId?: string | null; detail?: AuditEntry["detail"] },
): void =>
  database.transaction(() => {
    const last = database.get("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
    const next = {
      seq: Number(last?.seq ?? 0) + 1,
      at: entry.at,
      event: entry.event,
      requestId: entry.requestId ?? null,
      detail: entry.detail ?? {},
    }
    database.run("INSERT INTO audit (seq, at, event, request_id, detail, hash) VALUES (:seq, :at, :event, :request, :detail, :hash)", {
      seq: next.seq,
      at: next.at,
      event: next.event,
      request: next.requestId,
      detail: canonicalize(next.detail),
      hash: entryHash(String(last?.hash ?? FIRST), next),
    })
  })

export const readAudit = (database: Database): AuditEntry[] => database.all("SELECT * FROM audit ORDER BY seq").map(fromRow)

/** The first entry whose hash does not follow from the one before it, or null: nothing was changed in between. */
export const brokenAuditEntry = (entries: readonly AuditEntry[]): AuditEntry | null => {
  let previous = FIRST
  for (const [index, { hash: stated, ...entry }] of entries.entries()) {
    if (entry.seq !== index + 1 || entryHash(previous, entry) !== stated) return entries[index] ?? null
    previous = stated
  }
  return null
}
