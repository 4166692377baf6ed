/** What was performed for a job: one row per action, so that performing it twice has the effect of once. */
import { sql } from "kysely"
import type { Connection } from "./transactions.ts"

export type ActionFailure = { code: string; message: string }

/** Longer than any lease or pause: a moment further away was written by a clock that has been set back since. */
export const LONGEST_POSTPONEMENT_MS = 900_000

export type ActionEnd = { nowMs: number } & (
  | { /** Performed: again at this time (Unix ms), should its event still be missing. */ again: number; result: Record<string, unknown> }
  | { /** To be tried again at this time (Unix ms). */ again: number; failure: ActionFailure }
  | { /** Not to be tried again. */ refusal: ActionFailure }
)

/**
 * Takes the right to perform an action until `leaseMs` from now, or until the holder's process is gone (`Store.holder`). Null: someone has it, it was done a
 * moment ago, its next try is not due, or it was refused. Otherwise the number of this attempt, from 1.
 */
export const claimAction = async (
  db: Connection,
  jobId: string,
  key: string,
  nowMs: number,
  leaseMs: number,
  holder: number,
): Promise<number | null> => {
  const { rows } = await sql<{ attempts: number }>`
    insert into afg.actions (job_id, action_key, status, holder, attempts, not_before, updated_at)
    values (${jobId}, ${key}, 'running', ${holder}, 1, ${nowMs + leaseMs}, ${nowMs})
    on conflict (job_id, action_key) do update
      set status = 'running', holder = excluded.holder, attempts = afg.actions.attempts + 1, not_before = excluded.not_before,
        updated_at = excluded.updated_at
      where afg.actions.status <> 'refused'
        and (afg.actions.not_before <= ${nowMs} or afg.actions.not_before > ${nowMs + LONGEST_POSTPONEMENT_MS})
    returning attempts`.execute(db)
  return rows[0]?.attempts ?? null
}

/** Records how performing ended. */
export const finishAction = async (db: Connection, jobId: string, key: string, end: ActionEnd): Promise<void> => {
  const failure = "refusal" in end ? end.refusal : "failure" in end ? end.failure : null
  await db
    .updateTable("afg.actions")
    .set({
      status: "refusal" in end ? "refused" : failure === null ? "done" : "failed",
      not_before: "again" in end ? end.again : 0,
      code: failure?.code ?? null,
      message: failure?.message ?? null,
      result: "result" in end ? JSON.stringify(end.result) : null,
      updated_at: end.nowMs,
    })
    .where("job_id", "=", jobId)
    .where("action_key", "=", key)
    .execute()
}

/** What could not be done, as the last attempt left it. */
export const failedActions = async (db: Connection, jobId: string): Promise<({ key: string } & ActionFailure)[]> => {
  const rows = await db
    .selectFrom("afg.actions")
    .select(["action_key", "code", "message"])
    .where("job_id", "=", jobId)
    .where("status", "in", ["failed", "refused"])
    .orderBy("updated_at")
    .execute()
  return rows.map((row) => ({ key: row.action_key, code: row.code ?? "internal", message: row.message ?? "" }))
}
