/**
 * A job is the fold of its events: pure and total. What cannot count (an act out of its window, of another submission, by
 * the wrong side) is set aside with the reason and changes nothing; on the canonical chain such acts do not exist,
 * because the resolver refuses them.
 */
import type { Terms } from "../contract/messages.ts"
import type { Hex, UnixSeconds } from "../types.ts"
import { type ActKind, momentOf, rowFor } from "./acts.ts"
import { applyFact } from "./apply.ts"
import { type ChainEvent, type EventType, eventKey, type JobEvent, type MessageEvent } from "./events.ts"
import { type Facts, NO_FACTS } from "./facts.ts"
import { positionAt, type Rules, standingAt, type TimeStep } from "./position.ts"
import type { SigningRole, State, Verdict, VerifierRole } from "./vocabulary.ts"

export type MessageOf<T extends MessageEvent["type"]> = Extract<MessageEvent, { type: T }>
export type ActMessage = MessageOf<"disputeReceived" | "rulingReceived" | "appealReceived" | "concessionReceived">

/** Signed acts that we hold; each should find its way on chain. */
export type Messages = {
  signed: Readonly<Partial<Record<SigningRole, Hex>>>
  /** The latest of each: a person may confirm, and a buyer authorize, again. */
  confirmed: MessageOf<"confirmed"> | null
  fundingAuthorized: MessageOf<"fundingAuthorized"> | null
  submissions: readonly MessageOf<"submissionReceived">[]
  verdicts: readonly MessageOf<"verdictSigned">[]
  acts: readonly ActMessage[]
}

/** One submission as the chain knows it, with its verdicts, in order. */
export type SubmissionRecord = {
  n: number
  at: UnixSeconds
  deliverableHash: Hex
  tx: Hex
  verdicts: readonly { by: VerifierRole; verdict: Verdict; merkleRoot: Hex; at: UnixSeconds; tx: Hex }[]
}

/** An entry of the job's history. INCONCLUSIVE is an event in it, never a place to rest. */
export type HistoryEntry = { state: State | "INCONCLUSIVE"; at: UnixSeconds; by: EventType | "time" }

export type Remark = { event: JobEvent; reason: string }

export type Job = {
  terms: Terms
  rules: Rules
  facts: Facts
  messages: Messages
  submissions: readonly SubmissionRecord[]
  /** The rail was told of a delivery. */
  railSubmitted: boolean
  /** Transactions that made the chain facts, by event type; the latest of each. */
  tx: Readonly<Partial<Record<ChainEvent["type"], Hex>>>
  /** Up to the last event; what time has done since is in the assessment. */
  history: readonly HistoryEntry[]
  /** Set aside without effect. */
  ignored: readonly Remark[]
  /** The money moved although nothing here called for it: taken as it is, and worth a look. */
  surprises: readonly Remark[]
}

export const rulesOf = (terms: Terms): Rules => ({ clock: terms.clock, panelSize: terms.roles.panelSize })

/** All three signatures are there. */
export const isAgreed = (job: Pick<Job, "messages">): boolean => {
  const { signed } = job.messages
  return signed.buyer !== undefined && signed.provider !== undefined && signed.mediator !== undefined
}

export const emptyJob = (terms: Terms): Job => ({
  terms,
  rules: rulesOf(terms),
  facts: NO_FACTS,
  messages: { signed: {}, confirmed: null, fundingAuthorized: null, submissions: [], verdicts: [], acts: [] },
  submissions: [],
  railSubmitted: false,
  tx: {},
  history: [],
  ignored: [],
  surprises: [],
})

/** What of the table's rows the event can mean. */
const kindOf = (event: ChainEvent): ActKind => {
  switch (event.type) {
    case "verdict":
      return { event: event.type, by: event.by === "primary" ? "verifier" : "fallback", verdict: event.verdict }
    case "disputed":
    case "appealed":
    case "conceded":
      return { event: event.type, by: event.by }
    case "settled":
    case "settledElsewhere":
      return { event: event.type, outcome: event.outcome }
    default:
      return { event: event.type }
  }
}

/** Why the event is not about what stands; null when it is. */
const mismatch = (facts: Facts, event: ChainEvent): string | null => {
  switch (event.type) {
    case "submitted":
      return event.n === facts.n + 1 ? null : `submission ${event.n} after ${facts.n}`
    case "verdict":
    case "disputed":
    case "conceded":
      return event.n === facts.n ? null : `${event.type} on submission ${event.n}, the current one is ${facts.n}`
    case "voteCommitted":
      return event.panelist in facts.votes ? "this panelist has committed" : null
    case "voteRevealed":
      return facts.votes[event.panelist] === null ? null : "this panelist has nothing to reveal"
    default:
      return null
  }
}

