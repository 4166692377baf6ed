/** The table, row by row: each act counts in its states up to its deadline, and nowhere and never else. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { momentOf, untilOf } from "../../orchestrator/state-machine/acts.ts"
import {
  ACT_ROWS,
  type ActRow,
  deadlineAt,
  foldJob,
  type Job,
  positionAt,
  STATE_ROWS,
  STATES,
  type State,
  standingAt,
  TERMINAL_STATES,
  TIME_ROWS,
} from "../../orchestrator/state-machine/index.ts"
import { AGREEMENT, CLOCK, FACTS, type Fact, foldOf, histories, jobOf, note, onChain, T0, termsWith } from "./support/histories.ts"

type Timed = readonly [Fact, number]

const HELD: Timed[] = [
  [FACTS.bound, T0 + 10],
  [FACTS.funded, T0 + 11],
]
const SUBMITTED: Timed[] = [...HELD, [FACTS.submitted(1), T0 + 2_000]]
const PASSED: Timed[] = [...SUBMITTED, [FACTS.verdict(1, "PASS"), T0 + 2_100]]
const FAILED: Timed[] = [...SUBMITTED, [FACTS.verdict(1, "FAIL"), T0 + 2_100]]
const INCONCLUSIVE: Timed[] = [
  ...SUBMITTED,
  [FACTS.verdict(1, "INCONCLUSIVE"), T0 + 2_100],
  [FACTS.verdict(1, "INCONCLUSIVE", "fallback"), T0 + 2_200],
]
const ruled = (ruling: "RELEASE" | "REFUND"): Timed[] => [
  ...PASSED,
  [FACTS.disputed(1, "buyer"), T0 + 2_200],
  [FACTS.ruled(ruling), T0 + 2_300],
]
const APPEALED: Timed[] = [...ruled("REFUND"), [FACTS.appealed("provider"), T0 + 2_400]]
const LAPSED: Timed[] = [
  [FACTS.bound, T0 + 10],
  [FACTS.lapsed, CLOCK.fundBy + 5],
]

/** How to get into each state, and a moment in it. */
const WITNESS: Record<State, { facts: Timed[]; at: number }> = {
  DRAFT: { facts: [], at: T0 + 20 },
  AGREED: { facts: [[FACTS.bound, T0 + 10]], at: T0 + 20 },
  FUNDED: { facts: HELD, at: T0 + 20 },
  SUBMITTED: { facts: SUBMITTED, at: T0 + 2_050 },
  VERIFIED_PASS: { facts: PASSED, at: T0 + 2_150 },
  VERIFIED_FAIL: { facts: FAILED, at: T0 + 2_150 },
  DISPUTED: { facts: INCONCLUSIVE, at: T0 + 2_250 },
  RULED: { facts: ruled("REFUND"), at: T0 + 2_350 },
  APPEALED: { facts: APPEALED, at: T0 + 2_450 },
  RELEASED: { facts: [...PASSED, [FACTS.settled("RELEASE", "REVIEW_ELAPSED"), T0 + 4_000]], at: T0 + 4_001 },
  REFUNDED: { facts: [...HELD, [FACTS.settled("REFUND", "NO_SUBMISSION"), CLOCK.deliveryBy + 1]], at: CLOCK.deliveryBy + 2 },
  LAPSED: { facts: LAPSED, at: CLOCK.fundBy + 9 },
}

const jobIn = (facts: readonly Timed[], agreed: boolean): Job =>
  foldJob(termsWith(), [...(agreed ? AGREEMENT : AGREEMENT.slice(0, 1)), ...facts.map(([fact, at], index) => onChain(fact, at, index + 1))])

/** The event by which the row happens to a job. */
const factOf = (row: ActRow, { facts }: Job): Fact | null => {
  const by = row.by === "buyer" || row.by === "provider" ? row.by : "buyer"
  const outcome = row.outcome ?? "REFUND"
  switch (row.event) {
    case "signed":
      return null
    case "bound":
      return FACTS.bound
    case "funded":
      return FACTS.funded
    case "railSubmitted":
      return { type: "railSubmitted", deliverableHash: `0x${"0".repeat(64)}` }
    case "submitted":
      return FACTS.submitted(facts.n + 1)
    case "verdict":
      return FACTS.verdict(facts.n, row.verdict ?? "PASS", row.by === "verifier" ? "primary" : "fallback")
    case "disputed":
      return FACTS.disputed(facts.n, by)
    case "ruled":
      return FACTS.ruled("RELEASE")
    case "appealed":
      return FACTS.appealed(by)
    case "seated":
      return { type: "seated", panelists: [] }
    case "voteCommitted":
      return FACTS.committed(1)
    case "voteRevealed":
      return FACTS.revealed(1, "RELEASE")
    case "conceded":
      return FACTS.conceded(facts.n, by)
    case "lapsed":
      return FACTS.lapsed
    case "settled":
      return FACTS.settled(outcome, "RULING")
    case "settledElsewhere":
      return FACTS.elsewhere(outcome)
  }
}

