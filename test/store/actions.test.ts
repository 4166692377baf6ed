/** Actions: one performer at a time, however many want to. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import {
  appendEvents,
  claimAction,
  dueJobs,
  failedActions,
  finishAction,
  insertJob,
  loadDue,
  orphanFrom,
  type Store,
  saveProjections,
} from "../../orchestrator/store/index.ts"
import { bound, newJob } from "./support/jobs.ts"
import { DATABASES, type TestStore } from "./support/stores.ts"

const NOW = 1_800_000_000_000
const LEASE = 60_000
const HOUR = 3_600_000

for (const { kind, skip, create } of DATABASES) {
  describe(`actions on ${kind}`, { skip }, () => {
    let place: TestStore
    let store: Store
    before(async () => {
      place = await create()
      store = await place.open()
      await insertJob(store.db, newJob("job"))
    })
    after(() => place.remove())

    const claim = (key: string, at = NOW, holder = store.holder) => claimAction(store.db, "job", key, at, LEASE, holder)

    it("are claimed by exactly one of many", async () => {
      const claims = await Promise.all(Array.from({ length: 25 }, () => claim("many")))
      assert.deepEqual(
        claims.filter((attempt) => attempt !== null),
        [1],
      )
    })

    it("can be claimed again when the lease is over, counting attempts", async () => {
      assert.equal(await claim("lease"), 1)
      assert.equal(await claim("lease", NOW + LEASE - 1), null)
      assert.equal(await claim("lease", NOW + LEASE), 2)
    })

    it("that were done are done again only from the time given, and their result is kept", async () => {
      await claim("done")
      await finishAction(store.db, "job", "done", { result: { tx: "0x1" }, nowMs: NOW, again: NOW + 20_000 })
      assert.equal(await claim("done", NOW + 19_999), null)
      assert.equal(await claim("done", NOW + 20_000), 2)
      const row = await store.db.selectFrom("afg.actions").selectAll().where("action_key", "=", "done").executeTakeFirstOrThrow()
      assert.equal(row.result, '{"tx":"0x1"}')
    })

    it("that failed say why, and no longer when they succeed", async () => {
      const failure = { code: "chain_unavailable", message: "no answer" }
      await claim("fails")
      await finishAction(store.db, "job", "fails", { failure, nowMs: NOW, again: NOW + 1_000 })
      assert.deepEqual(await failedActions(store.db, "job"), [{ key: "fails", ...failure }])
      assert.equal(await claim("fails", NOW + 999), null)
      assert.equal(await claim("fails", NOW + 1_000), 2)
      await finishAction(store.db, "job", "fails", { result: {}, nowMs: NOW + 1_000, again: NOW })
      assert.deepEqual(await failedActions(store.db, "job"), [])
    })

    it("that were refused are not tried again, and say why", async () => {
      await claim("refused")
      await finishAction(store.db, "job", "refused", { refusal: { code: "rail_unsupported", message: "no" }, nowMs: NOW })
      assert.equal(await claim("refused", NOW + 365 * 24 * HOUR), null)
      assert.deepEqual(await failedActions(store.db, "job"), [{ key: "refused", code: "rail_unsupported", message: "no" }])
    })

    it("are not held up by a clock that is set back", async () => {
      assert.equal(await claim("clock", NOW), 1)
      assert.equal(await claim("clock", NOW - HOUR), 2)
    })

    it("of a job that lost its events may be done again at once", async () => {
      await insertJob(store.db, newJob("reorg"))
      await appendEvents(store.db, "reorg", [bound(77)])
      await claimAction(store.db, "reorg", "bind", NOW, LEASE, store.holder)
      await finishAction(store.db, "reorg", "bind", { result: {}, nowMs: NOW, again: NOW + 20_000 })
      await orphanFrom(store.db, 77)
      assert.equal(await claimAction(store.db, "reorg", "bind", NOW + 1, LEASE, store.holder), 2)
    })

    it("of a dead process are free at once, and their jobs are due; those of a living one stay", async () => {
      const dead = await (async () => {
        if (kind === "pglite") return store.holder + 1_000
        const other = await place.open()
        await other.close()
        return other.holder
      })()
      for (const id of ["of-dead", "of-living"]) await insertJob(store.db, newJob(id, { wakeAt: NOW }))
      await claimAction(store.db, "of-dead", "settle", NOW, LEASE, dead)
      await claimAction(store.db, "of-living", "settle", NOW, LEASE, store.holder)
      assert.deepEqual(await store.releaseDead(NOW + 1), ["of-dead"])
      assert.equal(await claimAction(store.db, "of-dead", "settle", NOW + 1, LEASE, store.holder), 2)
      assert.equal(await claimAction(store.db, "of-living", "settle", NOW + 1, LEASE, store.holder), null)
      const due = (await dueJobs(store.db, 0, 10)).map(({ jobId }) => jobId)
      assert.ok(due.includes("of-dead") && !due.includes("of-living"))
      const [loaded] = await loadDue(store.db, ["of-dead"], 0)
      assert.deepEqual(loaded?.actions.get("settle"), { refused: false, notBefore: NOW + 1 + LEASE })
      await saveProjections(store.db, [{ jobId: "of-dead", lastSeq: 0, state: "x", open: false, wakeAt: null }])
      assert.deepEqual(await store.releaseDead(NOW + 1), [])
    })
  })
}
