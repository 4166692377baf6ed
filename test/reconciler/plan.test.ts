/** One look, decided: which actions may be tried now, and when to look again. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { pauseAfter } from "../../orchestrator/reconciler/performing.ts"
import { planFor } from "../../orchestrator/reconciler/plan.ts"
import type { JobEvent } from "../../orchestrator/state-machine/index.ts"
import { type ActionState, type DueJob, LONGEST_POSTPONEMENT_MS } from "../../orchestrator/store/index.ts"
import { bound, CLOCK, confirmed, funded, POSTED_AT, posted, signed, TERMS } from "../store/support/jobs.ts"

const NOW_MS = 1_800_000_000_000
const BIND = "relay-bind:request-1"
const AGREED = [posted(), signed("buyer"), signed("provider"), signed("mediator"), confirmed()]

const due = (events: JobEvent[], actions: Record<string, ActionState> = {}): DueJob => ({
  jobId: "job",
  terms: TERMS,
  lastSeq: events.length,
  events,
  actions: new Map(Object.entries(actions)),
})
const plan = (job: DueJob, now = POSTED_AT) => planFor(job, now, NOW_MS)
const wakeAt = (job: DueJob, now = POSTED_AT) => {
  const made = plan(job, now)
  assert.equal(made.kind, "rest")
  return made.kind === "rest" ? made.projection.wakeAt : undefined
}

describe("a look", () => {
  it("performs what is missing and was never tried, or whose next try is due", () => {
    for (const state of [undefined, { refused: false, notBefore: NOW_MS }, { refused: false, notBefore: 0 }]) {
      const made = plan(due(AGREED, state === undefined ? {} : { [BIND]: state }))
      assert.deepEqual(made.kind === "perform" && made.actions.map(({ key }) => key), [BIND])
    }
  })

  it("rests until the next try, counted in chain time, a second at least", () => {
    for (const [ms, seconds] of [
      [1, 1],
      [1_000, 1],
      [1_001, 2],
      [60_000, 60],
    ] as const)
      assert.equal(wakeAt(due(AGREED, { [BIND]: { refused: false, notBefore: NOW_MS + ms } })), POSTED_AT + seconds)
  })

  it("rests until time changes something, when nothing is missing or all of it was refused", () => {
    assert.equal(wakeAt(due([posted()])), CLOCK.fundBy + 1)
    assert.equal(wakeAt(due(AGREED, { [BIND]: { refused: true, notBefore: 0 } })), CLOCK.fundBy + 1)
    assert.equal(wakeAt(due([...AGREED, bound(), funded()])), CLOCK.deliveryBy + 1)
  })

  it("does not believe a moment that no one would postpone to: the clock was set back", () => {
    const far = { refused: false, notBefore: NOW_MS + LONGEST_POSTPONEMENT_MS + 1 }
    assert.equal(plan(due(AGREED, { [BIND]: far })).kind, "perform")
  })

  it("keeps a job open while anything is left to do, and closes it when it is over", () => {
    const at = CLOCK.fundBy + 1
    const lapsing = plan(due([...AGREED, bound()], { lapse: { refused: false, notBefore: NOW_MS + 5_000 } }), at)
    assert.deepEqual(lapsing.kind === "rest" && [lapsing.projection.state, lapsing.projection.open], ["LAPSED", true])
    const over = plan(due([posted()]), at)
    assert.deepEqual(over.kind === "rest" && [over.projection.state, over.projection.open], ["LAPSED", false])
  })
})

describe("the pause after a failure", () => {
  it("doubles from a second, and is never longer than a store believes", () => {
    assert.deepEqual([1, 2, 3, 10].map(pauseAfter), [1_000, 2_000, 4_000, 512_000])
    for (const attempt of [11, 50, 2_000]) assert.equal(pauseAfter(attempt), 600_000)
    assert.ok(pauseAfter(2_000) < LONGEST_POSTPONEMENT_MS)
  })
})
