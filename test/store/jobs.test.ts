/** Jobs: one per id and per rail reference, with the Terms that follow from their contract. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { termsOf } from "../../orchestrator/contract/index.ts"
import {
  contractOf,
  countOpenJobs,
  findJob,
  findJobByRef,
  insertJob,
  loadDue,
  type Store,
  saveProjections,
} from "../../orchestrator/store/index.ts"
import { newJob, TERMS, word } from "./support/jobs.ts"
import { DATABASES, type TestStore } from "./support/stores.ts"

for (const { kind, skip, create } of DATABASES) {
  describe(`jobs on ${kind}`, { skip }, () => {
    let place: TestStore
    let store: Store
    before(async () => {
      place = await create()
      store = await place.open()
    })
    after(() => place.remove())

    it("are found by id and by rail reference, byte for byte", async () => {
      const { terms, wakeAt, buyer, ...stored } = newJob("found")
      assert.equal(await insertJob(store.db, newJob("found")), true)
      assert.deepEqual(await findJob(store.db, "found"), stored)
      assert.deepEqual(await findJobByRef(store.db, stored.railRef), stored)
      assert.equal(await findJob(store.db, "lost"), null)
      assert.equal(await findJobByRef(store.db, word("lost")), null)
      assert.deepEqual(termsOf(contractOf(stored.contract)), terms)
    })

    it("are posted once: neither their id nor their reference can be taken again, not even at the same time", async () => {
      const same = await Promise.all(Array.from({ length: 8 }, () => insertJob(store.db, newJob("twice"))))
      assert.equal(same.filter(Boolean).length, 1)
      assert.equal(await insertJob(store.db, newJob("twice", { railRef: word("another") })), false)
      assert.equal(await insertJob(store.db, newJob("thief", { railRef: newJob("twice").railRef })), false)
      assert.equal(await findJob(store.db, "thief"), null)
    })

    it("have their Terms derived when they come without", async () => {
      const { terms, ...bare } = newJob("bare", { wakeAt: 0 })
      await insertJob(store.db, bare)
      const [loaded] = await loadDue(store.db, ["bare"], 0)
      assert.deepEqual(loaded?.terms, TERMS)
    })

    it("are counted per buyer, in any case of the address, while they are open", async () => {
      const buyer = "0xAbCdEf0000000000000000000000000000000001"
      for (const id of ["a", "b", "c"]) await insertJob(store.db, newJob(`count-${id}`, { buyer }))
      assert.equal(await countOpenJobs(store.db, buyer.toLowerCase()), 3)
      await saveProjections(store.db, [{ jobId: "count-b", lastSeq: 0, state: "LAPSED", open: false, wakeAt: null }])
      assert.equal(await countOpenJobs(store.db, buyer), 2)
      assert.equal(await countOpenJobs(store.db, "0x0000000000000000000000000000000000000002"), 0)
    })
  })
}
