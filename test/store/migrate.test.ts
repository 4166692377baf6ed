/** Tables are made once, by whoever comes first, and never by a version that does not know them all. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { sql } from "kysely"
import { findJob, insertJob } from "../../orchestrator/store/index.ts"
import { migrate } from "../../orchestrator/store/migrate.ts"
import { MIGRATIONS } from "../../orchestrator/store/migrations/index.ts"
import { newJob } from "./support/jobs.ts"
import { DATABASES } from "./support/stores.ts"

describe("migrations", () => {
  it("have names in ascending order, each once", () => {
    const names = MIGRATIONS.map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)].toSorted())
  })

  for (const { kind, skip, create } of DATABASES) {
    it(`keep what is stored when the store is opened again, and its identity, on ${kind}`, { skip }, async () => {
      const place = await create()
      try {
        const first = await place.open()
        await insertJob(first.db, newJob("kept"))
        await first.close()
        const second = await place.open()
        assert.equal((await findJob(second.db, "kept"))?.jobId, "kept")
        assert.equal(second.id, first.id)
        assert.notEqual(second.holder, first.holder)
      } finally {
        await place.remove()
      }
    })

    it(`that fail leave nothing, and those of a later version are respected, on ${kind}`, { skip }, async () => {
      const place = await create()
      try {
        const store = await place.open()
        const half = {
          name: "9998-half",
          up: async (db: Parameters<(typeof MIGRATIONS)[number]["up"]>[0]) => {
            await sql`create table afg.half (n int4)`.execute(db)
            throw new Error("on purpose")
          },
        }
        await assert.rejects(migrate(store.db, [...MIGRATIONS, half]), /on purpose/)
        const { rows } = await sql<{ found: string | null }>`select to_regclass('afg.half')::text as found`.execute(store.db)
        assert.equal(rows[0]?.found, null)
        await migrate(store.db, [...MIGRATIONS, { name: "9999-later", up: async () => undefined }])
        await store.close()
        await assert.rejects(place.open(), { code: "store-newer" })
      } finally {
        await place.remove()
      }
    })
  }

  for (const { skip, create } of DATABASES.filter(({ kind }) => kind === "postgres"))
    it("are made once when many processes start together", { skip }, async () => {
      const place = await create()
      try {
        const stores = await Promise.all(Array.from({ length: 5 }, () => place.open()))
        assert.equal(new Set(stores.map(({ id }) => id)).size, 1)
        assert.equal(new Set(stores.map(({ holder }) => holder)).size, 5)
      } finally {
        await place.remove()
      }
    })
})
