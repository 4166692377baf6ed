/** The whole table of AFG §4 and §9 in `Lifecycle.sol`, disputes and appeals included, at every deadline −1, 0, +1. */
import assert from "node:assert/strict"
import { before, describe, it } from "node:test"
import fc from "fast-check"
import { CAUSES, FAIL, INCONCLUSIVE, OUTCOMES, PASS, STATES } from "./support/job.ts"
import { deployDouble } from "./support/world.ts"

const CLOCK = {
  fundBy: 1_000,
  deliveryBy: 10_000,
  expiry: 100_000,
  verification: 101,
  buyerReview: 1_000,
  providerDispute: 2_000,
  mediatorRuling: 300,
  appealFiling: 400,
  panelRuling: 500,
  maxSubmissions: 3,
}

const NOTHING = {
  n: 0,
  submittedAt: 0,
  verdict: 0,
  verdictAt: 0,
  primarySpoke: false,
  disputedAt: 0,
  ruling: 0,
  ruledAt: 0,
  appealedAt: 0,
  panelSize: 0,
  votesAgainst: 0,
  concededBy: 0,
  concededAt: 0,
  lapsed: false,
  settled: 0,
  settledCause: 0,
}
type Facts = typeof NOTHING

const RELEASE = 1
const REFUND = 2

let harness: Awaited<ReturnType<typeof deployDouble>>
before(async () => {
  harness = await deployDouble("LifecycleHarness")
})

type Expected = readonly [
  state: (typeof STATES)[number],
  decision?: (typeof OUTCOMES)[number],
  cause?: (typeof CAUSES)[number],
  outcome?: (typeof OUTCOMES)[number],
]

const standing = async (facts: Partial<Facts>, at: number, funded = true, clock = CLOCK): Promise<Expected> => {
  const s = (await harness.read("standing", [clock, { ...NOTHING, ...facts }, funded, at])) as Record<
    "state" | "decision" | "outcome" | "cause",
    number
  >
  const name = <T>(list: readonly T[], index: number): T => {
    const value = list[index]
    assert.ok(value !== undefined)
    return value
  }
  return [name(STATES, s.state), name(OUTCOMES, s.decision), name(CAUSES, s.cause), name(OUTCOMES, s.outcome)]
}

const complete = ([state, decision = "NONE", cause = "NONE", outcome = decision]: Expected): Expected => [state, decision, cause, outcome]

/** Undecided until `deadline` inclusive, then as expected. */
const turns = async (facts: Partial<Facts>, deadline: number, until: Expected, after: Expected, clock = CLOCK): Promise<void> => {
  for (const at of [deadline - 1, deadline])
    assert.deepEqual(await standing(facts, at, true, clock), complete(until), `at ${at - deadline}`)
  assert.deepEqual(await standing(facts, deadline + 1, true, clock), complete(after), "at +1")
}

const submitted = { n: 1, submittedAt: 5_000 }
const passed = { ...submitted, verdict: PASS, verdictAt: 5_050, primarySpoke: true }
const failed = { ...passed, verdict: FAIL }
const inconclusive = { ...submitted, verdict: INCONCLUSIVE, verdictAt: 5_090, primarySpoke: true }

