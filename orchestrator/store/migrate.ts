/** Brings the tables up to date. */
import { type Kysely, sql } from "kysely"
import { AfgError } from "../errors.ts"
import { MIGRATIONS, type Migration } from "./migrations/index.ts"
import type { Database } from "./schema.ts"

/** One lock for everyone who migrates the same database at once ("AFG!" in ASCII). */
const MIGRATION_LOCK = 0x41464721

/** All pending migrations or none, one process after another. Throws `store-newer` for tables that a later version of this program made. */
export const migrate = async (db: Kysely<Database>, migrations: readonly Migration[] = MIGRATIONS): Promise<void> => {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction)
    await sql`create schema if not exists afg`.execute(transaction)
    await sql`create table if not exists afg.migrations (name text primary key)`.execute(transaction)
    const { rows } = await sql<{ name: string }>`select name from afg.migrations`.execute(transaction)
    const applied = new Set(rows.map(({ name }) => name))
    const unknown = [...applied].filter((name) => !migrations.some((one) => one.name === name))
    if (unknown.length > 0)
      throw new AfgError("store-newer", `the store has migrations that this version does not know: ${unknown.join(", ")}`)
    for (const { name, up } of migrations) {
      if (applied.has(name)) continue
      await up(transaction as unknown as Kysely<unknown>)
      await sql`insert into afg.migrations (name) values (${name})`.execute(transaction)
    }
  })
}
