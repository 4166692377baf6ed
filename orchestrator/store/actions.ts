/** What was performed for a job: one row per action, so that performing it twice has the effect of once. */
import { sql } from "kysely"
import type { Connection } from "./jobs.ts"

export type ActionFailure = { code: string; message: string }

/**
 * Takes the right to perform an action until `leaseMs` from now. Null: someone has it, it was done a moment ago, or its next try is not due.
 * Otherwise the number of this attempt, from 1.
 */
export const claimAction = async (db: Connection, jobId: string, key: string, nowMs: number, leaseMs: number): Promise<number | null> => {
  const { rows } = await sql<{ attempts: number }>`
    insert into afg.actions (job_id, action_key, status, attempts, not_before, updated_at)
    values (${jobId}, ${key}, 'running', 1, ${nowMs + leaseMs}, ${nowMs})
    on conflict (job_id, action_key) do update
      set status = 'running', attempts = afg.actions.attempts + 1, not_before = excluded.not_before, updated_at = excluded.updated_at
      where afg.actions.not_before <= ${nowMs}
    returning attempts`.execute(db)
  return rows[0]?.attempts ?? null
}

/** `again`: Unix milliseconds from which it may be performed again, should its event still be missing. */
export const finishAction = async (
  db: Connection,
  jobId: string,
  key: string,
  end: { again: number; nowMs: number } & ({ result: Record<string, unknown> } | { failure: ActionFailure }),
): Promise<void> => {
  const failure = "failure" in end ? end.failure : null
  await db
    .updateTable("afg.actions")
    .set({
      status: failure === null ? "done" : "failed",
      not_before: end.again,
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
    .where("status", "=", "failed")
    .orderBy("updated_at")
    .execute()
  return rows.map((row) => ({ key: row.action_key, code: row.code ?? "internal", message: row.message ?? "" }))
}

/** A performer that is known to be dead holds nothing: called at start by the one process that has the data directory. */
export const releaseActions = async (db: Connection): Promise<void> => {
  await db.updateTable("afg.actions").set({ not_before: 0 }).where("status", "in", ["running", "done"]).execute()
}

/** When the earliest postponed action of this job may be tried again; null when none is postponed. */
export const nextTry = async (db: Connection, jobId: string, keys: readonly string[]): Promise<number | null> => {
  if (keys.length === 0) return null
  const row = await db
    .selectFrom("afg.actions")
    .select(({ fn }) => fn.min("not_before").as("at"))
    .where("job_id", "=", jobId)
    .where("action_key", "in", [...keys])
    .executeTakeFirst()
  return row?.at === null || row?.at === undefined ? null : Number(row.at)
}
