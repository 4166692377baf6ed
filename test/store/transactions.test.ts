/** Transactions: all or nothing, alone, and heard of only when they are committed. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { sql } from "kysely"
import { appendEvents, insertJob, readEvents, type Store } from "../../orchestrator/store/index.ts"
import { newJob, posted, signed } from "./support/jobs.ts"
import { DATABASES, type TestStore } from "./support/stores.ts"

for (const { kind, skip, create } of DATABASES) {
  describe(`transactions on ${kind}`, { skip }, () => {
    let place: TestStore
    let store: Store
    before(async () => {
      place = await create()
      store = await place.open()
      for (const id of ["one", "two"]) await insertJob(store.db, newJob(id))
      await sql`create table afg.test_counter (n int4 not null)`.execute(store.db)
      await sql`insert into afg.test_counter values (0)`.execute(store.db)
    })
    after(() => place.remove())

    it("refuse the store beside them, where PGlite would wait for ever, and go on", async () => {
      await store.db.transaction().execute(async (transaction) => {
        await assert.rejects(readEvents(store.db, "one"), { code: "store-nested" })
        await assert.rejects(sql`select 1`.execute(store.db), { code: "store-nested" })
        await assert.rejects(
          store.db.transaction().execute(async () => undefined),
          { code: "store-nested" },
        )
        assert.deepEqual(await readEvents(transaction, "one"), [])
      })
      assert.deepEqual(await readEvents(store.db, "one"), [])
    })

    it("do not refuse work that outlives them", async () => {
      const ended = Promise.withResolvers<void>()
      const { later } = await store.db.transaction().execute(async () => ({ later: ended.promise.then(() => readEvents(store.db, "one")) }))
      ended.resolve()
      assert.deepEqual(await later, [])
    })

    it("keep everyone else out of what they have locked: no update is lost", async () => {
      const increment = () =>
        store.db.transaction().execute(async (transaction) => {
          const { rows } = await sql<{ n: number }>`select n from afg.test_counter for update`.execute(transaction)
          await new Promise((resolve) => setImmediate(resolve))
          await sql`update afg.test_counter set n = ${(rows[0]?.n ?? 0) + 1}`.execute(transaction)
        })
      await Promise.all(Array.from({ length: 30 }, increment))
      const { rows } = await sql<{ n: number }>`select n from afg.test_counter`.execute(store.db)
      assert.equal(rows[0]?.n, 30)
    })

    it("are told of after their commit, and not at all when they fail", async () => {
      const heard: string[] = []
      const stop = store.signal.subscribeAll((jobId) => heard.push(jobId))
      await store.db.transaction().execute(async (transaction) => {
        await appendEvents(transaction, "one", [posted()])
        await appendEvents(transaction, "two", [posted()])
        assert.deepEqual(heard, [])
      })
      assert.deepEqual(heard.splice(0), ["one", "two"])
      const failing = store.db.transaction().execute(async (transaction) => {
        await appendEvents(transaction, "one", [signed("buyer")])
        throw new Error("on purpose")
      })
      await assert.rejects(failing, /on purpose/)
      assert.deepEqual(heard, [])
      await appendEvents(store.db, "one", [signed("buyer")])
      await appendEvents(store.db, "one", [signed("buyer")])
      assert.deepEqual(heard, ["one"])
      stop()
    })

    it("that a statement has broken are rolled back, even when the error is swallowed", async () => {
      const broken = store.db.transaction().execute(async (transaction) => {
        await sql`update afg.test_counter set n = -1`.execute(transaction)
        await sql`select 1 / 0`.execute(transaction).catch(() => undefined)
      })
      await broken.catch(() => undefined)
      const { rows } = await sql<{ n: number }>`select n from afg.test_counter`.execute(store.db)
      assert.notEqual(rows[0]?.n, -1)
    })
  })
}

describe("changes told between processes", () => {
  for (const { kind, skip, create } of DATABASES.filter((one) => one.kind === "postgres")) {
    it(`reach the other's subscribers on ${kind}`, { skip }, async () => {
      const place = await create()
      try {
        const [here, there] = [await place.open(), await place.open()]
        await insertJob(here.db, newJob("far"))
        const heard = new Promise<void>((resolve) => there.signal.subscribe("far", resolve))
        await appendEvents(here.db, "far", [posted()])
        await heard
        assert.equal((await readEvents(there.db, "far")).length, 1)
      } finally {
        await place.remove()
      }
    })
  }
})
