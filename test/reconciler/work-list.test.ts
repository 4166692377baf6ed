/** The work list: each job in one place at a time, nothing forgotten, in batches. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { createWorkList } from "../../orchestrator/reconciler/work-list.ts"

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("the work list", () => {
  it("takes what is wanted together in one batch, each job once, no more than its size", async () => {
    const batches: string[][] = []
    const list = createWorkList({
      size: 3,
      parallel: 1,
      work: async (jobIds) => {
        batches.push([...jobIds])
        return []
      },
    })
    await Promise.all(["a", "b", "a", "c", "d", "b"].map(list.want))
    assert.deepEqual(batches, [["a", "b", "c"], ["d"]])
  })

  it("works again on a job that is wanted while it is worked on", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let runs = 0
    const list = createWorkList({
      size: 5,
      parallel: 2,
      work: async () => {
        await gates[runs++]?.promise
        return []
      },
    })
    const first = list.want("a")
    await turn()
    let secondDone = false
    const second = list.want("a").then(() => {
      secondDone = true
    })
    gates[0]?.resolve()
    await first
    await turn()
    assert.deepEqual([runs, secondDone], [2, false])
    gates[1]?.resolve()
    await second
  })

  it("tells each who asked of a failure, and works on", async () => {
    let runs = 0
    const list = createWorkList({
      size: 5,
      parallel: 1,
      work: async () => {
        runs += 1
        if (runs === 1) throw new Error("on purpose")
        return []
      },
    })
    const asked = ["a", "b"].map((id) => list.want(id))
    for (const one of asked) await assert.rejects(one, /on purpose/)
    await list.want("a")
    assert.equal(runs, 2)
  })

  it("does not wait for detached work where it is only offered, and does where it is wanted", async () => {
    const long = Promise.withResolvers<void>()
    let runs = 0
    const list = createWorkList({
      size: 5,
      parallel: 1,
      work: async (jobIds, detach) => {
        runs += 1
        if (runs === 1) for (const id of jobIds) detach(id, long.promise)
        return []
      },
    })
    await list.offer("a")
    await list.offer("a")
    assert.equal(runs, 1)
    let done = false
    const wanted = list.want("a").then(() => {
      done = true
    })
    await list.want("b")
    assert.equal(done, false)
    long.resolve()
    await wanted
    assert.equal(runs, 3)
  })

  it("never works on a job twice at once and finishes everything, whatever comes when", async () => {
    const step = fc.record({
      job: fc.constantFrom("a", "b", "c", "d", "e"),
      how: fc.constantFrom("want", "offer"),
      turns: fc.integer({ min: 0, max: 3 }),
    })
    const outcome = fc.constantFrom("done", "again", "long", "fail")
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.array(outcome, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, outcomes, size) => {
          const busy = new Set<string>()
          let next = 0
          const list = createWorkList({
            size,
            parallel: 2,
            work: async (jobIds, detach) => {
              assert.ok(jobIds.length <= size)
              for (const id of jobIds) {
                assert.ok(!busy.has(id), `${id} is worked on already`)
                busy.add(id)
              }
              await turn()
              const unfinished: string[] = []
              const how = jobIds.map(() => outcomes[next++] ?? "done")
              for (const [index, id] of jobIds.entries()) {
                if (how[index] === "again") unfinished.push(id)
                if (how[index] !== "long") continue
                detach(
                  id,
                  turn().then(() => {
                    busy.delete(id)
                  }),
                )
              }
              for (const [index, id] of jobIds.entries()) if (how[index] !== "long") busy.delete(id)
              if (how.includes("fail")) throw new Error("on purpose")
              return unfinished
            },
          })
          const asked: Promise<void>[] = []
          for (const { job, how, turns } of steps) {
            asked.push(list[how as "want" | "offer"](job).catch(() => undefined))
            for (let count = 0; count < turns; count++) await turn()
          }
          await Promise.all(asked)
          await list.stop()
          assert.deepEqual([...busy], [])
        },
      ),
      { numRuns: 300 },
    )
  })

  it("leaves undone what is wanted after it was stopped", async () => {
    let runs = 0
    const list = createWorkList({
      size: 1,
      parallel: 1,
      work: async () => {
        runs += 1
        return ["a"]
      },
    })
    const endless = list.want("a")
    await turn()
    await list.stop()
    await endless
    const before = runs
    await list.want("b")
    assert.equal(runs, before)
  })
})
