/** The reconciler on both databases: what is missing is performed, once, whoever looks and whatever fails. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { AfgError } from "../../orchestrator/errors.ts"
import { createReconciler, type Perform, type Reconciler } from "../../orchestrator/reconciler/index.ts"
import { appendEvents, failedActions, insertJob, type Store } from "../../orchestrator/store/index.ts"
import type { Timers, Wake } from "../../orchestrator/timers/index.ts"
import { bound, confirmed, funded, newJob, POSTED_AT, posted, signed, TERMS } from "../store/support/jobs.ts"
import { DATABASES, type TestStore } from "../store/support/stores.ts"
import { postFunded } from "./support/jobs.ts"

const BIND = "relay-bind:request-1"
const AGREED = [posted(), signed("buyer"), signed("provider"), signed("mediator"), confirmed()]

for (const { kind, skip, create } of DATABASES) {
  describe(`the reconciler on ${kind}`, { skip }, () => {
    let place: TestStore
    let store: Store
    const running: Reconciler[] = []
    before(async () => {
      place = await create()
      store = await place.open()
    })
    after(async () => {
      for (const one of running) await one.stop()
      await place.remove()
    })

    /** Timers that only write down what they were asked for: here the sweep is the one that delivers. */
    const asked: Wake[] = []
    const timers: Timers = {
      kind: "store",
      wakeAll: async (wakes) => {
        asked.push(...wakes)
      },
      wake: async (jobId, at, delay) => {
        asked.push({ jobId, at, delay })
      },
      poke: async () => undefined,
      enqueueVerification: async () => undefined,
      start: async () => undefined,
      close: async () => undefined,
    }

    type Setting = { now: number; wallMs: number; log: string[] }
    const reconcilerWith = (perform: Perform, on: Store = store) => {
      const setting: Setting = { now: POSTED_AT + 3, wallMs: Date.now(), log: [] }
      const reconciler = createReconciler({
        store: on,
        timers,
        clocks: { chain: async () => setting.now, wallMs: () => setting.wallMs },
        perform,
        log: (level, message) => setting.log.push(`${level} ${message}`),
      })
      running.push(reconciler)
      return { reconciler, setting }
    }
    const standing = async (jobId: string) => {
      const row = await store.db
        .selectFrom("afg.standings")
        .select(["state", "open", "wake_at"])
        .where("job_id", "=", jobId)
        .executeTakeFirstOrThrow()
      return { ...row, wake_at: row.wake_at === null ? null : Number(row.wake_at) }
    }

    it("performs what the events ask for, stores where the job stands, sets a timer", async () => {
      const performed: string[] = []
      const { reconciler } = reconcilerWith(async (action, { jobId, job, contract }) => {
        performed.push(`${jobId} ${action.key}`)
        assert.equal(job.messages.confirmed?.requestId, "request-1")
        assert.equal((await contract()).buyer.wallet, job.terms.roles.buyer)
        await appendEvents(store.db, jobId, [bound()])
        return {}
      })
      await insertJob(store.db, newJob("plain"))
      await appendEvents(store.db, "plain", AGREED)
      await reconciler.reconcile("plain")
      assert.deepEqual(performed, [`plain ${BIND}`])
      const { state, open, wake_at } = await standing("plain")
      assert.deepEqual({ state, open }, { state: "AGREED", open: true })
      assert.deepEqual(
        asked.filter(({ jobId }) => jobId === "plain").map(({ at }) => at),
        [wake_at],
      )
      await reconciler.reconcile("plain")
      await reconciler.reconcile("nobody")
      assert.equal(performed.length, 1)
    })

    it("performs an action once although many look at the job at once, in two processes' way", async () => {
      let performed = 0
      const perform: Perform = async () => {
        performed += 1
        await new Promise((resolve) => setTimeout(resolve, 20))
        return {}
      }
      const [first, second] = [reconcilerWith(perform), reconcilerWith(perform)]
      await insertJob(store.db, newJob("crowd"))
      await appendEvents(store.db, "crowd", AGREED)
      await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 ? first : second).reconciler.reconcile("crowd")))
      assert.equal(performed, 1)
    })

    it("tries again what failed after a pause that grows, and says meanwhile why", async () => {
      let attempts = 0
      const { reconciler, setting } = reconcilerWith(async (_, { jobId }) => {
        attempts += 1
        if (attempts < 3) throw new AfgError("chain_unavailable", "no answer")
        await appendEvents(store.db, jobId, [bound()])
        return {}
      })
      await insertJob(store.db, newJob("fails"))
      await appendEvents(store.db, "fails", AGREED)
      const look = async (ms: number) => {
        setting.wallMs += ms
        setting.now += Math.ceil(ms / 1_000)
        await reconciler.reconcile("fails")
        return attempts
      }
      assert.equal(await look(0), 1)
      assert.deepEqual(await failedActions(store.db, "fails"), [{ key: BIND, code: "chain_unavailable", message: "no answer" }])
      assert.equal((await standing("fails")).wake_at, setting.now + 1)
      assert.equal(await look(500), 1)
      assert.equal(await look(1_000), 2)
      assert.equal((await standing("fails")).wake_at, setting.now + 2)
      assert.equal(await look(1_000), 2)
      assert.equal(await look(1_000), 3)
      assert.deepEqual(await failedActions(store.db, "fails"), [])
    })

    it("does not try again what was refused for good, and goes on with the job", async () => {
      let attempts = 0
      const { reconciler, setting } = reconcilerWith(async () => {
        attempts += 1
        throw new AfgError("rail_unsupported", "never", { details: { permanent: true } })
      })
      await insertJob(store.db, newJob("refused"))
      await appendEvents(store.db, "refused", AGREED)
      await reconciler.reconcile("refused")
      setting.wallMs += 86_400_000
      await appendEvents(store.db, "refused", [bound(), funded()])
      await reconciler.reconcile("refused")
      assert.equal(attempts, 1)
      assert.equal((await standing("refused")).state, "FUNDED")
      assert.deepEqual(await failedActions(store.db, "refused"), [{ key: BIND, code: "rail_unsupported", message: "never" }])
    })

    it("performs again what was done, when its event does not come", async () => {
      let performed = 0
      const { reconciler, setting } = reconcilerWith(async (_, { jobId }) => {
        // The sweep finds the other tests' jobs as well.
        if (jobId === "lost") performed += 1
        return {}
      })
      await insertJob(store.db, newJob("lost"))
      await appendEvents(store.db, "lost", AGREED)
      await reconciler.reconcile("lost")
      for (const [ms, expected] of [
        [10_000, 1],
        [10_001, 2],
      ] as const) {
        setting.wallMs += ms
        setting.now += Math.ceil(ms / 1_000)
        await reconciler.sweep()
        await reconciler.reconcile("lost")
        assert.equal(performed, expected)
      }
    })

    it("looks again when an event comes while it looks", async () => {
      const performed: string[] = []
      const { reconciler } = reconcilerWith(async (action, { jobId }) => {
        performed.push(action.key)
        // Two events of one transaction: the chain was quicker than our answer.
        await appendEvents(store.db, jobId, [bound(), funded()])
        return {}
      })
      await insertJob(store.db, newJob("quick"))
      await appendEvents(store.db, "quick", AGREED)
      await reconciler.reconcile("quick")
      assert.deepEqual(performed, [BIND])
      assert.equal((await standing("quick")).state, "FUNDED")
    })

    it("sweeps jobs whose moment has come, whatever the number, each performed once; those after it not", async () => {
      const performed: string[] = []
      const { reconciler, setting } = reconcilerWith(async (action, { jobId }) => {
        if (jobId.startsWith("swept-")) performed.push(`${jobId} ${action.key}`)
        return {}
      })
      const moment = POSTED_AT + 500_000
      const ids = Array.from({ length: 1_100 }, (_, index) => `swept-${index}`)
      await postFunded(
        store,
        ids.map((id, index) => [id, moment + (index % 10)]),
      )
      await reconciler.sweep()
      assert.deepEqual(performed, [])
      setting.now = moment + 4
      setting.wallMs += 1_000
      await reconciler.sweep()
      await reconciler.stop()
      assert.deepEqual(
        performed.toSorted(),
        ids
          .filter((_, index) => index % 10 <= 4)
          .map((id) => `${id} settle:REFUND`)
          .toSorted(),
      )
    })

    it("is not held up by an action that takes long: others are performed, sweeps go on", async () => {
      const slow = Promise.withResolvers<void>()
      const performed: string[] = []
      const { reconciler } = reconcilerWith(async (_, { jobId }) => {
        if (jobId === "slow") await slow.promise
        if (jobId === "slow" || jobId === "brisk") performed.push(jobId)
        return {}
      })
      for (const id of ["slow", "brisk"]) {
        await insertJob(store.db, newJob(id))
        await appendEvents(store.db, id, AGREED)
      }
      const waiting = reconciler.reconcile("slow")
      await reconciler.reconcile("brisk")
      await reconciler.sweep()
      assert.deepEqual(performed, ["brisk"])
      slow.resolve()
      await waiting
      assert.deepEqual(performed, ["brisk", "slow"])
    })

    it("survives a clock that does not answer, and looks when it does", async () => {
      let broken = true
      let performed = 0
      const setting = { now: POSTED_AT + 3 }
      const log: string[] = []
      const reconciler = createReconciler({
        store,
        timers,
        clocks: {
          chain: async () => {
            if (broken) throw new AfgError("chain_unavailable", "no answer")
            return setting.now
          },
          wallMs: Date.now,
        },
        perform: async (_, { jobId }) => {
          if (jobId === "no-clock") performed += 1
          return {}
        },
        log: (_, message) => log.push(message),
      })
      running.push(reconciler)
      await insertJob(store.db, newJob("no-clock"))
      await appendEvents(store.db, "no-clock", AGREED)
      await assert.rejects(reconciler.reconcile("no-clock"), { code: "chain_unavailable" })
      await reconciler.start(20)
      assert.deepEqual(log, ["cannot sweep"])
      broken = false
      const { promise, resolve } = Promise.withResolvers<void>()
      const seen = setInterval(() => performed > 0 && resolve(), 5)
      await promise.finally(() => clearInterval(seen))
      await reconciler.stop()
      assert.equal(performed, 1)
      assert.ok(log.includes("sweeping again"))
    })

    it("is not held up by a job that it cannot judge, and says so", async () => {
      const performed: string[] = []
      const { reconciler, setting } = reconcilerWith(async (_, { jobId }) => {
        performed.push(jobId)
        return {}
      })
      for (const id of ["broken", "sound"]) {
        await insertJob(store.db, newJob(id, id === "broken" ? { terms: { ...TERMS, clock: JSON.parse("null") } } : {}))
        await appendEvents(store.db, id, AGREED)
      }
      await Promise.all(["broken", "sound"].map(reconciler.reconcile))
      assert.deepEqual(performed, ["sound"])
      assert.deepEqual(
        setting.log.filter((line) => line.startsWith("error")),
        ["error cannot judge"],
      )
      assert.deepEqual(await standing("broken"), { state: "DRAFT", open: true, wake_at: setting.now + 60 })
    })

    it("waits for what is under way when it stops, and takes nothing on any more", async () => {
      const started = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      let ended = 0
      const { reconciler } = reconcilerWith(async () => {
        started.resolve()
        await finish.promise
        ended += 1
        return {}
      })
      for (const id of ["ending", "after-end"]) {
        await insertJob(store.db, newJob(id))
        await appendEvents(store.db, id, AGREED)
      }
      const waiting = reconciler.reconcile("ending")
      await started.promise
      const stopped = reconciler.stop()
      await reconciler.reconcile("after-end")
      finish.resolve()
      await Promise.all([stopped, waiting])
      assert.equal(ended, 1)
    })

    it("has every open job looked at when asked to, due or not", async () => {
      const { reconciler, setting } = reconcilerWith(async () => ({}))
      await insertJob(store.db, newJob("calm", { wakeAt: POSTED_AT + 1_000_000_000 }))
      assert.ok((await reconciler.sweepAll()) > 1)
      const { state, wake_at } = await standing("calm")
      assert.equal(state, "DRAFT")
      assert.ok(wake_at !== null && wake_at > setting.now && wake_at < POSTED_AT + 1_000_000_000)
    })
  })
}
