/** The embedded database: PGlite in the data directory, for one process. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Kysely, PostgresDialect } from "kysely"
import type pg from "pg"
import { afgHome } from "../setup-record.ts"
import { placeBlankDatabase } from "./blank-database.ts"
import { createChanges } from "./changes.ts"
import { lockDirectory } from "./directory-lock.ts"
import { keepHouse } from "./housekeeping.ts"
import { migrate } from "./migrate.ts"
import type { OpenDatabase } from "./open.ts"
import { PGlitePool } from "./pglite-pool.ts"
import type { Database } from "./schema.ts"
import { guarded } from "./transactions.ts"

/** BullMQ writes unqualified names; ours are always qualified. */
const PREPARE = "create schema if not exists bullmq; set search_path to bullmq, public"

/** Throws `store-in-use`. It survives the death of the process, not a power cut: PGlite never waits for the disk. */
export const openEmbedded = async (dataDir: string): Promise<OpenDatabase> => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(dataDir)
  let pglite: PGlite | undefined
  try {
    const directory = join(dataDir, "pglite")
    // Where nothing can be kept, PGlite makes its database itself.
    await placeBlankDatabase(directory, join(afgHome(), "cache")).catch(() => undefined)
    pglite = await PGlite.create(directory)
    await pglite.exec(PREPARE)
    const opened = pglite
    const pool = new PGlitePool(opened)
    const plain = new Kysely<Database>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
    await migrate(plain)
    const stopKeepingHouse = await keepHouse(pool)
    const changes = createChanges()
    return {
      kind: "pglite",
      db: guarded(plain, changes.tell),
      plain,
      queuePool: pool,
      signal: changes,
      // Whoever had the directory before us is dead.
      liveHolders: (holder) => `select ${holder}`,
      openSession: async () => async () => undefined,
      alone: (_, work) => work(),
      close: async () => {
        stopKeepingHouse()
        await plain.destroy()
        await opened.close()
        lock.release()
      },
    }
  } catch (error) {
    await pglite?.close()
    lock.release()
    throw error
  }
}
