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

/** What is known of a key: its answer, or whether an earlier request under it began and its end was never written down. */
export type Recalled = { answer: StoredAnswer } | { answer: null; repeated: boolean }

const fingerprint = ({ method, path, body }: IdempotentRequest): string =>
  createHash("sha256").update(`${method} ${path}\n`).update(body).digest("hex")

/** The key as sent, or null. Throws `body_invalid` for one that is no key. */
export const readIdempotencyKey = (header: string | undefined): string | null => {
  if (header === undefined) return null
  if (!KEY.test(header)) throw new ApiError("body_invalid", "Idempotency-Key must be 1 to 128 visible characters")
  return header
}

/** Takes the key for this request. Throws `idempotency_conflict` when it belongs to another one. */
export const recallAnswer = async (db: Connection, request: IdempotentRequest): Promise<Recalled> => {
  const hash = fingerprint(request)
  await db.deleteFrom("afg.idempotency_keys").where("keep_until", "<", request.now).execute()
  const taken = await db
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
    .returning("key")
    .execute()
  if (taken.length === 1) return { answer: null, repeated: false }
  const row = await db
    .selectFrom("afg.idempotency_keys")
    .select(["request_hash", "status", "answer"])
    .where("address", "=", request.agent)
    .where("key", "=", request.key)
    .executeTakeFirstOrThrow()
  if (row.request_hash !== hash) throw new ApiError("idempotency_conflict", "this Idempotency-Key belongs to another request")
  if (row.status === null || row.answer === null) return { answer: null, repeated: true }
  return { answer: { status: row.status, body: JSON.parse(row.answer) } }
}

/** Keeps an answer. Refusals are not kept: they changed nothing, and asking again is safe. */
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

/** Lets one of several equal requests run at a time in this process; the others see what it left behind. */
export const oneAtATime = () => {
  const running = new Map<string, Promise<unknown>>()
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = running.get(name) ?? Promise.resolve()
    const mine = before.then(work, work)
    running.set(name, mine)
    try {
      return await mine
    } finally {
      if (running.get(name) === mine) running.delete(name)
    }
  }
}
