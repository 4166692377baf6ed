/** What holds of every history. `AFG_DEEP=1` tries many more. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  type Action,
  assess,
  type ChainEvent,
  eventKey,
  foldJob,
  type Job,
  type JobEvent,
  next,
  standingAt,
  TERMINAL_STATES,
  TIME_ROWS,
} from "../../orchestrator/state-machine/index.ts"
import { AGREEMENT, FACTS, type Fact, foldOf, type History, histories, momentsOf, note, onChain, sha, T0 } from "./support/histories.ts"

const RUNS = process.env.AFG_DEEP ? 20_000 : 300
const check = <T>(arbitrary: fc.Arbitrary<T>, predicate: (value: T) => void): void => {
  fc.assert(fc.property(arbitrary, predicate), { numRuns: RUNS })
}

/** What the chain does when the action is performed. */
const effectOf = (action: Action): Fact | null => {
  switch (action.kind) {
    case "settle":
      return FACTS.settled(action.outcome, "EXPIRY")
    case "lapse":
      return FACTS.lapsed
    case "refund-unbound":
      return FACTS.settled("REFUND", "UNBOUND")
    case "relay-bind":
      return FACTS.bound
    case "relay-fund":
      return FACTS.funded
    case "relay-submission":
      return { type: "submitted", n: action.n, deliverableHash: `0x${action.message.sha256}`, uriHash: `0x${"0".repeat(64)}` }
    case "relay-verdict":
      return FACTS.verdict(action.n, action.message.verdict, action.by)
    case "relay-act":
      return action.message.type === "concessionReceived" ? FACTS.conceded(action.message.n, action.message.by) : null
    case "verify":
      return null
  }
}

/** Lets time pass as the reconciler would, performing what is due, until nothing will happen any more. */
const runOut = ({ terms, events, now }: History): { job: Job; now: number; looks: number } => {
  const all = [...events]
  let at = now
  for (let looks = 1; ; looks += 1) {
    assert.ok(looks < 100, "the job never comes to rest")
    const job = foldJob(terms, all)
    const { actions, wakeAt } = next(job, at)
    const end = actions.find(({ kind }) => kind === "settle" || kind === "lapse" || kind === "refund-unbound")
    const fact = end === undefined ? null : effectOf(end)
    if (fact !== null) all.push(onChain(fact, at, all.length + 1))
    else if (wakeAt === null) return { job, now: at, looks }
    else {
      assert.ok(wakeAt > at, "wakeAt is in the past")
      at = wakeAt
    }
  }
}

const answer = (job: Job, now: number) => ({
  ...assess(job, now),
  actions: next(job, now).actions.map(({ key }) => key),
})