describe("standing", () => {
  it("AGREED until fundBy, then LAPSED while there is no money", async () => {
    assert.deepEqual(await standing({}, 1_000, false), complete(["AGREED"]))
    assert.deepEqual(await standing({}, 1_001, false), ["LAPSED", "NONE", "NOT_FUNDED", "NONE"])
    assert.deepEqual(await standing({}, 1_001, true), complete(["FUNDED"]))
  })

  it("lapsed: nothing, or a refund of what came later", async () => {
    assert.deepEqual(await standing({ lapsed: true }, 2_000, false), ["LAPSED", "NONE", "NOT_FUNDED", "NONE"])
    assert.deepEqual(await standing({ lapsed: true }, 2_000, true), ["LAPSED", "NONE", "UNBOUND", "REFUND"])
    assert.deepEqual(await standing({ lapsed: true }, 200_000, true), ["LAPSED", "NONE", "UNBOUND", "REFUND"])
  })

  it("FUNDED until deliveryBy, then NO_SUBMISSION", () => turns({}, 10_000, ["FUNDED"], ["FUNDED", "REFUND", "NO_SUBMISSION"]))

  it("SUBMITTED until the window ends, then DISPUTED from that date", () => turns(submitted, 5_101, ["SUBMITTED"], ["DISPUTED"]))

  it("the primary's INCONCLUSIVE alone changes nothing", () =>
    turns({ ...submitted, primarySpoke: true }, 5_101, ["SUBMITTED"], ["DISPUTED"]))

  it("PASS and a silent buyer: RELEASE", () => turns(passed, 6_050, ["VERIFIED_PASS"], ["VERIFIED_PASS", "RELEASE", "REVIEW_ELAPSED"]))

  it("FAIL with attempts left: REFUND after deliveryBy", () =>
    turns(failed, 10_000, ["VERIFIED_FAIL"], ["VERIFIED_FAIL", "REFUND", "FAIL_FINAL"]))

  it("FAIL with attempts left, late: REFUND after the dispute window", () =>
    turns({ ...failed, submittedAt: 9_900, verdictAt: 9_999 }, 11_999, ["VERIFIED_FAIL"], ["VERIFIED_FAIL", "REFUND", "FAIL_FINAL"]))

  it("FAIL on the last attempt: REFUND after the dispute window", () =>
    turns({ ...failed, n: 3 }, 7_050, ["VERIFIED_FAIL"], ["VERIFIED_FAIL", "REFUND", "FAIL_FINAL"]))

  describe("without a ruling, by default:", () => {
    for (const [name, facts, since, ruling] of [
      ["a disputed PASS", { ...passed, disputedAt: 6_000 }, 6_000, "RELEASE"],
      ["a disputed FAIL", { ...failed, disputedAt: 6_000 }, 6_000, "REFUND"],
      ["the fallback's INCONCLUSIVE", inconclusive, 5_090, "REFUND"],
      ["a missed window", submitted, 5_101, "REFUND"],
    ] as const)
      it(`${name} is ${ruling} from the mediator's deadline`, async () => {
        await turns(facts, since + 300, ["DISPUTED"], ["RULED"])
        await turns(facts, since + 300 + 400, ["RULED"], ["RULED", ruling, "DEFAULT_RULING"])
      })
  })

  describe("with a signed ruling:", () => {
    for (const ruling of [RELEASE, REFUND] as const)
      for (const facts of [{ ...passed, disputedAt: 6_000 }, { ...failed, disputedAt: 6_000 }, inconclusive])
        it(`verdict ${facts.verdict}, ruling ${OUTCOMES[ruling]}: stands when the appeal window ends`, () =>
          turns({ ...facts, ruling, ruledAt: 6_200 }, 6_600, ["RULED"], ["RULED", OUTCOMES[ruling], "RULING"]))
  })

  describe("appealed:", () => {
    const appealed = { ...passed, disputedAt: 6_000, ruling: RELEASE, ruledAt: 6_200, appealedAt: 6_500 }
    for (const [panelSize, votesAgainst, overturned] of [
      [3, 0, false],
      [3, 1, false],
      [3, 2, true],
      [5, 2, false],
      [5, 3, true],
      [5, 5, true],
      [255, 127, false],
      [255, 128, true],
      [0, 0, false],
    ] as const)
      for (const ruling of [RELEASE, REFUND] as const)
        it(`${votesAgainst} of ${panelSize} against ${OUTCOMES[ruling]}: ${overturned ? "overturned" : "stands"}`, () => {
          const final = OUTCOMES[overturned ? 3 - ruling : ruling] ?? "NONE"
          return turns({ ...appealed, ruling, panelSize, votesAgainst }, 7_000, ["APPEALED"], ["APPEALED", final, "PANEL"])
        })

    it("a default ruling can be appealed and overturned too", async () => {
      const facts = { ...failed, disputedAt: 6_000, appealedAt: 6_600, panelSize: 5 }
      await turns(facts, 7_100, ["APPEALED"], ["APPEALED", "REFUND", "PANEL"])
      await turns({ ...facts, votesAgainst: 3 }, 7_100, ["APPEALED"], ["APPEALED", "RELEASE", "PANEL"])
    })
  })

  describe("conceded: the state stays as it was, for ever", () => {
    for (const [facts, concededAt, state] of [
      [submitted, 5_100, "SUBMITTED"],
      [submitted, 5_102, "DISPUTED"],
      [submitted, 5_402, "RULED"],
      [passed, 5_500, "VERIFIED_PASS"],
      [failed, 5_500, "VERIFIED_FAIL"],
    ] as const)
      for (const [concededBy, decision] of [
        [1, "RELEASE"],
        [2, "REFUND"],
      ] as const)
        it(`${state}, party ${concededBy}`, async () => {
          for (const at of [concededAt, concededAt + 1, 50_000, 99_999])
            assert.deepEqual(await standing({ ...facts, concededBy, concededAt }, at), complete([state, decision, "CONCEDED"]))
        })

    it("FUNDED, by the provider", async () => {
      assert.deepEqual(await standing({ concededBy: 2, concededAt: 2_000 }, 50_000), complete(["FUNDED", "REFUND", "CONCEDED"]))
    })
  })

  describe("at and after expiry the outcome is REFUND:", () => {
    for (const at of [99_999, 100_000, 100_001])
      it(`at ${at}`, async () => {
        const over = at >= 100_000
        assert.deepEqual(await standing(passed, at), [
          "VERIFIED_PASS",
          "RELEASE",
          over ? "EXPIRY" : "REVIEW_ELAPSED",
          over ? "REFUND" : "RELEASE",
        ])
        assert.deepEqual(await standing(failed, at), ["VERIFIED_FAIL", "REFUND", "FAIL_FINAL", "REFUND"])
        assert.deepEqual(await standing({}, at), ["FUNDED", "REFUND", "NO_SUBMISSION", "REFUND"])
      })

    it("even when nothing was decided, as no clock that `bind` takes allows", async () => {
      const late = { ...CLOCK, expiry: 5_050 }
      assert.deepEqual(await standing(submitted, 5_050, true, late), ["SUBMITTED", "NONE", "EXPIRY", "REFUND"])
    })
  })

  it("settled: what was executed, beside what was decided", async () => {
    assert.deepEqual(await standing({ ...passed, settled: RELEASE, settledCause: 2 }, 7_000, false), [
      "RELEASED",
      "RELEASE",
      "REVIEW_ELAPSED",
      "RELEASE",
    ])
    assert.deepEqual(await standing({ ...passed, settled: REFUND, settledCause: 8 }, 100_000, false), [
      "REFUNDED",
      "RELEASE",
      "EXPIRY",
      "REFUND",
    ])
    assert.deepEqual(await standing({ settled: REFUND, settledCause: 10 }, 500, false), ["REFUNDED", "NONE", "ELSEWHERE", "REFUND"])
  })
})

