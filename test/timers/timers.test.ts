/** Timers, the same on every queue: PGlite, PostgreSQL, Redis. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { after, before, describe, it } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { Store } from "../../orchestrator/store/index.ts"
import { openTimers, type TimerHandlers, type Timers, type VerificationOrder } from "../../orchestrator/timers/index.ts"
import type { TestStore } from "../store/support/stores.ts"
import { QUEUES } from "./support/queues.ts"

/** What was delivered, in order, and a way to wait for it. */
const inbox = <T>() => {
  const got: { value: T; at: number }[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  return {
    got,
    values: () => got.map(({ value }) => value),
    put: (value: T) => {
      got.push({ value, at: Date.now() })
      for (const one of waiting) if (got.length >= one.count) one.resolve()
    },
    has: (count: number) => new Promise<void>((resolve) => (got.length >= count ? resolve() : waiting.push({ count, resolve }))),
  }
}

for (const { name, skip, create, redisUrl } of QUEUES) {
  describe(`timers on ${name}`, { skip }, () => {
    let place: TestStore
    let store: Store
    const opened: Timers[] = []
    before(async () => {
      place = await create()
      store = await place.open()
    })
    after(async () => {
      await place.remove()
    })

    const errors: Error[] = []
    const told = new Set<() => void>()
    /** Resolves when an error with that text was told, be it before or after the delivery that it is about. */
    const errorTold = (text: RegExp): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (errors.some(({ message }) => text.test(message))) resolve()
        }
        told.add(look)
        look()
      })
    const open = async (): Promise<Timers> => {
      const timers = await openTimers({
        pool: store.queuePool,
        redisUrl,
        prefix: `test-${randomUUID()}`,
        exclusive: true,
        onError: (error) => {
          errors.push(error)
          for (const look of told) look()
        },
      })
      opened.push(timers)
      return timers
    }
    /** Every test has queues of its own and closes them: a handle left open would hang the run. */
    const withTimers = async (
      handlers: TimerHandlers,
      test: (timers: Timers) => Promise<void>,
      concurrency?: { wake?: number; verify?: number },
    ) => {
      const timers = await open()
      try {
        await timers.start(handlers, concurrency)
        await test(timers)
      } finally {
        await timers.close()
      }
    }

    it("deliver a poke at once, each as often as it was made at least", async () => {
      const box = inbox<string>()
      await withTimers({ wake: async (jobId) => box.put(jobId) }, async (timers) => {
        for (const id of ["a", "b", "a"]) await timers.poke(id)
        await box.has(3)
        assert.deepEqual(box.values().toSorted(), ["a", "a", "b"])
      })
    })

    it("fire after their delay and not before, the earlier ones first, in whatever order they were set", async () => {
      const box = inbox<string>()
      await withTimers({ wake: async (jobId) => box.put(jobId) }, async (timers) => {
        const began = Date.now()
        await timers.wakeAll([
          { jobId: "late", at: 12, delay: 1.6 },
          { jobId: "soon", at: 11, delay: 0.5 },
          { jobId: "past", at: 1, delay: -5 },
        ])
        await box.has(3)
        assert.deepEqual(box.values(), ["past", "soon", "late"])
        const waited = box.got.map(({ at }) => at - began)
        assert.ok((waited[1] ?? 0) >= 490 && (waited[2] ?? 0) >= 1_590, `fired after ${waited} ms`)
      })
    })

    it("of a job for an earlier moment come first, although a later one is set", async () => {
      const box = inbox<string>()
      await withTimers({ wake: async (jobId) => box.put(jobId) }, async (timers) => {
        const began = Date.now()
        await timers.wake("job", 100_000, 3_600)
        await timers.wake("job", 50, 0.3)
        await box.has(1)
        assert.ok(Date.now() - began < 3_000)
      })
    })

    it("set twice for the same moment fire once", async () => {
      const box = inbox<string>()
      await withTimers({ wake: async (jobId) => box.put(jobId) }, async (timers) => {
        await timers.wakeAll([
          { jobId: "job", at: 77, delay: 60 },
          { jobId: "job", at: 77, delay: 60 },
        ])
        await timers.wakeAll([
          { jobId: "job", at: 78, delay: 0.2 },
          { jobId: "job", at: 78, delay: 0.2 },
        ])
        await timers.wake("end", 79, 0.8)
        await box.has(2)
        assert.deepEqual(box.values(), ["job", "end"])
      })
    })

    it("can be set again while they are being handled, for the same job and moment", async () => {
      const box = inbox<string>()
      const timers = await open()
      try {
        let again = 3
        await timers.start({
          wake: async (jobId) => {
            // As when the chain's clock is a second behind ours: the moment has not come there yet.
            if (again-- > 0) await timers.wake(jobId, 1_000, 1)
            box.put(jobId)
          },
        })
        await timers.wake("job", 1_000, 0)
        await box.has(4)
      } finally {
        await timers.close()
      }
    })

    it("are delivered again, and others meanwhile, when a handler fails", async () => {
      const box = inbox<string>()
      await withTimers(
        {
          wake: async (jobId) => {
            box.put(jobId)
            if (jobId === "bad") throw new Error("handler failed on purpose")
          },
        },
        async (timers) => {
          await timers.poke("bad")
          await box.has(1)
          await timers.poke("good")
          await timers.poke("bad")
          await box.has(3)
          await errorTold(/on purpose/)
        },
      )
    })

    const order = (n: number): VerificationOrder => ({ jobId: "job", n, by: "primary", key: `verify:${n}:primary` })

    it("hold a verification once while it waits and while it runs, and take it again after", async () => {
      const box = inbox<number>()
      const running = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      const verify = async ({ n }: VerificationOrder) => {
        box.put(n)
        if (box.got.length > 1) return
        running.resolve()
        await finish.promise
      }
      await withTimers(
        { verify },
        async (timers) => {
          await timers.enqueueVerification(order(1))
          await running.promise
          for (let again = 0; again < 3; again++) await timers.enqueueVerification(order(1))
          for (let again = 0; again < 3; again++) await timers.enqueueVerification(order(2))
          finish.resolve()
          await box.has(2)
          await timers.enqueueVerification(order(3))
          await box.has(3)
          assert.deepEqual(box.values(), [1, 2, 3])
          await timers.enqueueVerification(order(1))
          await box.has(4)
        },
        { verify: 1 },
      )
    })

    it("take a verification again after it failed", async () => {
      const box = inbox<number>()
      const failed = Promise.withResolvers<void>()
      await withTimers(
        {
          verify: async ({ n }) => {
            box.put(n)
            if (box.got.length === 1) throw new Error("engine gone")
          },
        },
        async (timers) => {
          await timers.enqueueVerification(order(1))
          await box.has(1)
          // The queue hears of the failure after the handler; asking until then is asking once.
          const asking = setInterval(() => void timers.enqueueVerification(order(1)), 50)
          await box.has(2).finally(() => clearInterval(asking))
          failed.resolve()
        },
      )
    })

    it("wait for a verification that runs when they close, not for looks, which are the store's to remember", async () => {
      const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let ended = false
      const timers = await open()
      await timers.start({
        wake: async () => {
          started[0]?.resolve()
          await new Promise(() => undefined)
        },
        verify: async () => {
          started[1]?.resolve()
          await delay(200)
          ended = true
        },
      })
      await timers.poke("job")
      await timers.enqueueVerification(order(1))
      await Promise.all(started.map(({ promise }) => promise))
      await timers.close()
      assert.equal(ended, true)
    })

    it("forget what a dead process of their own left: the store knows better", async () => {
      const prefix = `test-${randomUUID()}`
      const before = await openTimers({ pool: store.queuePool, redisUrl, prefix, exclusive: true, onError: (error) => errors.push(error) })
      await before.poke("left")
      await before.enqueueVerification(order(9))
      await before.close()
      const box = inbox<string>()
      const timers = await openTimers({ pool: store.queuePool, redisUrl, prefix, exclusive: true, onError: (error) => errors.push(error) })
      try {
        await timers.start({ wake: async (jobId) => box.put(jobId), verify: async ({ key }) => box.put(key) })
        await timers.poke("fresh")
        await box.has(1)
        await timers.wake("end", 5, 0.5)
        await box.has(2)
        assert.deepEqual(box.values(), ["fresh", "end"])
      } finally {
        await timers.close()
      }
    })
  })
}
