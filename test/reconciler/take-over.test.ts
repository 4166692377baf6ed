/** Several processes on one PostgreSQL: what a living one performs is left to it, what a dead one left is taken over at once. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createReconciler } from "../../orchestrator/reconciler/index.ts"
import { appendEvents, insertJob } from "../../orchestrator/store/index.ts"
import { openTimers } from "../../orchestrator/timers/index.ts"
import { bound, confirmed, newJob, POSTED_AT, posted, signed } from "../store/support/jobs.ts"
import { DATABASES } from "../store/support/stores.ts"

/** Much shorter than a lease: it must not be what is waited for. */
const SOON_MS = 15_000

for (const { skip, create } of DATABASES.filter(({ kind }) => kind === "postgres"))
  describe("two processes on one database", { skip }, () => {
    it("leave an action to its performer while that lives, and take it over when it is killed", async () => {
      const place = await create()
      const store = await place.open()
      const timers = await openTimers({ pool: store.queuePool, onError: () => undefined })
      const performed = Promise.withResolvers<string>()
      const reconciler = createReconciler({
        store,
        timers,
        clocks: { chain: async () => POSTED_AT + 3, wallMs: Date.now },
        perform: async ({ key }, { jobId }) => {
          performed.resolve(key)
          await appendEvents(store.db, jobId, [bound()])
          return {}
        },
        log: () => undefined,
      })
      await insertJob(store.db, newJob("job"))
      await appendEvents(store.db, "job", [posted(), signed("buyer"), signed("provider"), signed("mediator"), confirmed()])
      const other = spawn(process.execPath, [join(import.meta.dirname, "support/hang.ts"), place.dataDir, place.databaseUrl ?? "", "job"], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      try {
        const [claimed] = (await once(other.stdout, "data")) as [Buffer]
        assert.equal(claimed.toString().trim(), "relay-bind:request-1")
        await timers.start({ wake: reconciler.reconcile })
        await reconciler.start(200)
        await timers.poke("job")
        for (let sweep = 0; sweep < 3; sweep++) await reconciler.sweep()
        const { attempts } = await store.db.selectFrom("afg.actions").select("attempts").executeTakeFirstOrThrow()
        assert.equal(attempts, 1)
        const killedAt = Date.now()
        other.kill("SIGKILL")
        assert.equal(await performed.promise, "relay-bind:request-1")
        assert.ok(Date.now() - killedAt < SOON_MS)
      } finally {
        other.kill("SIGKILL")
        await reconciler.stop()
        await timers.close()
        await place.remove()
      }
    })

    it("sweep one at a time", async () => {
      const place = await create()
      try {
        const [here, there] = [await place.open(), await place.open()]
        const gate = Promise.withResolvers<void>()
        const begun = Promise.withResolvers<void>()
        const mine = here.alone("sweep", async () => {
          begun.resolve()
          await gate.promise
          return "here"
        })
        await begun.promise
        assert.equal(await there.alone("sweep", async () => "there"), null)
        assert.equal(await there.alone("something else", async () => "there"), "there")
        gate.resolve()
        assert.equal(await mine, "here")
        assert.equal(await there.alone("sweep", async () => "there"), "there")
      } finally {
        await place.remove()
      }
    })
  })
