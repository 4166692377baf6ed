/** What the verifier of confirmations remembers, in our store: requests issued, ids used up, ends, denials (AACP §8.3). */
import type {
  Consumption,
  Denial,
  DenialRegister,
  OutcomeMemory,
  RememberedOutcome,
  ReplayKey,
  ReplayStore,
  RequestLedger,
} from "../aacp/index.ts"
import { readRequest } from "../aacp/index.ts"
import { parseStrictJson } from "../json/index.ts"
import type { Connection } from "../store/index.ts"

/** Requests issued for one job. */
export const requestLedger = (db: Connection, jobId: string): RequestLedger => ({
  issue: async (request, keepUntil, now) => {
    await db.deleteFrom("afg.confirmation_requests").where("keep_until", "<", now).execute()
    await db
      .insertInto("afg.confirmation_requests")
      .values({
        request_id: request["request-id"],
        job_id: jobId,
        action_digest: request["action-digest"],
        request: JSON.stringify(request),
        keep_until: keepUntil,
      })
      .execute()
  },
  find: async (requestId) => {
    const row = await db
      .selectFrom("afg.confirmation_requests")
      .select("request")
      .where("request_id", "=", requestId)
      .where("job_id", "=", jobId)
      .executeTakeFirst()
    return row === undefined ? null : readRequest(parseStrictJson(row.request))
  },
})

export type UsedConfirmation = { jobId: string; idempotencyKey: string; evidenceDigest: string }

/** Who used up a request id, if anyone did. */
export const usedBy = async (db: Connection, { service, requestId }: ReplayKey): Promise<UsedConfirmation | null> => {
  const row = await db
    .selectFrom("afg.confirmations")
    .selectAll()
    .where("service", "=", service)
    .where("request_id", "=", requestId)
    .executeTakeFirst()
  return row === undefined ? null : { jobId: row.job_id, idempotencyKey: row.idempotency_key, evidenceDigest: row.evidence_digest }
}

/** Bound to an open transaction, so that the mark and the action it allows are committed together or not at all. */
export const replayStore = (db: Connection, jobId: string, idempotencyKey: string): ReplayStore => ({
  seen: async (key) => (await usedBy(db, key)) !== null,
  consume: async ({ service, requestId, evidenceDigest, keepUntil }: Consumption) => {
    const fresh = await db
      .insertInto("afg.confirmations")
      .values({
        service,
        request_id: requestId,
        evidence_digest: evidenceDigest,
        job_id: jobId,
        idempotency_key: idempotencyKey,
        keep_until: Math.ceil(keepUntil),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("request_id")
      .execute()
    return fresh.length === 1
  },
})

export const outcomeMemory = (db: Connection): OutcomeMemory => ({
  recall: async (digest) => {
    const row = await db.selectFrom("afg.confirmation_outcomes").select("outcome").where("digest", "=", digest).executeTakeFirst()
    return row === undefined ? null : (JSON.parse(row.outcome) as RememberedOutcome)
  },
  remember: async (digest, outcome, now) => {
    await db
      .insertInto("afg.confirmation_outcomes")
      .values({ digest, outcome: JSON.stringify(outcome), remembered_at: Math.floor(now) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
})

export const denialRegister = (db: Connection): DenialRegister => ({
  record: async ({ actionDigest, service, requestId, deniedAt }: Denial) => {
    await db
      .insertInto("afg.confirmation_denials")
      .values({ action_digest: actionDigest, service, request_id: requestId, denied_at: Math.floor(deniedAt) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
  latest: async (actionDigest) => {
    const row = await db
      .selectFrom("afg.confirmation_denials")
      .selectAll()
      .where("action_digest", "=", actionDigest)
      .orderBy("denied_at", "desc")
      .executeTakeFirst()
    if (row === undefined) return null
    return { actionDigest: row.action_digest, service: row.service, requestId: row.request_id, deniedAt: Number(row.denied_at) }
  },
})