/** The job and moment at which the row's own condition holds in that state. */
const setUp = (row: ActRow, from: State): { facts: Timed[]; at: number } => {
  const { facts, at } = WITNESS[from]
  switch (row.guard) {
    case "not-bound":
      return { facts: [], at }
    case "bound-and-not-lapsed":
      return { facts: [[FACTS.bound, T0 + 10]], at: from === "LAPSED" ? CLOCK.fundBy + 9 : at }
    case "unbound-or-lapsed":
      return from === "LAPSED" ? { facts, at } : { facts: [], at }
    case "fund-by-passed":
      return { facts: [[FACTS.bound, T0 + 10]], at: CLOCK.fundBy + 1 }
    case "fallback-has-its-turn":
      return { facts, at: T0 + 2_000 + Math.floor(CLOCK.verification / 2) + 1 }
    case "ruling-against-buyer":
      return { facts: ruled("RELEASE"), at }
    case "reveal-phase":
      return { facts: [...facts, [FACTS.committed(1), at]], at: T0 + 2_400 + Math.floor(CLOCK.panelRuling / 2) + 1 }
    case "release-due":
      return { ...dueIn(from, "RELEASE") }
    case "refund-due":
      if (from === "LAPSED") return { facts: [...facts, [FACTS.funded, CLOCK.fundBy + 8]], at }
      // Time would have moved these on by expiry; conceded, they stay.
      if (from === "SUBMITTED" || from === "DISPUTED") return { facts: [...facts, [FACTS.conceded(1, "provider"), at]], at: at + 1 }
      return { facts, at: CLOCK.expiry }
    default:
      return { facts, at }
  }
}

/** A job decided for RELEASE while in that state. */
const dueIn = (from: State, _outcome: "RELEASE"): { facts: Timed[]; at: number } => {
  const { facts, at } = WITNESS[from]
  switch (from) {
    case "SUBMITTED":
    case "VERIFIED_FAIL":
    case "DISPUTED":
      return { facts: [...facts, [FACTS.conceded(1, "buyer"), at]], at: at + 1 }
    case "RULED":
      return { facts: ruled("RELEASE"), at: T0 + 2_300 + CLOCK.appealFiling + 1 }
    case "APPEALED": {
      const reveal = T0 + 2_400 + Math.floor(CLOCK.panelRuling / 2) + 1
      const votes = [1, 2, 3].flatMap((index): Timed[] => [[FACTS.committed(index), at]])
      const revealed = [1, 2, 3].flatMap((index): Timed[] => [[FACTS.revealed(index, "RELEASE"), reveal]])
      return { facts: [...facts, ...votes, ...revealed], at: T0 + 2_400 + CLOCK.panelRuling + 1 }
    }
    default:
      return { facts, at: T0 + 2_100 + CLOCK.buyerReview + 1 }
  }
}

const nameOf = (row: ActRow, from: State): string =>
  `${from} --${row.event}${row.verdict === undefined ? "" : ` ${row.verdict}`}${row.outcome === undefined ? "" : ` ${row.outcome}`} by ${row.by}--> ${row.to}`