describe("maySubmit", () => {
  const may = (facts: Partial<Facts>, at: number) => harness.read("maySubmit", [CLOCK, { ...NOTHING, ...facts }, at])
  const edge = async (facts: Partial<Facts>, deadline: number): Promise<void> => {
    assert.deepEqual([await may(facts, deadline - 1), await may(facts, deadline), await may(facts, deadline + 1)], [true, true, false])
  }
  it("first: until deliveryBy", () => edge({}, 10_000))
  it("after FAIL: until deliveryBy", () => edge(failed, 10_000))
  it("after the fallback's INCONCLUSIVE: until the mediator's deadline", () => edge(inconclusive, 5_390))
  it("after a missed window: from its end until the mediator's deadline", async () => {
    assert.deepEqual([await may(submitted, 5_101), await may(submitted, 5_102)], [false, true])
    await edge(submitted, 5_401)
  })
  it("not after PASS, a dispute, a ruling, an appeal, a concession, a lapse, a settlement, the last attempt", async () => {
    for (const facts of [
      passed,
      { ...failed, disputedAt: 5_500 },
      { ...inconclusive, ruling: REFUND, ruledAt: 5_095 },
      { ...inconclusive, ruling: REFUND, ruledAt: 5_095, appealedAt: 5_096 },
      { ...failed, concededBy: 2, concededAt: 5_100 },
      { lapsed: true },
      { settled: REFUND, settledCause: 10 },
      { ...failed, n: 3 },
    ])
      assert.equal(await may(facts, 5_100), false, JSON.stringify(facts))
  })
  it("not at expiry", async () => {
    const clock = { ...CLOCK, expiry: 5_000 }
    assert.deepEqual(
      [await harness.read("maySubmit", [clock, NOTHING, 4_999]), await harness.read("maySubmit", [clock, NOTHING, 5_000])],
      [true, false],
    )
  })
})

