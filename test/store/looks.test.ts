/** Which jobs are due, and what a look may leave behind. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { sql } from "kysely"
import {
  appendEvents,
  dueJobs,
  insertJob,
  loadDue,
  markDue,
  markOpenDue,
  orphanFrom,
  type Projection,
  type Store,
  saveProjections,
} from "../../orchestrator/store/index.ts"
import { bound, newJob, posted, TERMS } from "./support/jobs.ts"
import { DATABASES, type TestStore } from "./support/stores.ts"

for (const { kind, skip, create } of DATABASES) {
  describe(`looks on ${kind}`, { skip }, () => {
    let place: TestStore
    let store: Store
    before(async () => {
      place = await create()
      store = await place.open()
    })
    after(() => place.remove())

    const due = async (now: number): Promise<string[]> => (await dueJobs(store.db, now, 100)).map(({ jobId }) => jobId)
    const found = (jobId: string, lastSeq: number, more: Partial<Projection> = {}): Projection => ({
      jobId,
      lastSeq,
      state: "AGREED",
      open: true,
      wakeAt: null,
      ...more,
    })

    it("are due from their moment on, the longest overdue first, page by page", async () => {
      const ids = ["w5", "w3", "w4", "w3b", "w9"]
      for (const id of ids) await insertJob(store.db, newJob(id, { wakeAt: Number(id[1]) }))
      assert.deepEqual(await due(2), [])
      assert.deepEqual(await due(3), ["w3", "w3b"])
      assert.deepEqual(await due(8), ["w3", "w3b", "w4", "w5"])
      const first = await dueJobs(store.db, 8, 1)
      const rest = await dueJobs(store.db, 8, 10, first[0] ?? null)
      assert.deepEqual(
        rest.map(({ jobId }) => jobId),
        ["w3b", "w4", "w5"],
      )
      await saveProjections(
        store.db,
        ids.map((id) => found(id, 0)),
      )
      assert.deepEqual(await due(1e9), [])
    })

    it("bring a job with its terms, canonical events and postponed actions", async () => {
      await insertJob(store.db, newJob("loaded", { wakeAt: 10 }))
      await appendEvents(store.db, "loaded", [posted(), bound()])
      const [job, ...others] = await loadDue(store.db, ["loaded", "nobody"], 0)
      assert.deepEqual(others, [])
      assert.deepEqual(job, { jobId: "loaded", terms: TERMS, lastSeq: 2, events: [posted(), bound()], actions: new Map() })
    })

    it("are wanted after every change: an event, a lost event, a request", async () => {
      await insertJob(store.db, newJob("changes", { wakeAt: 1_000 }))
      const rest = async (lastSeq: number) =>
        assert.deepEqual(await saveProjections(store.db, [found("changes", lastSeq, { wakeAt: 1_000 })]), new Set(["changes"]))
      await appendEvents(store.db, "changes", [posted(), bound(900)])
      assert.ok((await due(0)).includes("changes"))
      await rest(2)
      assert.ok(!(await due(999)).includes("changes"))
      assert.ok((await due(1_000)).includes("changes"))
      await orphanFrom(store.db, 900)
      assert.ok((await due(0)).includes("changes"))
      await rest(3)
      await markDue(store.db, ["changes"])
      assert.ok((await due(0)).includes("changes"))
      await rest(3)
      assert.ok(!(await due(0)).includes("changes"))
    })

    it("leave nothing behind when the history changed meanwhile: the job stays due", async () => {
      await insertJob(store.db, newJob("stale", { wakeAt: 0 }))
      await insertJob(store.db, newJob("calm", { wakeAt: 0 }))
      const loaded = await loadDue(store.db, ["stale", "calm"], 0)
      await appendEvents(store.db, "stale", [posted()])
      const saved = await saveProjections(
        store.db,
        loaded.map(({ jobId, lastSeq }) => found(jobId, lastSeq, { state: "FUNDED" })),
      )
      assert.deepEqual(saved, new Set(["calm"]))
      assert.ok((await due(0)).includes("stale"))
      assert.ok(!(await due(0)).includes("calm"))
      assert.deepEqual(await saveProjections(store.db, []), new Set())
    })

    it("do not wait for a job that a transaction holds", async () => {
      for (const id of ["held", "free"]) await insertJob(store.db, newJob(id, { wakeAt: 0 }))
      // One session: no one else can hold a job.
      if (kind === "pglite") return
      const other = await place.open()
      await other.db.transaction().execute(async (transaction) => {
        await sql`select 1 from afg.standings where job_id = 'held' for update`.execute(transaction)
        assert.deepEqual(await saveProjections(store.db, [found("held", 0), found("free", 0)]), new Set(["free"]))
      })
    })

    it("of all jobs that are not over can be asked for at once", async () => {
      await insertJob(store.db, newJob("over", { wakeAt: 0 }))
      await saveProjections(store.db, [found("over", 0, { state: "RELEASED", open: false })])
      const rows = await store.db.selectFrom("afg.standings").select("job_id").where("job_id", "<>", "over").execute()
      const open = rows.map(({ job_id }) => job_id)
      assert.equal(await markOpenDue(store.db), open.length)
      assert.deepEqual((await due(0)).toSorted(), open.toSorted())
    })
  })
}
