/** kill -9 of the orchestrator at any point of the demonstration: it is started again, and the job ends as if nothing had happened. */
import assert from "node:assert/strict"
import { randomInt } from "node:crypto"
import { describe, it } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { FAILPOINTS } from "../../orchestrator/failpoints.ts"
import { type Ended, orchestratorStarts, startAfg } from "./support/demo.ts"
import { assertHappy } from "./support/happy.ts"

const DEEP = process.env.AFG_DEEP === "1"

const killsIn = ({ stderr }: Ended): number => stderr.match(/the orchestrator ended \(SIGKILL\)/g)?.length ?? 0

/** In the order in which the happy path comes by them, each start being killed at the next: job kept, evidence used up, bind sent, checks run, act done. */
const SAMPLE = ["store.appended", "fund.consumed", "keeper.sent", "verifier.checked", "reconcile.performed"]

/** What happens once on the happy path; all else happens at least three times. */
const ONCE = /^(?:fund|verifier)\./

const playWith = async (failpoints: readonly string[]): Promise<void> => {
  const demo = startAfg(["demo", "--json"], { AFG_FAILPOINT: failpoints.join(",") })
  const ended = await demo.ended
  assert.equal(killsIn(ended), failpoints.length, `not every kill happened:\n${ended.stderr}`)
  await assertHappy(demo, ended)
}

describe("kill -9 of the orchestrator", () => {
  it(`at ${SAMPLE.join(", ")}, one after the other`, () => playWith(SAMPLE))

  it("from outside, at moments that nobody chose", async (t) => {
    const demo = startAfg(["demo", "--json"])
    const [, dataDir = ""] = await demo.said(/logs and evidence: ([^)]+)\)/)
    for (const step of [/ ✓ .*keeper .*binds/, / ✓ .*provider .*submits/]) {
      await demo.said(step)
      const pause = randomInt(2_000)
      await delay(pause)
      const pid = orchestratorStarts(dataDir).at(-1)?.pid
      assert.ok(pid !== undefined)
      t.diagnostic(`kill -9 ${pause} ms after ${step}`)
      process.kill(pid, "SIGKILL")
    }
    await assertHappy(demo, await demo.ended)
  })

  for (const name of DEEP ? FAILPOINTS : []) {
    for (const nth of ONCE.test(name) ? [1] : [1, 3]) it(`at ${name}, time ${nth}`, () => playWith([`${name}:${nth}`]))
  }
})