describe("the table's acts", () => {
  for (const row of ACT_ROWS.filter(({ event }) => event !== "signed"))
    for (const from of row.from) {
      it(nameOf(row, from), () => {
        const { facts, at } = setUp(row, from)
        const job = jobIn(facts, from !== "DRAFT")
        const fact = factOf(row, job)
        assert.ok(fact)
        assert.equal(job.ignored.length, 0, "the setting itself is legal")
        assert.equal(positionAt(job.rules, job.facts, from !== "DRAFT", at).state, from)
        const place = facts.length + 1
        const events = [
          ...(from === "DRAFT" ? AGREEMENT.slice(0, 1) : AGREEMENT),
          ...facts.map(([one, when], index) => onChain(one, when, index + 1)),
        ]
        const after = (when: number) => foldJob(termsWith(), [...events, onChain(fact, when, place)])
        const counted = after(at)
        assert.deepEqual(counted.ignored, [], "it counts")
        assert.deepEqual(counted.surprises, [])
        const led = standingAt(counted.rules, counted.facts, from !== "DRAFT", at)
        assert.equal(led.state, row.to === "same" ? from : row.to)
        if (row.decision !== undefined) assert.equal(led.decision, row.decision)
        if (row.cause !== undefined) assert.equal(led.cause, row.cause)

        const until = untilOf(row, momentOf(job.rules, job.facts, from !== "DRAFT", at))
        if (until !== null && row.event !== "funded") {
          assert.deepEqual(after(until).ignored, [], "it counts at its deadline")
          const then = positionAt(job.rules, job.facts, from !== "DRAFT", until + 1)
          const byAnother = then.decision === null && row.from.includes(then.state) && then.state !== from
          assert.equal(after(until + 1).ignored.length, byAnother ? 0 : 1, "a second later it counts only where the next state has it too")
        }
        // Money that comes that late is taken in, and refunded.
        if (row.open && row.event !== "funded") assert.equal(after(job.rules.clock.expiry).ignored.length, 1, "no act counts at expiry")
      })
    }

  it("no act counts in a state that no row names for it", () => {
    for (const state of STATES) {
      const { facts, at } = WITNESS[state]
      const job = jobIn(facts, state !== "DRAFT")
      for (const row of ACT_ROWS) {
        const rows = ACT_ROWS.filter((one) => one.event === row.event && one.by === row.by && one.from.includes(state))
        const fact = factOf(row, job)
        if (rows.length > 0 || fact === null || row.event === "settled" || row.event === "settledElsewhere") continue
        if (ACT_ROWS.some((one) => one.event === row.event && one.from.includes(state) && one.by !== row.by && !("by" in fact))) continue
        const after = jobIn([...facts, [fact, at]], state !== "DRAFT")
        assert.equal(after.ignored.length, 1, `${row.event} by ${row.by} counted in ${state}`)
        assert.deepEqual(after.facts, job.facts)
      }
    }
  })

  it("signatures lead to AGREED when the last of three is there, in any order", () => {
    const [posted, ...signatures] = AGREEMENT
    assert.ok(posted)
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const events = order.flatMap((index) => signatures.slice(index, index + 1))
      for (const count of [0, 1, 2, 3]) {
        const job = foldJob(termsWith(), [posted, ...events.slice(0, count)])
        const { state } = standingAt(job.rules, job.facts, count === 3, T0 + 5)
        assert.equal(state, count === 3 ? "AGREED" : "DRAFT")
      }
    }
  })
})

describe("the table", () => {
  it("names every state once, and time moves every state that is not the end", () => {
    assert.deepEqual(
      STATE_ROWS.map(({ state }) => state),
      [...STATES],
    )
    assert.deepEqual(TIME_ROWS.map(({ from }) => from).sort(), STATES.filter((state) => !TERMINAL_STATES.has(state)).sort())
  })

  it("has a second for every time row at which it starts to hold, and not before", () => {
    for (const row of TIME_ROWS) {
      const { facts, at } = WITNESS[row.from]
      const job = row.from === "AGREED" ? jobOf([]) : jobIn(facts, row.from !== "DRAFT")
      const agreed = row.from !== "DRAFT"
      const { since } = positionAt(job.rules, job.facts, agreed, at)
      const deadline = deadlineAt(row.after, job.rules.clock, since, job.facts.n)
      const before = positionAt(job.rules, job.facts, agreed, deadline)
      const later = positionAt(job.rules, job.facts, agreed, deadline + 1)
      assert.equal(before.state, row.from)
      assert.equal(before.decision, null)
      assert.equal(later.state, row.to === "same" ? row.from : row.to)
      if (row.to === "same") assert.notEqual(later.decision, null)
      else assert.equal(later.since, deadline, "a window that opens by time opens at the earlier deadline")
    }
  })

  it("is reached in all its rows by the random histories of the property tests", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(histories, (history) => {
        for (const { state, by } of foldOf(history).history) seen.add(`${by} ${state}`)
      }),
      { numRuns: 1_500, seed: 41 },
    )
    for (const wanted of [
      "funded FUNDED",
      "funded LAPSED",
      "submitted SUBMITTED",
      "verdict VERIFIED_PASS",
      "verdict VERIFIED_FAIL",
      "verdict INCONCLUSIVE",
      "time INCONCLUSIVE",
      "time DISPUTED",
      "time RULED",
      "disputed DISPUTED",
      "ruled RULED",
      "appealed APPEALED",
      "time LAPSED",
    ])
      assert.ok(seen.has(wanted), `no history has: ${wanted}`)
  })

  it("a message that comes twice is kept once", () => {
    const concession = note(
      { type: "concessionReceived", by: "buyer", n: 1, merkleRoot: "0x01", rulingDigest: "0x00", signature: "0x01" },
      T0 + 9,
    )
    const job = foldJob(termsWith(), [...AGREEMENT, concession, { ...concession, at: T0 + 10 }])
    assert.equal(job.messages.acts.length, 1)
  })
})
