/** Histories for the lifecycle: a builder for written cases, and a generator of random ones that keep to the rules. */
import fc from "fast-check"
import type { Terms } from "../../../orchestrator/contract/messages.ts"
import {
  assess,
  type ChainEvent,
  foldJob,
  type Job,
  type JobEvent,
  type MessageEvent,
  type Outcome,
} from "../../../orchestrator/state-machine/index.ts"
import type { Hex, Sha256, UnixSeconds } from "../../../orchestrator/types.ts"

type WithoutPlace<E> = E extends unknown ? Omit<E, "source" | "at" | "position"> : never
export type Fact = WithoutPlace<ChainEvent>
type WithoutTime<E> = E extends unknown ? Omit<E, "source" | "at"> : never
export type Note = WithoutTime<MessageEvent>

export const T0: UnixSeconds = 1_800_000_000

/** Short, odd windows, so that their ends fall on different seconds. */
export const CLOCK: Terms["clock"] = {
  fundBy: T0 + 1_000,
  deliveryBy: T0 + 10_000,
  verification: 601,
  buyerReview: 907,
  providerDispute: 809,
  mediatorRuling: 1_201,
  appealFiling: 1_103,
  panelRuling: 1_301,
  maxSubmissions: 3,
  expiry: T0 + 10_000 + 601 + 907 + 1_201 + 1_103 + 1_301 + 3_600,
}

const word = (digit: string): Hex => `0x${digit.repeat(64)}`
const address = (digit: string): Hex => `0x${digit.repeat(40)}`

export const termsWith = (clock: Partial<Terms["clock"]> = {}): Terms => ({
  contractHash: word("c"),
  ref: word("1"),
  roles: {
    buyer: address("1"),
    provider: address("2"),
    confirmer: word("3"),
    verifier: address("4"),
    fallbackVerifier: address("5"),
    mediator: address("6"),
    rosterHash: word("7"),
    panelSize: 5,
  },
  money: {
    token: address("8"),
    price: 40_000_000n,
    verifierFee: 0n,
    mediatorFee: 4_000_000n,
    mediatorBond: 40_000_000n,
    panelistBond: 10_000_000n,
    disputeDeposit: 4_000_000n,
    appealFee: 10_000_000n,
    mediationShareBps: 1_500,
  },
  clock: { ...CLOCK, ...clock },
})

export const panelist = (index: number): Hex => `0x${(0xaa00 + index).toString(16).padStart(40, "0")}`
export const deliverable = (n: number): Hex => `0x${n.toString(16).padStart(64, "d")}`
export const root = (n: number, by: string): Hex => `0x${(by === "primary" ? n : n + 100).toString(16).padStart(64, "e")}`

/** Each fact in a block of its own. */
export const onChain = (fact: Fact, at: UnixSeconds, block: number): ChainEvent =>
  ({
    ...fact,
    source: "chain",
    at,
    position: {
      block,
      blockHash: `0x${block.toString(16).padStart(64, "b")}`,
      tx: `0x${block.toString(16).padStart(64, "a")}`,
      logIndex: 0,
    },
  }) as ChainEvent

export const note = (message: Note, at: UnixSeconds): MessageEvent => ({ ...message, source: "message", at }) as MessageEvent

export const FACTS = {
  bound: { type: "bound", termsHash: word("9") },
  funded: { type: "funded", amount: "40000000" },
  submitted: (n: number): Fact => ({ type: "submitted", n, deliverableHash: deliverable(n), uriHash: word("0") }),
  verdict: (n: number, verdict: "PASS" | "FAIL" | "INCONCLUSIVE", by: "primary" | "fallback" = "primary"): Fact => ({
    type: "verdict",
    n,
    by,
    verdict,
    merkleRoot: root(n, by),
  }),
  disputed: (n: number, by: "buyer" | "provider"): Fact => ({ type: "disputed", n, by }),
  ruled: (ruling: Outcome): Fact => ({ type: "ruled", ruling, rulingDigest: word("4"), documentHash: word("5") }),
  appealed: (by: "buyer" | "provider"): Fact => ({ type: "appealed", by }),
  committed: (index: number): Fact => ({ type: "voteCommitted", panelist: panelist(index) }),
  revealed: (index: number, vote: Outcome): Fact => ({ type: "voteRevealed", panelist: panelist(index), vote }),
  conceded: (n: number, by: "buyer" | "provider"): Fact => ({ type: "conceded", n, by }),
  lapsed: { type: "lapsed" },
  settled: (outcome: Outcome, cause: Extract<ChainEvent, { type: "settled" }>["cause"]): Fact => ({
    type: "settled",
    outcome,
    cause,
    root: word("0"),
  }),
  elsewhere: (outcome: Outcome): Fact => ({ type: "settledElsewhere", outcome }),
} as const satisfies Record<string, Fact | ((...args: never[]) => Fact)>

/** What everyone signed and the person confirmed, shortly after T0. */
export const AGREEMENT: readonly MessageEvent[] = [
  note({ type: "posted" }, T0),
  note({ type: "signed", role: "buyer", signature: "0x01" }, T0 + 1),
  note({ type: "signed", role: "provider", signature: "0x02" }, T0 + 2),
  note({ type: "signed", role: "mediator", signature: "0x03" }, T0 + 3),
]

/** A job from `[fact, time]` pairs, agreed beforehand. */
export const jobOf = (facts: readonly (readonly [Fact, UnixSeconds])[], terms: Terms = termsWith()): Job =>
  foldJob(terms, [...AGREEMENT, ...facts.map(([fact, at], index) => onChain(fact, at, index + 1))])