describe("mayGiveVerdict", () => {
  const may = (facts: Partial<Facts>, primary: boolean, at: number) =>
    harness.read("mayGiveVerdict", [CLOCK, { ...NOTHING, ...facts }, primary, at])
  it("the primary in the whole window", async () => {
    for (const [at, expected] of [
      [5_000, true],
      [5_050, true],
      [5_101, true],
      [5_102, false],
    ] as const)
      assert.equal(await may(submitted, true, at), expected)
  })
  it("the fallback strictly after half, rounded down, or after the primary's INCONCLUSIVE", async () => {
    for (const [at, expected] of [
      [5_050, false],
      [5_051, true],
      [5_101, true],
      [5_102, false],
    ] as const)
      assert.equal(await may(submitted, false, at), expected)
    assert.equal(await may({ ...submitted, primarySpoke: true }, false, 5_001), true)
    assert.equal(await may({ ...submitted, primarySpoke: true }, true, 5_001), false)
  })
  it("neither before a submission, after a verdict, a concession, a settlement or at expiry", async () => {
    for (const primary of [true, false])
      for (const facts of [
        {},
        { ...passed, primarySpoke: false },
        { ...inconclusive, primarySpoke: false },
        { ...submitted, concededBy: 1, concededAt: 5_001 },
        { ...submitted, settled: REFUND, settledCause: 10 },
      ])
        assert.equal(await may(facts, primary, 5_060), false)
    const clock = { ...CLOCK, expiry: 5_060 }
    assert.equal(await harness.read("mayGiveVerdict", [clock, { ...NOTHING, ...submitted }, true, 5_059]), true)
    assert.equal(await harness.read("mayGiveVerdict", [clock, { ...NOTHING, ...submitted }, true, 5_060]), false)
  })
})

describe("mayConcede", () => {
  const may = (facts: Partial<Facts>, party: number, at: number) => harness.read("mayConcede", [CLOCK, { ...NOTHING, ...facts }, party, at])
  it("either party until the decision", async () => {
    for (const party of [1, 2]) {
      assert.deepEqual([await may(passed, party, 6_050), await may(passed, party, 6_051)], [true, false])
      assert.deepEqual([await may(failed, party, 10_000), await may(failed, party, 10_001)], [true, false])
      assert.deepEqual([await may(submitted, party, 5_801), await may(submitted, party, 5_802)], [true, false])
    }
  })
  it("the buyer only with something submitted", async () => {
    assert.deepEqual([await may({}, 1, 5_000), await may({}, 2, 5_000), await may({}, 2, 10_001)], [false, true, false])
  })
  it("not once an appeal is filed, one has conceded, or the job is over", async () => {
    const ruled = { ...passed, disputedAt: 6_000, ruling: RELEASE, ruledAt: 6_200 }
    assert.equal(await may(ruled, 1, 6_300), true)
    for (const facts of [
      { ...ruled, appealedAt: 6_250 },
      { ...ruled, concededBy: 2, concededAt: 6_250 },
      { ...ruled, settled: REFUND, settledCause: 10 },
      { lapsed: true },
    ])
      assert.equal(await may(facts, 1, 6_300), false)
  })
})

describe("the packed slot", () => {
  it("gives back every fact that was put in", async () => {
    const time = fc.integer({ min: 0, max: 2 ** 40 - 1 })
    const facts = fc.record({
      n: fc.integer({ min: 0, max: 255 }),
      submittedAt: time,
      verdict: fc.integer({ min: 0, max: 3 }),
      verdictAt: time,
      primarySpoke: fc.boolean(),
      disputedAt: time,
      ruling: fc.integer({ min: 0, max: 2 }),
      ruledAt: time,
      ended: fc.oneof(
        fc.record({ appealedAt: time, concededBy: fc.constant(0), concededAt: fc.constant(0) }),
        fc.record({ appealedAt: fc.constant(0), concededBy: fc.integer({ min: 1, max: 2 }), concededAt: time }),
      ),
      panelSize: fc.integer({ min: 0, max: 255 }),
      votesAgainst: fc.integer({ min: 0, max: 255 }),
      lapsed: fc.boolean(),
      settled: fc.integer({ min: 0, max: 2 }),
      settledCause: fc.integer({ min: 0, max: 11 }),
    })
    await fc.assert(
      fc.asyncProperty(facts, async ({ ended, ...rest }) => {
        const value = { ...rest, ...ended }
        assert.deepEqual(await harness.read("unpack", [await harness.read("pack", [value])]), value)
      }),
      { numRuns: 100 },
    )
  })
})
