/**
 * `Idempotency-Key`: the same key with the same request answers as the first did. A request whose answer was lost is safe to
 * repeat; a key used for something else is refused.
 */
import { createHash } from "node:crypto"
import type { Connection } from "../store/index.ts"
import type { Address } from "../types.ts"
import { ApiError } from "./problem.ts"

const KEEP_SECONDS = 86_400
const KEY = /^[\x21-\x7e]{1,128}$/

export type StoredAnswer = { status: number; body: unknown }

export type IdempotentRequest = { agent: Address; key: string; method: string; path: string; body: Uint8Array; now: number }

const fingerprint = ({ method, path, body }: IdempotentRequest): string =>
  createHash("sha256").update(`${method} ${path}\n`).update(body).digest("hex")

/**
 * The answer of the first such request, if it got one. Throws `idempotency_conflict` for another request under the key. Two at
 * once both run: what they do is idempotent by its own key in the store.
 */
export const recallAnswer = async (db: Connection, request: IdempotentRequest): Promise<StoredAnswer | null> => {
  if (!KEY.test(request.key)) throw new ApiError("body_invalid", "Idempotency-Key must be 1 to 128 visible characters")
  const hash = fingerprint(request)
  await db.deleteFrom("afg.idempotency_keys").where("keep_until", "<", request.now).execute()
  await db
    .insertInto("afg.idempotency_keys")
    .values({
      address: request.agent,
      key: request.key,
      request_hash: hash,
      status: null,
      answer: null,
      keep_until: request.now + KEEP_SECONDS,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db
    .selectFrom("afg.idempotency_keys")
    .select(["request_hash", "status", "answer"])
    .where("address", "=", request.agent)
    .where("key", "=", request.key)
    .executeTakeFirstOrThrow()
  if (row.request_hash !== hash) throw new ApiError("idempotency_conflict", "this Idempotency-Key belongs to another request")
  return row.status === null || row.answer === null ? null : { status: row.status, body: JSON.parse(row.answer) }
}

/** Keeps a definite answer. */
export const keepAnswer = async (
  db: Connection,
  request: Pick<IdempotentRequest, "agent" | "key">,
  answer: StoredAnswer,
): Promise<void> => {
  await db
    .updateTable("afg.idempotency_keys")
    .set({ status: answer.status, answer: JSON.stringify(answer.body) })
    .where("address", "=", request.agent)
    .where("key", "=", request.key)
    .execute()
}