// ── Random histories ────────────────────────────────────────────────────────────────────────────────────────────────

/** Every fact that could be tried next, the impossible ones included. */
const attempts = (job: Job): Fact[] => {
  const { n } = job.facts
  const both = ["buyer", "provider"] as const
  const outcomes = ["RELEASE", "REFUND"] as const
  return [
    FACTS.bound,
    FACTS.funded,
    FACTS.submitted(n + 1),
    FACTS.submitted(n),
    ...(["PASS", "FAIL", "INCONCLUSIVE"] as const).flatMap((verdict) => [
      FACTS.verdict(n, verdict, "primary"),
      FACTS.verdict(n, verdict, "fallback"),
      FACTS.verdict(n + 1, verdict, "primary"),
    ]),
    ...both.flatMap((by) => [FACTS.disputed(n, by), FACTS.appealed(by), FACTS.conceded(n, by)]),
    ...outcomes.map((ruling) => FACTS.ruled(ruling)),
    ...[1, 2, 3, 4, 5].flatMap((index) => [FACTS.committed(index), ...outcomes.map((vote) => FACTS.revealed(index, vote))]),
    FACTS.lapsed,
  ]
}

/** Moments around every deadline of the job as it stands: just before, at, just after. */
const edges = (job: Job, from: UnixSeconds): UnixSeconds[] => {
  const { clock } = job.rules
  const spans = [clock.verification, Math.floor(clock.verification / 2), clock.buyerReview, clock.providerDispute]
  const later = [clock.mediatorRuling, clock.appealFiling, clock.panelRuling, Math.floor(clock.panelRuling / 2)]
  const moments = [
    ...assess(job, from).deadlines.map(({ at }) => at),
    ...[...spans, ...later].map((span) => from + span),
    clock.fundBy,
    clock.deliveryBy,
    clock.expiry,
  ]
  return [...new Set([from, from + 1, ...moments.flatMap((at) => [at - 1, at, at + 1])])].filter((at) => at >= from).sort((a, b) => a - b)
}

export type History = {
  terms: Terms
  events: JobEvent[] /** Time of the last event. */
  now: UnixSeconds /** Events that the chain would have refused. */
  refused: number
}

export type Step = { pick: number; when: number; legal: boolean }

const steps = fc.array(fc.record({ pick: fc.nat(10_000), when: fc.nat(10_000), legal: fc.nat(9).map((digit) => digit > 1) }), {
  maxLength: 14,
})

/** What would count at `at`: the same question that the resolver answers. */
const isLegal = (job: Job, fact: Fact, at: UnixSeconds): boolean => {
  const grown = foldJob(job.terms, [...AGREEMENT, ...eventsOf(job), onChain(fact, at, 1_000_000)])
  return grown.ignored.length === job.ignored.length
}

const KNOWN = new WeakMap<Job, readonly ChainEvent[]>()
const eventsOf = (job: Job): readonly ChainEvent[] => KNOWN.get(job) ?? []

/**
 * A history made of steps: each takes a moment at or around a deadline and an act. Legal steps choose among what counts then; the others try
 * anything at all.
 */
export const historyFrom = (terms: Terms, chosen: readonly Step[], start: readonly Fact[] = [FACTS.bound, FACTS.funded]): History => {
  const chain: ChainEvent[] = []
  const jobNow = (): Job => {
    const job = foldJob(terms, [...AGREEMENT, ...chain])
    KNOWN.set(job, [...chain])
    return job
  }
  let now = T0 + 10
  for (const fact of start) chain.push(onChain(fact, now++, chain.length + 1))
  let refused = 0
  for (const { pick, when, legal } of chosen) {
    const job = jobNow()
    const moments = edges(job, now)
    // Near moments are worth more: far ones end the history.
    const at = moments[Math.floor((when / 10_001) ** 5 * moments.length)] ?? now
    const all = attempts(job)
    const legalOnes = legal ? all.filter((fact) => isLegal(job, fact, at)) : all
    // A concession ends a history: it comes seldom, so that others get to their end.
    const options = pick % 5 === 0 ? legalOnes : legalOnes.filter(({ type }) => type !== "conceded")
    const fact = options[pick % Math.max(1, options.length)]
    if (fact === undefined) continue
    const before = job.ignored.length
    chain.push(onChain(fact, at, chain.length + 1))
    now = at
    if (jobNow().ignored.length > before) refused += 1
  }
  return { terms, events: [...AGREEMENT, ...chain], now, refused }
}

const clocks = fc.record({
  maxSubmissions: fc.integer({ min: 1, max: 3 }),
  deliveryBy: fc.constantFrom(CLOCK.deliveryBy, T0 + 1_500, T0 + 2_500),
})

const starts = fc.oneof(
  { weight: 8, arbitrary: fc.constant([FACTS.bound, FACTS.funded]) },
  { weight: 1, arbitrary: fc.constant([FACTS.bound]) },
  { weight: 1, arbitrary: fc.constant([]) },
)

/** Random histories with short windows and time edges. */
export const histories: fc.Arbitrary<History> = fc
  .tuple(clocks, starts, steps)
  .map(([clock, start, chosen]) => historyFrom(termsWith({ ...clock, expiry: clock.deliveryBy + 8_713 }), chosen, start))

export const foldOf = ({ terms, events }: Pick<History, "terms" | "events">): Job => foldJob(terms, events)

/** Moments at which to look at a job whose last event was at `now`. */
export const momentsOf = (job: Job, now: UnixSeconds): UnixSeconds[] => edges(job, now)

export const sha = (hash: Hex): Sha256 => hash.slice(2) as Sha256
