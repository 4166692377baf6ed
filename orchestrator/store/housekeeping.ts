/**
 * What a PostgreSQL server does by itself and the embedded one does not: clearing away old versions of rows. Without it tables that change all the time,
 * and the catalogue behind temporary tables, grow and slow everything down.
 */
import type { PGlitePool } from "./pglite-pool.ts"

const CHECK_MS = 10_000
/** Uses of the database after which it is worth the half second that everyone waits. */
const AFTER_USES = 50_000

const VACUUM = "vacuum analyze"

/** Clears away what the last process left, and from then on now and again. Answers how to stop. */
export const keepHouse = async (pool: PGlitePool): Promise<() => void> => {
  await pool.query(`${VACUUM} afg.standings, afg.actions, afg.events, pg_class, pg_attribute, pg_type, pg_depend`)
  let cleared = pool.uses
  const timer = setInterval(() => {
    if (pool.uses - cleared < AFTER_USES) return
    cleared = pool.uses
    // What does not succeed this time does the next.
    pool.query(VACUUM).catch(() => undefined)
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}
