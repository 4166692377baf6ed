/** Sweeps follow one another, and whoever asks gets one that began after it asked. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createLimit } from "../../orchestrator/reconciler/limit.ts"
import { createSweeper } from "../../orchestrator/reconciler/sweeper.ts"

const controlled = () => {
  const gates: PromiseWithResolvers<number>[] = []
  const sweep = (): Promise<number> => {
    const gate = Promise.withResolvers<number>()
    gates.push(gate)
    return gate.promise
  }
  return { gates, sweeper: createSweeper({ sweep, log: () => undefined }) }
}

describe("the sweeper", () => {
  it("gives those who ask during a sweep one more, together, also after one that failed", async () => {
    const { gates, sweeper } = controlled()
    const first = sweeper.sweep()
    const second = sweeper.sweep()
    const third = sweeper.sweep()
    assert.equal(gates.length, 1)
    gates[0]?.reject(new Error("on purpose"))
    await assert.rejects(first, /on purpose/)
    while (gates.length < 2) await new Promise((resolve) => setImmediate(resolve))
    gates[1]?.resolve(7)
    assert.deepEqual(await Promise.all([second, third]), [7, 7])
    assert.equal(gates.length, 2)
  })

  it("sweeps periodically until it is stopped", async () => {
    let count = 0
    const enough = Promise.withResolvers<void>()
    const sweeper = createSweeper({
      sweep: async () => {
        count += 1
        if (count === 3) enough.resolve()
        return 0
      },
      log: () => undefined,
    })
    await sweeper.start(1)
    await enough.promise
    await sweeper.stop()
    const before = count
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(count, before)
  })
})

describe("a limit", () => {
  it("lets so many work at once, the others in their order, failures included", async () => {
    const limit = createLimit(2)
    let now = 0
    let most = 0
    const order: number[] = []
    const work = (index: number) => async () => {
      now += 1
      most = Math.max(most, now)
      order.push(index)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
      if (index % 3 === 0) throw new Error("on purpose")
    }
    const ends = await Promise.allSettled(Array.from({ length: 9 }, (_, index) => limit(work(index))))
    assert.equal(most, 2)
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8])
    assert.equal(ends.filter(({ status }) => status === "rejected").length, 3)
  })
})