describe("every history", () => {
  it("ends in exactly one terminal state, by waking when told and doing what is due", () => {
    const ends = new Map<string, number>()
    check(histories, (history) => {
      const { job, now } = runOut(history)
      const { state } = standingAt(job.rules, job.facts, true, now)
      assert.ok(TERMINAL_STATES.has(state), `rests in ${state}`)
      for (const later of [now + 1, job.rules.clock.expiry, job.rules.clock.expiry + 1_000_000]) {
        assert.equal(standingAt(job.rules, job.facts, true, later).state, state)
        assert.deepEqual(next(job, later).actions, [])
      }
      ends.set(state, (ends.get(state) ?? 0) + 1)
    })
    assert.deepEqual([...ends.keys()].sort(), ["LAPSED", "REFUNDED", "RELEASED"])
  })

  it("has a way out by time from every state: with money held, from expiry on the outcome is REFUND or already decided so", () => {
    check(histories, (history) => {
      const job = foldOf(history)
      const { facts, rules } = job
      const { state, outcome } = standingAt(rules, facts, true, rules.clock.expiry)
      if (facts.settled !== null) return
      if (facts.fundedAt === null) assert.equal(state, "LAPSED")
      else assert.equal(outcome, "REFUND")
    })
    const resting = new Set(TIME_ROWS.map(({ from }) => from))
    for (const state of [
      "DRAFT",
      "AGREED",
      "FUNDED",
      "SUBMITTED",
      "VERIFIED_PASS",
      "VERIFIED_FAIL",
      "DISPUTED",
      "RULED",
      "APPEALED",
    ] as const)
      assert.ok(resting.has(state), `time does not move ${state}`)
  })

  it("says the same after duplicates, and after learning of its chain events in any order", () => {
    check(fc.tuple(histories, fc.infiniteStream(fc.nat())), ([history, numbers]) => {
      const job = foldOf(history)
      const shuffled: JobEvent[] = []
      for (const event of history.events) {
        shuffled.splice(numbers.next().value % (shuffled.length + 1), 0, event)
        if (numbers.next().value % 3 === 0) shuffled.splice(numbers.next().value % (shuffled.length + 1), 0, event)
      }
      const again = foldJob(history.terms, shuffled)
      assert.deepEqual(again.facts, job.facts)
      assert.deepEqual(answer(again, history.now).actions, answer(job, history.now).actions)
      assert.deepEqual({ ...answer(again, history.now), history: null }, { ...answer(job, history.now), history: null })
    })
  })

  it("is not moved by messages, however late: the chain alone moves it from FUNDED on", () => {
    const late = (now: number): JobEvent[] => [
      note({ type: "signed", role: "buyer", signature: "0xff" }, now),
      note(
        {
          type: "confirmed",
          requestId: "late",
          evidenceDigest: "0x00",
          notAfter: now + 9,
          signer: "0x00",
          signature: "0x00",
          method: "m",
          loa: 0,
        },
        now,
      ),
      note(
        { type: "submissionReceived", n: 1, uri: "u", sha256: sha(`0x${"9".repeat(64)}`), signature: "0x00", railAuthorization: null },
        now,
      ),
      note({ type: "concessionReceived", by: "buyer", n: 1, merkleRoot: "0x00", rulingDigest: "0x00", signature: "0x00" }, now),
    ]
    check(histories, (history) => {
      const job = foldOf(history)
      const more = foldJob(history.terms, [...history.events, ...late(history.now)])
      assert.deepEqual(more.facts, job.facts)
      for (const now of momentsOf(job, history.now))
        assert.deepEqual(standingAt(more.rules, more.facts, true, now), standingAt(job.rules, job.facts, true, now))
    })
  })

  it("changes by time at wakeAt for the first time, and at no second before", () => {
    check(histories, (history) => {
      const job = foldOf(history)
      if (job.facts.settled !== null) return
      for (const now of momentsOf(job, history.now).slice(0, 12)) {
        const { wakeAt } = next(job, now)
        const present = answer(job, now)
        const end = wakeAt ?? job.rules.clock.expiry + 1_000_000
        for (const later of [now + 1, Math.floor((now + end) / 2), end - 2, end - 1]) {
          if (later <= now || later >= end) continue
          assert.deepEqual(answer(job, later), present, `changed at ${later - T0}, wakeAt ${end - T0}, now ${now - T0}`)
        }
        if (wakeAt !== null) assert.notDeepEqual(answer(job, wakeAt), present)
      }
    })
  })

  it("asks for no action whose event has appeared, and never for two with one key", () => {
    check(histories, (history) => {
      const job = foldOf(history)
      for (const now of momentsOf(job, history.now).slice(0, 8)) {
        const { actions } = next(job, now)
        assert.equal(new Set(actions.map(({ key }) => key)).size, actions.length)
        assert.deepEqual(next(job, now), next(job, now))
        for (const action of actions) {
          const fact = effectOf(action)
          if (fact === null) continue
          const after = foldJob(history.terms, [...history.events, onChain(fact, now, 999)])
          assert.ok(!next(after, now).actions.some(({ key }) => key === action.key), `${action.key} again`)
        }
      }
    })
  })

  it("keeps a decision: once made it changes neither by time nor by any act that counts", () => {
    check(fc.tuple(histories, fc.nat()), ([history]) => {
      const chain = history.events.filter((event): event is ChainEvent => event.source === "chain")
      let decision: string | null = null
      for (let count = 0; count <= chain.length; count += 1) {
        const job = foldJob(history.terms, [...AGREEMENT, ...chain.slice(0, count)])
        const at = chain[count]?.at ?? history.now + 1_000_000
        const present = standingAt(job.rules, job.facts, true, at).decision
        if (decision !== null) assert.equal(present, decision)
        decision = present
      }
    })
  })

  it("sets aside with a reason what cannot count, and only that", () => {
    let refused = 0
    check(histories, (history) => {
      const job = foldOf(history)
      refused += job.ignored.length
      for (const { event, reason } of job.ignored) {
        assert.ok(reason.length > 0)
        const without = foldJob(
          history.terms,
          history.events.filter((one) => eventKey(one) !== eventKey(event)),
        )
        assert.deepEqual(without.facts, job.facts)
      }
    })
    assert.ok(refused > RUNS / 5)
  })
})
