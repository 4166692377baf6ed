/** Stories of AFG §4 and §9, and what went wrong for others. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { assess, foldJob, type Job, next, standingAt } from "../../orchestrator/state-machine/index.ts"
import { AGREEMENT, CLOCK, FACTS, type Fact, jobOf, note, onChain, root, sha, T0, termsWith } from "./support/histories.ts"

const at = (job: Job, now: number) => standingAt(job.rules, job.facts, true, now)
const keys = (job: Job, now: number): string[] => next(job, now).actions.map(({ key }) => key)
const HELD: [Fact, number][] = [
  [FACTS.bound, T0 + 10],
  [FACTS.funded, T0 + 20],
]
const SENT: [Fact, number][] = [...HELD, [FACTS.submitted(1), T0 + 2_000]]
const END = T0 + 2_000 + CLOCK.verification

describe("lifecycle", () => {
  it("worked example A: PASS, the buyer silent, released for REVIEW_ELAPSED one second after the review", () => {
    const job = jobOf([...SENT, [FACTS.verdict(1, "PASS"), T0 + 2_100]])
    const end = T0 + 2_100 + CLOCK.buyerReview
    assert.deepEqual(at(job, end), { state: "VERIFIED_PASS", decision: null, outcome: null, cause: null })
    assert.deepEqual(at(job, end + 1), { state: "VERIFIED_PASS", decision: "RELEASE", outcome: "RELEASE", cause: "REVIEW_ELAPSED" })
    assert.deepEqual(next(job, end), { actions: [], wakeAt: end + 1 })
    assert.deepEqual(keys(job, end + 1), ["settle:RELEASE"])
    const settled = jobOf([...SENT, [FACTS.verdict(1, "PASS"), T0 + 2_100], [FACTS.settled("RELEASE", "REVIEW_ELAPSED"), end + 5]])
    assert.deepEqual(next(settled, end + 6), { actions: [], wakeAt: null })
    assert.equal(at(settled, end + 6).state, "RELEASED")
  })

  it("no submission by delivery_by: REFUND, NO_SUBMISSION", () => {
    const job = jobOf(HELD)
    assert.equal(at(job, CLOCK.deliveryBy).decision, null)
    assert.deepEqual(at(job, CLOCK.deliveryBy + 1), { state: "FUNDED", decision: "REFUND", outcome: "REFUND", cause: "NO_SUBMISSION" })
  })

  it("[probe 1] delivered, then every verifier silent: INCONCLUSIVE, then DISPUTED with nobody's deposit; no refund by the timer", () => {
    const job = jobOf(SENT)
    assert.equal(at(job, END).state, "SUBMITTED")
    const after = assess(job, END + 1)
    assert.equal(after.state, "DISPUTED")
    assert.equal(after.decision, null)
    assert.equal(after.outcome, null)
    assert.deepEqual(
      after.history.slice(-2).map(({ state, at: when, by }) => ({ state, when, by })),
      [
        { state: "INCONCLUSIVE", when: END, by: "time" },
        { state: "DISPUTED", when: END, by: "time" },
      ],
    )
    assert.deepEqual(keys(job, END + 1), [])
    assert.ok(after.can.some(({ who, action }) => who === "mediator" && action === "rule"))
    const ruled = jobOf([...SENT, [FACTS.ruled("RELEASE"), END + CLOCK.mediatorRuling]])
    assert.equal(ruled.facts.disputedBy, null)
    assert.equal(ruled.facts.disputedAt, END)
    assert.equal(at(ruled, END + CLOCK.mediatorRuling + CLOCK.appealFiling + 1).decision, "RELEASE")
    // The mediator silent too: the default, dated at its deadline, has no verdict to follow.
    const silent = END + CLOCK.mediatorRuling
    assert.equal(at(job, silent + 1).state, "RULED")
    assert.deepEqual(at(job, silent + CLOCK.appealFiling + 1).cause, "DEFAULT_RULING")
    assert.equal(at(job, silent + CLOCK.appealFiling + 1).decision, "REFUND")
  })

  it("[probe 9] a resubmission re-enters SUBMITTED with deadlines and actions of its own", () => {
    const resent = T0 + 3_000
    const job = jobOf([...SENT, [FACTS.verdict(1, "FAIL"), T0 + 2_100], [FACTS.submitted(2), resent]])
    assert.equal(at(job, resent).state, "SUBMITTED")
    assert.equal(job.facts.verdict, null)
    assert.equal(assess(job, resent).deadlines.find(({ what }) => what === "verification")?.at, resent + CLOCK.verification)
    const [first] = keys(jobOf(SENT), T0 + 2_001)
    const [second] = keys(job, resent + 1)
    assert.ok(first?.startsWith("verify:1:primary") && second?.startsWith("verify:2:primary"))
    assert.equal(next(job, resent).wakeAt, resent + Math.floor(CLOCK.verification / 2) + 1)
  })

  it("[probe 17] five seats, one does not reveal, the rest tie: the ruling stands", () => {
    const appealed = T0 + 2_400
    const reveal = appealed + Math.floor(CLOCK.panelRuling / 2) + 1
    const story = (votes: readonly ("RELEASE" | "REFUND")[]): Job =>
      jobOf([
        ...SENT,
        [FACTS.verdict(1, "PASS"), T0 + 2_100],
        [FACTS.disputed(1, "buyer"), T0 + 2_200],
        [FACTS.ruled("RELEASE"), T0 + 2_300],
        [FACTS.appealed("buyer"), appealed],
        ...[1, 2, 3, 4, 5].map((index): [Fact, number] => [FACTS.committed(index), appealed + index]),
        ...votes.map((vote, index): [Fact, number] => [FACTS.revealed(index + 1, vote), reveal + index]),
      ])
    const end = appealed + CLOCK.panelRuling
    const tie = story(["REFUND", "REFUND", "RELEASE", "RELEASE"])
    assert.equal(at(tie, end).decision, null)
    assert.deepEqual(at(tie, end + 1), { state: "APPEALED", decision: "RELEASE", outcome: "RELEASE", cause: "PANEL" })
    assert.equal(tie.facts.votes[Object.keys(tie.facts.votes)[4] as `0x${string}`], null, "who hid is known")
    // Two of five revealed against it are not more than half of the panel, even unopposed; three are.
    assert.equal(at(story(["REFUND", "REFUND"]), end + 1).decision, "RELEASE")
    assert.equal(at(story(["REFUND", "REFUND", "REFUND"]), end + 1).decision, "REFUND")
    assert.equal(at(story(["REFUND", "REFUND", "REFUND", "RELEASE", "RELEASE"]), end + 1).decision, "REFUND")
  })

  it("[probe 18] a dispute by the party that never delivered, or by the one the verdict is for, does not count", () => {
    assert.equal(jobOf([...HELD, [FACTS.disputed(0, "provider"), T0 + 30]]).ignored.length, 1)
    assert.equal(jobOf([...SENT, [FACTS.disputed(1, "provider"), T0 + 2_001]]).ignored.length, 1)
    assert.equal(jobOf([...SENT, [FACTS.verdict(1, "PASS"), T0 + 2_100], [FACTS.disputed(1, "provider"), T0 + 2_101]]).ignored.length, 1)
    assert.equal(jobOf([...SENT, [FACTS.verdict(1, "FAIL"), T0 + 2_100], [FACTS.disputed(1, "buyer"), T0 + 2_101]]).ignored.length, 1)
  })

  it("the fallback speaks after the primary's INCONCLUSIVE, or in the second half; the first PASS or FAIL stands", () => {
    const half = T0 + 2_000 + Math.floor(CLOCK.verification / 2)
    assert.equal(jobOf([...SENT, [FACTS.verdict(1, "PASS", "fallback"), half]]).ignored.length, 1)
    assert.equal(at(jobOf([...SENT, [FACTS.verdict(1, "PASS", "fallback"), half + 1]]), half + 1).state, "VERIFIED_PASS")
    const opened: [Fact, number][] = [...SENT, [FACTS.verdict(1, "INCONCLUSIVE"), T0 + 2_001]]
    assert.equal(at(jobOf(opened), T0 + 2_002).state, "SUBMITTED")
    const passed: [Fact, number][] = [...opened, [FACTS.verdict(1, "PASS", "fallback"), T0 + 2_002]]
    assert.equal(at(jobOf(passed), T0 + 2_003).state, "VERIFIED_PASS")
    const late = jobOf([...passed, [FACTS.verdict(1, "FAIL"), T0 + 2_003]])
    assert.equal(late.ignored.length, 1)
    assert.equal(late.facts.verdict, "PASS")
  })

  it("both verifiers have work in the second half, and none after a verdict", () => {
    const half = T0 + 2_000 + Math.floor(CLOCK.verification / 2)
    const who = (job: Job, now: number) => next(job, now).actions.map((action) => (action.kind === "verify" ? action.by : action.kind))
    assert.deepEqual(who(jobOf(SENT), half), ["primary"])
    assert.deepEqual(who(jobOf(SENT), half + 1), ["primary", "fallback"])
    assert.deepEqual(who(jobOf(SENT), END + 1), [])
    assert.deepEqual(who(jobOf([...SENT, [FACTS.verdict(1, "PASS"), T0 + 2_001]]), half + 1), [])
  })

  it("a FAIL with attempts left is final at delivery_by, or when it could no longer be disputed if that is later", () => {
    const early = jobOf([...SENT, [FACTS.verdict(1, "FAIL"), T0 + 2_100]])
    assert.equal(at(early, CLOCK.deliveryBy).decision, null)
    assert.equal(at(early, CLOCK.deliveryBy + 1).cause, "FAIL_FINAL")
    const last = jobOf([...SENT, [FACTS.verdict(1, "FAIL"), T0 + 2_100]], termsWith({ maxSubmissions: 1 }))
    assert.equal(at(last, T0 + 2_100 + CLOCK.providerDispute).decision, null)
    assert.equal(at(last, T0 + 2_100 + CLOCK.providerDispute + 1).cause, "FAIL_FINAL")
    const lateVerdict = CLOCK.deliveryBy + 100
    const late = jobOf([...HELD, [FACTS.submitted(1), CLOCK.deliveryBy], [FACTS.verdict(1, "FAIL"), lateVerdict]])
    assert.equal(at(late, lateVerdict + CLOCK.providerDispute).decision, null)
    assert.equal(at(late, lateVerdict + CLOCK.providerDispute + 1).cause, "FAIL_FINAL")
  })

  it("an INCONCLUSIVE dispute can be left by resubmitting until there is a ruling, a party's cannot", () => {
    const ruling = END + CLOCK.mediatorRuling
    assert.equal(jobOf([...SENT, [FACTS.submitted(2), ruling]]).ignored.length, 0)
    assert.equal(jobOf([...SENT, [FACTS.submitted(2), ruling + 1]]).ignored.length, 1)
    assert.equal(jobOf([...SENT, [FACTS.ruled("REFUND"), END + 1], [FACTS.submitted(2), END + 2]]).ignored.length, 1)
    const disputed: [Fact, number][] = [...SENT, [FACTS.verdict(1, "FAIL"), T0 + 2_100], [FACTS.disputed(1, "provider"), T0 + 2_101]]
    assert.equal(jobOf([...disputed, [FACTS.submitted(2), T0 + 2_102]]).ignored.length, 1)
  })

  it("a concession decides at once, in the state where it was made, and is the last act", () => {
    const job = jobOf([...SENT, [FACTS.conceded(1, "buyer"), T0 + 2_001], [FACTS.verdict(1, "FAIL"), T0 + 2_002]])
    assert.deepEqual(at(job, T0 + 9_000), { state: "SUBMITTED", decision: "RELEASE", outcome: "RELEASE", cause: "CONCEDED" })
    assert.equal(job.ignored.length, 1)
    assert.equal(jobOf([...HELD, [FACTS.conceded(0, "buyer"), T0 + 30]]).ignored.length, 1, "the buyer needs something to accept")
    assert.equal(at(jobOf([...HELD, [FACTS.conceded(0, "provider"), T0 + 30]]), T0 + 31).decision, "REFUND")
  })

  it("at expiry the outcome is REFUND whatever was decided; the decision stays", () => {
    const released = jobOf([...SENT, [FACTS.verdict(1, "PASS"), T0 + 2_100]])
    assert.deepEqual(at(released, CLOCK.expiry - 1).outcome, "RELEASE")
    assert.deepEqual(at(released, CLOCK.expiry), { state: "VERIFIED_PASS", decision: "RELEASE", outcome: "REFUND", cause: "EXPIRY" })
    assert.deepEqual(keys(released, CLOCK.expiry), ["settle:REFUND"])
    assert.equal(at(jobOf(HELD), CLOCK.expiry).cause, "NO_SUBMISSION")
  })

  it("unfunded by fund_by: LAPSED, freed on chain only if it was bound; money that comes before counts, after is refunded as UNBOUND", () => {
    const bound: [Fact, number][] = [[FACTS.bound, T0 + 10]]
    assert.equal(at(jobOf(bound), CLOCK.fundBy).state, "AGREED")
    assert.deepEqual(at(jobOf(bound), CLOCK.fundBy + 1), { state: "LAPSED", decision: null, outcome: null, cause: "NOT_FUNDED" })
    assert.deepEqual(keys(jobOf(bound), CLOCK.fundBy + 1), ["lapse"])
    assert.deepEqual(keys(jobOf([]), CLOCK.fundBy + 1), [])
    assert.equal(at(jobOf([...bound, [FACTS.funded, CLOCK.fundBy + 50]]), CLOCK.fundBy + 51).state, "FUNDED")
    const late = jobOf([...bound, [FACTS.lapsed, CLOCK.fundBy + 1], [FACTS.funded, CLOCK.fundBy + 50]])
    assert.deepEqual(at(late, CLOCK.fundBy + 51), { state: "LAPSED", decision: null, outcome: "REFUND", cause: "UNBOUND" })
    assert.deepEqual(keys(late, CLOCK.fundBy + 51), ["refund-unbound"])
    assert.deepEqual(keys(jobOf([[FACTS.funded, T0 + 10]]), T0 + 11), ["refund-unbound"])
  })

  it("the rail ended without us: ELSEWHERE, and nothing more is asked for", () => {
    const job = jobOf([...SENT, [FACTS.elsewhere("REFUND"), CLOCK.expiry + 5]])
    assert.equal(at(job, CLOCK.expiry + 6).state, "REFUNDED")
    assert.equal(at(job, CLOCK.expiry + 6).cause, "ELSEWHERE")
    assert.deepEqual(next(job, CLOCK.expiry + 6), { actions: [], wakeAt: null })
    const withdrawn = jobOf([
      [FACTS.bound, T0 + 10],
      [FACTS.elsewhere("REFUND"), T0 + 20],
    ])
    assert.equal(at(withdrawn, T0 + 30).state, "REFUNDED")
  })

  it("takes the chain's word for where the money went, and says that it did not expect it", () => {
    const job = jobOf([...SENT, [FACTS.settled("RELEASE", "RULING"), T0 + 2_001]])
    assert.equal(at(job, T0 + 2_002).state, "RELEASED")
    assert.equal(job.surprises.length, 1)
    assert.equal(
      jobOf([...SENT, [FACTS.elsewhere("REFUND"), T0 + 2_001], [FACTS.settled("RELEASE", "RULING"), T0 + 2_002]]).facts.settled,
      "REFUND",
    )
  })

  it("relays bind once confirmed, not after the confirmation has run out; a new confirmation is a new action", () => {
    const confirm = (requestId: string, notAfter: number) =>
      note(
        { type: "confirmed", requestId, evidenceDigest: "0x01", notAfter, signer: "0x02", signature: "0x03", method: "passkey", loa: 2 },
        T0 + 5,
      )
    const job = foldJob(termsWith(), [...AGREEMENT, confirm("r1", T0 + 300)])
    assert.deepEqual(keys(job, T0 + 300), ["relay-bind:r1"])
    assert.deepEqual(next(job, T0 + 300).wakeAt, T0 + 301)
    assert.deepEqual(keys(job, T0 + 301), [])
    const again = foldJob(termsWith(), [...AGREEMENT, confirm("r1", T0 + 300), confirm("r2", T0 + 900)])
    assert.deepEqual(keys(again, T0 + 301), ["relay-bind:r2"])
    const unsigned = foldJob(termsWith(), [...AGREEMENT.slice(0, 3), confirm("r1", T0 + 300)])
    assert.deepEqual(keys(unsigned, T0 + 10), [], "not before the mediator has signed")
  })

  it("relays funding within the authorization's own window only (ERC-3009: both ends exclusive)", () => {
    const authorized = note(
      { type: "fundingAuthorized", salt: "0x05", validAfter: T0 + 100, validBefore: T0 + 200, signature: "0x06" },
      T0 + 6,
    )
    const bound = onChain(FACTS.bound, T0 + 10, 1)
    const job = foldJob(termsWith(), [...AGREEMENT, authorized, bound])
    const when = (now: number) => keys(job, now).length
    assert.deepEqual([T0 + 100, T0 + 101, T0 + 199, T0 + 200].map(when), [0, 1, 1, 0])
    assert.equal(next(job, T0 + 50).wakeAt, T0 + 101)
    assert.deepEqual(keys(foldJob(termsWith(), [...AGREEMENT, authorized]), T0 + 150), [], "not before bind")
  })

  it("relays a signed submission, verdict and concession once each is due, and none after it is on chain", () => {
    const received = note(
      { type: "submissionReceived", n: 1, uri: "ipfs://x", sha256: sha(`0x${"d".repeat(64)}`), signature: "0x01", railAuthorization: null },
      T0 + 30,
    )
    const held = HELD.map(([fact, time], index) => onChain(fact, time, index + 1))
    const job = foldJob(termsWith(), [...AGREEMENT, ...held, received])
    assert.deepEqual(keys(job, T0 + 40), [`relay-submission:1:${"d".repeat(64)}`])
    const deliverableHash = `0x${"d".repeat(64)}` as const
    const submitted = onChain({ type: "submitted", n: 1, deliverableHash, uriHash: deliverableHash }, T0 + 50, 3)
    const verdict = note(
      {
        type: "verdictSigned",
        n: 1,
        by: "primary",
        verdict: "PASS",
        merkleRoot: root(1, "primary"),
        deliverableHash,
        signature: "0x01",
        bundle: "b",
      },
      T0 + 60,
    )
    const sent = foldJob(termsWith(), [...AGREEMENT, ...held, received, submitted])
    assert.deepEqual(keys(sent, T0 + 61), [`verify:1:primary:${deliverableHash}`])
    const judged = foldJob(termsWith(), [...AGREEMENT, ...held, received, submitted, verdict])
    assert.deepEqual(keys(judged, T0 + 61), [`relay-verdict:1:primary:${deliverableHash}`])
    const accept = note(
      { type: "concessionReceived", by: "buyer", n: 1, merkleRoot: "0x00", rulingDigest: "0x00", signature: "0x01" },
      T0 + 62,
    )
    const accepted = foldJob(termsWith(), [...AGREEMENT, ...held, received, submitted, accept])
    assert.ok(keys(accepted, T0 + 63).some((key) => key.startsWith("relay-act:concessionReceived")))
    const done = foldJob(termsWith(), [...AGREEMENT, ...held, submitted, accept, onChain(FACTS.conceded(1, "buyer"), T0 + 64, 4)])
    assert.deepEqual(keys(done, T0 + 65), ["settle:RELEASE"])
  })

  it("tells each party what it can do and until when, in every waiting state", () => {
    const can = (job: Job, now: number) => assess(job, now).can.map(({ who, action }) => `${who} ${action}`)
    assert.deepEqual(can(foldJob(termsWith(), AGREEMENT.slice(0, 2)), T0 + 5), ["provider sign", "mediator sign"])
    assert.deepEqual(can(jobOf([]), T0 + 5), ["buyer fund"])
    assert.deepEqual(can(jobOf(HELD), T0 + 30), ["provider submit", "provider concede"])
    assert.deepEqual(can(jobOf(SENT), T0 + 2_001), ["verifier verdict", "buyer accept", "provider concede"])
    const failed = jobOf([...SENT, [FACTS.verdict(1, "FAIL"), T0 + 2_100]])
    assert.deepEqual(can(failed, T0 + 2_101), ["provider submit", "provider dispute", "buyer accept", "provider concede"])
    assert.deepEqual(can(failed, T0 + 2_101 + CLOCK.providerDispute), ["provider submit", "buyer accept", "provider concede"])
    assert.deepEqual(can(failed, CLOCK.deliveryBy + 1), ["anyone settle"])
  })
})