const recordSubmission = (job: Job, event: ChainEvent): readonly SubmissionRecord[] => {
  const { tx } = event.position
  if (event.type === "submitted")
    return [...job.submissions, { n: event.n, at: event.at, deliverableHash: event.deliverableHash, tx, verdicts: [] }]
  if (event.type !== "verdict") return job.submissions
  const { by, verdict, merkleRoot, at } = event
  return job.submissions.map((one) =>
    one.n === event.n ? { ...one, verdicts: [...one.verdicts, { by, verdict, merkleRoot, at, tx }] } : one,
  )
}

/** Steps of time that the history does not have yet. */
export const unrecorded = (history: readonly HistoryEntry[], steps: readonly TimeStep[]): HistoryEntry[] =>
  steps
    .filter((step) => !history.some(({ state, at, by }) => by === "time" && state === step.state && at === step.at))
    .map((step) => ({ ...step, by: "time" }))

/** What happened from the last entry to this event: what time did before it, and where it led. */
const historyWith = (job: Job, facts: Facts, event: JobEvent, agreed: boolean): readonly HistoryEntry[] => {
  const before = positionAt(job.rules, job.facts, isAgreed(job), event.at)
  const byTime = unrecorded(job.history, before.steps)
  const state = standingAt(job.rules, facts, agreed, event.at).state
  if (event.type === "verdict" && facts.verdict === "INCONCLUSIVE")
    return [...job.history, ...byTime, { state: "INCONCLUSIVE", at: event.at, by: event.type }, { state, at: event.at, by: event.type }]
  const same = event.type !== "submitted" && state === (byTime.at(-1) ?? job.history.at(-1))?.state
  return [...job.history, ...byTime, ...(same ? [] : [{ state, at: event.at, by: event.type }])]
}

const MOVES_MONEY: ReadonlySet<EventType> = new Set<EventType>(["settled", "settledElsewhere"])

const foldChain = (job: Job, event: ChainEvent): Job => {
  const { facts, rules } = job
  const moment = momentOf(rules, facts, isAgreed(job), event.at)
  const row = rowFor(kindOf(event), moment)
  const wrong = mismatch(facts, event) ?? (typeof row === "string" ? row : null)
  // What the chain did with the money is a fact, expected or not; the first end is the end.
  const surprise = wrong !== null && MOVES_MONEY.has(event.type) && facts.settled === null
  if (wrong !== null && !surprise) return { ...job, ignored: [...job.ignored, { event, reason: wrong }] }
  const applied = applyFact(rules, facts, event)
  return {
    ...job,
    facts: applied,
    submissions: recordSubmission(job, event),
    railSubmitted: job.railSubmitted || event.type === "railSubmitted",
    tx: { ...job.tx, [event.type]: event.position.tx },
    history: historyWith(job, applied, event, isAgreed(job)),
    surprises: surprise && wrong !== null ? [...job.surprises, { event, reason: wrong }] : job.surprises,
  }
}

const keepSignature = (job: Job, event: MessageOf<"signed">): Job => {
  const { signed } = job.messages
  const messages = { ...job.messages, signed: { ...signed, [event.role]: event.signature } }
  const signedNow = { ...job, messages }
  return isAgreed(signedNow) ? { ...signedNow, history: historyWith(job, job.facts, event, true) } : signedNow
}

const foldMessage = (job: Job, event: MessageEvent): Job => {
  const { messages } = job
  const keep = (changed: Partial<Messages>): Job => ({ ...job, messages: { ...messages, ...changed } })
  switch (event.type) {
    case "posted":
      return { ...job, history: [...job.history, { state: "DRAFT", at: event.at, by: "posted" }] }
    case "signed":
      return keepSignature(job, event)
    case "confirmed":
      return keep({ confirmed: event })
    case "fundingAuthorized":
      return keep({ fundingAuthorized: event })
    case "submissionReceived":
      return keep({ submissions: [...messages.submissions, event] })
    case "verdictSigned":
      return keep({ verdicts: [...messages.verdicts, event] })
    case "disputeReceived":
    case "rulingReceived":
    case "appealReceived":
    case "concessionReceived":
      return keep({ acts: [...messages.acts, event] })
  }
}

/** One event later; the event is new. */
const applyEvent = (job: Job, event: JobEvent): Job => (event.source === "chain" ? foldChain(job, event) : foldMessage(job, event))

/** Messages as we came to have them; then the chain's events as the chain has them, however late we learned of one. */
const inOrder = (events: readonly JobEvent[]): JobEvent[] => {
  const messages = events.filter((event) => event.source === "message")
  const chain = events.filter((event) => event.source === "chain")
  return [...messages, ...chain.sort((a, b) => a.position.block - b.position.block || a.position.logIndex - b.position.logIndex)]
}

/** The job after `events`. Duplicates and the order in which we learned of chain events change nothing. */
export const foldJob = (terms: Terms, events: Iterable<JobEvent>): Job => {
  const unique = new Map<string, JobEvent>()
  for (const event of events) {
    const key = eventKey(event)
    if (!unique.has(key)) unique.set(key, event)
  }
  let job = emptyJob(terms)
  for (const event of inOrder([...unique.values()])) job = applyEvent(job, event)
  return job
}
