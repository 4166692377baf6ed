/** Killed at any fail-point, and started again: the same result, every effect once. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { FAILPOINTS, type Failpoint } from "../../orchestrator/failpoints.ts"
import { readEvents } from "../../orchestrator/store/index.ts"
import type { TestStore } from "../store/support/stores.ts"
import { QUEUES } from "../timers/support/queues.ts"
import { openWorld } from "./support/world.ts"

/** Those that a process without chain, containers and API passes. */
const PASSED = FAILPOINTS.filter((name) => /^(store|queue|reconcile)\./.test(name))
const deep = process.env.AFG_DEEP !== undefined
/** How often it passes a point before it is killed there. */
const TIMES = deep ? [1, 2, 3, 5, 8] : [1]

/** What the usual run takes of them: all on one database, elsewhere those at which the other queue or database can make a difference. */
const POINTS: Readonly<Record<string, RegExp>> = {
  pglite: /appended|adding|claimed|performed|projected/,
  redis: /^queue\./,
}

const EFFECTS = ["relay-bind", "relay-fund", "relay-submission", "verify", "relay-verdict", "settle"]

type End = { code: number | null; signal: NodeJS.Signals | null; output: string }

const run = async (args: readonly string[], failpoint?: string): Promise<End> => {
  const env = { ...process.env, ...(failpoint === undefined ? {} : { AFG_FAILPOINT: failpoint }) }
  const child = spawn(process.execPath, [join(import.meta.dirname, "support/run-job.ts"), ...args], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  })
  let output = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk
  })
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  return { code, signal, output }
}

const assertResult = async (place: TestStore, worldDir: string): Promise<void> => {
  assert.deepEqual(openWorld(worldDir).taken("job"), EFFECTS)
  const store = await place.open()
  const chain = (await readEvents(store.db, "job")).map(({ event }) => event).filter(({ source }) => source === "chain")
  assert.deepEqual(
    chain.map(({ type }) => type),
    ["bound", "funded", "submitted", "verdict", "settled"],
  )
  const standing = await store.db.selectFrom("afg.standings").select(["state", "open", "wake_at"]).executeTakeFirst()
  assert.deepEqual(standing, { state: "RELEASED", open: false, wake_at: null })
  await store.close()
}

for (const { name, skip, create, redisUrl } of QUEUES) {
  describe(`a process killed -9, timers on ${name}`, { skip }, () => {
    const carried = async (failpoint: Failpoint | null, times = 1): Promise<boolean> => {
      const place = await create()
      const worldDir = await mkdtemp(join(tmpdir(), "afg-world-"))
      const args = [place.dataDir, worldDir, place.databaseUrl ?? "", redisUrl ?? ""]
      try {
        const first = failpoint === null ? null : await run(args, `${failpoint}:${times}`)
        const killed = first?.signal === "SIGKILL"
        if (first !== null && !killed) assert.equal(first.code, 0, first.output)
        if (first === null || killed) {
          const second = await run(args)
          assert.equal(second.code, 0, `${second.signal} ${second.output}`)
        }
        await assertResult(place, worldDir)
        return killed
      } finally {
        await place.remove()
        await rm(worldDir, { recursive: true, force: true })
      }
    }

    it("nowhere carries the job to its end", async () => {
      await carried(null)
    })
    for (const failpoint of PASSED.filter((point) => deep || (POINTS[name] ?? /./).test(point)))
      it(`at ${failpoint} carries it to the same end`, async () => {
        const killed = []
        for (const times of TIMES) killed.push(await carried(failpoint, times))
        assert.equal(killed[0], true, "the process does not pass this point")
      })
  })
}
