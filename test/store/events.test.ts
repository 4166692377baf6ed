/** Events: appended once, in order, whoever appends at the same time; set aside and taken up again as the chain does. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import fc from "fast-check"
import { eventKey, type JobEvent } from "../../orchestrator/state-machine/index.ts"
import { appendEvents, insertJob, loadJob, orphanFrom, readEvents, type Store } from "../../orchestrator/store/index.ts"
import { bound, confirmed, funded, newJob, posted, signed, TERMS } from "./support/jobs.ts"
import { DATABASES, type TestStore } from "./support/stores.ts"

for (const { kind, skip, create } of DATABASES) {
  describe(`events on ${kind}`, { skip }, () => {
    let place: TestStore
    let store: Store
    before(async () => {
      place = await create()
      store = await place.open()
    })
    after(() => place.remove())

    const job = async (id: string): Promise<string> => {
      assert.equal(await insertJob(store.db, newJob(id)), true)
      return id
    }
    const keysOf = async (id: string): Promise<string[]> => (await readEvents(store.db, id)).map(({ event }) => eventKey(event))

    it("come back as they were appended, in their order, with places from 1", async () => {
      const id = await job("order")
      const events: JobEvent[] = [posted(), signed("buyer"), bound(), funded()]
      assert.deepEqual(await appendEvents(store.db, id, events), events)
      const stored = await readEvents(store.db, id)
      assert.deepEqual(
        stored.map(({ event }) => event),
        events,
      )
      assert.deepEqual(
        stored.map(({ seq }) => seq),
        [1, 2, 3, 4],
      )
      assert.deepEqual(
        (await readEvents(store.db, id, 2)).map(({ event }) => event),
        events.slice(2),
      )
      const { job: folded, cursor } = await loadJob(store.db, id, TERMS)
      assert.equal(cursor, 4)
      assert.equal(folded.facts.fundedAt, funded().at)
    })

    it("are appended once, in one call or in several", async () => {
      const id = await job("once")
      assert.deepEqual(await appendEvents(store.db, id, [posted(), posted(), signed("buyer")]), [posted(), signed("buyer")])
      assert.deepEqual(await appendEvents(store.db, id, [signed("buyer"), signed("provider"), posted()]), [signed("provider")])
      assert.deepEqual(await appendEvents(store.db, id, [posted()]), [])
      assert.deepEqual(await keysOf(id), ["posted", "signed:buyer", "signed:provider"])
    })

    it("of a job that is not there are refused, and none of no events is nothing", async () => {
      await assert.rejects(appendEvents(store.db, "nobody", [posted()]), { code: "job-unknown" })
      assert.deepEqual(await appendEvents(store.db, "nobody", []), [])
    })

    it("keep any text that JSON can carry", async () => {
      const id = await job("text")
      const event = { ...confirmed("a\"b\\c'd{},NULL \u2028 é 🦊 $1 $x"), method: 'x"},{"y":[\n\t' } as const
      await appendEvents(store.db, id, [event])
      assert.deepEqual((await readEvents(store.db, id))[0]?.event, event)
    })

    it("from many writers at once get places of their own, each event once", async () => {
      const id = await job("crowd")
      const fresh = await Promise.all(
        Array.from({ length: 40 }, (_, index) => appendEvents(store.db, id, [confirmed(`request-${index % 20}`), posted()])),
      )
      assert.equal(fresh.flat().length, 21)
      const stored = await readEvents(store.db, id)
      assert.equal(stored.length, 21)
      assert.equal(new Set(stored.map(({ seq }) => seq)).size, 21)
    })

    it("of a transaction that fails were never there", async () => {
      const id = await job("rollback")
      const failing = store.db.transaction().execute(async (transaction) => {
        await appendEvents(transaction, id, [posted()])
        throw new Error("on purpose")
      })
      await assert.rejects(failing, /on purpose/)
      assert.deepEqual(await readEvents(store.db, id), [])
    })

    it("of orphaned blocks are set aside, and are new again, at the end, when their block is back", async () => {
      const id = await job("reorg")
      const other = await job("reorg-untouched")
      await appendEvents(store.db, other, [bound(50)])
      await appendEvents(store.db, id, [posted(), bound(100), funded(101)])
      assert.deepEqual(await orphanFrom(store.db, 101), [id])
      assert.deepEqual(await keysOf(id), ["posted", eventKey(bound(100))])
      assert.deepEqual(await orphanFrom(store.db, 101), [])
      const elsewhere = funded(101, funded(101).at, "b")
      assert.deepEqual(await appendEvents(store.db, id, [elsewhere]), [elsewhere])
      assert.deepEqual(await orphanFrom(store.db, 101), [id])
      assert.deepEqual(await appendEvents(store.db, id, [confirmed(), funded(101)]), [confirmed(), funded(101)])
      assert.deepEqual(await keysOf(id), ["posted", eventKey(bound(100)), "confirmed:request-1", eventKey(funded(101))])
      assert.equal((await keysOf(other)).length, 1)
    })

    it("agree with a list in memory after any sequence of appends and reorganisations", async () => {
      type Step = { append: { block: number; fork: string }[] } | { orphan: number }
      const block = fc.integer({ min: 1, max: 6 })
      const step: fc.Arbitrary<Step> = fc.oneof(
        {
          weight: 3,
          arbitrary: fc.array(fc.record({ block, fork: fc.constantFrom("a", "b") }), { maxLength: 4 }).map((append) => ({ append })),
        },
        { weight: 1, arbitrary: block.map((orphan) => ({ orphan })) },
      )
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          const id = await job(`property-${run++}`)
          // Blocks of its own: a reorganisation concerns every job.
          const base = run * 100
          let expected: JobEvent[] = []
          for (const one of steps) {
            if ("orphan" in one) {
              const from = base + one.orphan
              await orphanFrom(store.db, from)
              expected = expected.filter((event) => event.source === "chain" && event.position.block < from)
              continue
            }
            const events = one.append.map((at) => bound(base + at.block, 7, at.fork))
            const known = new Set(expected.map(eventKey))
            const fresh = events.filter(
              (event, index) => !known.has(eventKey(event)) && events.findIndex((other) => eventKey(other) === eventKey(event)) === index,
            )
            assert.deepEqual(await appendEvents(store.db, id, events), fresh)
            expected = [...expected, ...fresh]
          }
          assert.deepEqual(await keysOf(id), expected.map(eventKey))
        }),
        { numRuns: 25 },
      )
    })
  })
}
