/**
 * A job is the fold of its events: pure and total. What cannot count (a duplicate, an act out of its window) is set
 * aside with the reason and changes nothing; on the canonical chain such acts do not exist, because the resolver
 * refuses them.
 */
import type { Terms } from "../contract/messages.ts"
import type { ChainEvent, JobEvent, MessageEvent } from "./events.ts"
import { type Facts, NO_FACTS } from "./facts.ts"
import {
  appealUntil,
  disputedSince,
  disputeUntil,
  mayConcede,
  mayGiveVerdict,
  mayRule,
  maySubmit,
  panelDeadlines,
  type Rules,
} from "./lifecycle.ts"
import type { SigningRole } from "./vocabulary.ts"

type MessageOf<T extends MessageEvent["type"]> = Extract<MessageEvent, { type: T }>

/** Signed acts that we hold; each should find its way on chain. */
export type Messages = {
  signed: Readonly<Partial<Record<SigningRole, `0x${string}`>>>
  confirmed: MessageOf<"confirmed"> | null
  fundingAuthorized: MessageOf<"fundingAuthorized"> | null
  submissions: readonly MessageOf<"submissionReceived">[]
  verdicts: readonly MessageOf<"verdictSigned">[]
  acts: readonly MessageOf<"disputeReceived" | "rulingReceived" | "appealReceived" | "concessionReceived">[]
}

/** One submission as the chain knows it, with its verdicts, in order. */
export type SubmissionRecord = {
  n: number
  at: number
  deliverableHash: `0x${string}`
  tx: `0x${string}`
  verdicts: {
    by: "primary" | "fallback"
    verdict: "PASS" | "FAIL" | "INCONCLUSIVE"
    merkleRoot: `0x${string}`
    at: number
    tx: `0x${string}`
  }[]
}

export type Ignored = { event: JobEvent; reason: string }

export type Job = {
  terms: Terms
  rules: Rules
  facts: Facts
  messages: Messages
  submissions: readonly SubmissionRecord[]
  /** The rail was told of a delivery. */
  railSubmitted: boolean
  /** Transactions that made the chain facts, by event type; the latest of each. */
  tx: Readonly<Partial<Record<ChainEvent["type"], `0x${string}`>>>
  ignored: readonly Ignored[]
}

export const rulesOf = (terms: Terms): Rules => ({ clock: terms.clock, panelSize: terms.roles.panelSize })

/** All three signatures are there. */
export const isAgreed = (job: Job): boolean =>
  job.messages.signed.buyer !== undefined && job.messages.signed.provider !== undefined && job.messages.signed.mediator !== undefined

export const emptyJob = (terms: Terms): Job => ({
  terms,
  rules: rulesOf(terms),
  facts: NO_FACTS,
  messages: { signed: {}, confirmed: null, fundingAuthorized: null, submissions: [], verdicts: [], acts: [] },
  submissions: [],
  railSubmitted: false,
  tx: {},
  ignored: [],
})

/** New facts, or the reason why the event cannot count. */
type Applied = Facts | string

const applySubmission = (rules: Rules, facts: Facts, event: Extract<ChainEvent, { type: "submitted" }>): Applied => {
  if (event.n !== facts.n + 1) return `submission ${event.n} after ${facts.n}`
  if (!maySubmit(rules, facts, event.at)) return "no submission counts now"
  return {
    ...facts,
    n: event.n,
    submittedAt: event.at,
    deliverableHash: event.deliverableHash,
    verdict: null,
    verdictAt: null,
    verdictBy: null,
    merkleRoot: null,
    primarySpoke: false,
  }
}

const applyVerdict = (rules: Rules, facts: Facts, event: Extract<ChainEvent, { type: "verdict" }>): Applied => {
  if (event.n !== facts.n) return `verdict on submission ${event.n}, the current one is ${facts.n}`
  if (!mayGiveVerdict(rules, facts, event.by, event.at)) return "no verdict of this verifier counts now"
  const spoken = { ...facts, merkleRoot: event.merkleRoot, primarySpoke: facts.primarySpoke || event.by === "primary" }
  // The primary's INCONCLUSIVE opens the fallback's turn; only the fallback's ends the checking.
  if (event.verdict === "INCONCLUSIVE" && event.by === "primary") return spoken
  return { ...spoken, verdict: event.verdict, verdictAt: event.at, verdictBy: event.by }
}

const applyDispute = (rules: Rules, facts: Facts, event: Extract<ChainEvent, { type: "disputed" }>): Applied => {
  if (event.n !== facts.n) return `dispute of submission ${event.n}, the current one is ${facts.n}`
  if (disputeUntil(rules, facts, event.by, event.at) === null) return "this party may not dispute now"
  return { ...facts, disputedAt: event.at, disputedBy: event.by }
}

const applyRuling = (rules: Rules, facts: Facts, event: Extract<ChainEvent, { type: "ruled" }>): Applied => {
  if (!mayRule(rules, facts, event.at)) return "no ruling counts now"
  // An INCONCLUSIVE dispute is dated by its cause, which the ruling must not change.
  return {
    ...facts,
    disputedAt: disputedSince(rules, facts, event.at),
    ruling: event.ruling,
    ruledAt: event.at,
    rulingDigest: event.rulingDigest,
  }
}

const applyVote = (rules: Rules, facts: Facts, event: Extract<ChainEvent, { type: "voteCommitted" | "voteRevealed" }>): Applied => {
  if (facts.appealedAt === null || facts.settled !== null) return "there is no appeal"
  const { commitUntil, revealUntil } = panelDeadlines(rules, facts.appealedAt)
  if (event.type === "voteCommitted") {
    if (event.at > commitUntil || event.panelist in facts.votes) return "no commitment of this panelist counts now"
    return { ...facts, votes: { ...facts.votes, [event.panelist]: null } }
  }
  const revealable =
    facts.votes[event.panelist] === null && event.at > commitUntil && event.at <= revealUntil && event.at < rules.clock.expiry
  return revealable ? { ...facts, votes: { ...facts.votes, [event.panelist]: event.vote } } : "no vote of this panelist counts now"
}

const applyChain = (rules: Rules, facts: Facts, event: ChainEvent): Applied => {
  switch (event.type) {
    case "bound":
      return facts.boundAt === null && facts.fundedAt === null ? { ...facts, boundAt: event.at } : "already bound or funded"
    case "funded":
      return facts.fundedAt === null && facts.settled === null ? { ...facts, fundedAt: event.at } : "already funded"
    case "railSubmitted":
    case "seated":
      return facts
    case "submitted":
      return applySubmission(rules, facts, event)
    case "verdict":
      return applyVerdict(rules, facts, event)
    case "disputed":
      return applyDispute(rules, facts, event)
    case "ruled":
      return applyRuling(rules, facts, event)
    case "appealed":
      return appealUntil(rules, facts, event.by, event.at) === null ? "this party may not appeal now" : { ...facts, appealedAt: event.at }
    case "voteCommitted":
    case "voteRevealed":
      return applyVote(rules, facts, event)
    case "conceded":
      if (event.n !== facts.n || !mayConcede(rules, facts, event.by, event.at)) return "this party may not concede now"
      return { ...facts, concededBy: event.by, concededAt: event.at }
    case "lapsed":
      return facts.fundedAt === null && facts.lapsedAt === null && event.at > rules.clock.fundBy
        ? { ...facts, lapsedAt: event.at }
        : "the job cannot lapse"
    case "settled":
      if (facts.settled !== null) return "already settled"
      return { ...facts, settled: event.outcome, settledAt: event.at, settledCause: event.cause, settledRoot: event.root }
    case "settledElsewhere":
      if (facts.settled !== null) return "already settled"
      return { ...facts, settled: event.outcome, settledAt: event.at, settledCause: "ELSEWHERE" }
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

const foldChain = (job: Job, event: ChainEvent): Job => {
  const applied = applyChain(job.rules, job.facts, event)
  if (typeof applied === "string") return { ...job, ignored: [...job.ignored, { event, reason: applied }] }
  return {
    ...job,
    facts: applied,
    submissions: recordSubmission(job, event),
    railSubmitted: job.railSubmitted || event.type === "railSubmitted",
    tx: { ...job.tx, [event.type]: event.position.tx },
  }
}

const foldMessage = (job: Job, event: MessageEvent): Job => {
  const { messages } = job
  const keep = (changed: Partial<Messages>): Job => ({ ...job, messages: { ...messages, ...changed } })
  const drop = (reason: string): Job => ({ ...job, ignored: [...job.ignored, { event, reason }] })
  switch (event.type) {
    case "posted":
      return job
    case "signed":
      return messages.signed[event.role] === undefined
        ? keep({ signed: { ...messages.signed, [event.role]: event.signature } })
        : drop("this party has signed")
    case "confirmed":
      return keep({ confirmed: event })
    case "fundingAuthorized":
      return keep({ fundingAuthorized: event })
    case "submissionReceived":
      return messages.submissions.some(({ n }) => n === event.n)
        ? drop("this submission is here")
        : keep({ submissions: [...messages.submissions, event] })
    case "verdictSigned":
      return messages.verdicts.some(
        ({ n, by, deliverableHash }) => n === event.n && by === event.by && deliverableHash === event.deliverableHash,
      )
        ? drop("this verifier has spoken")
        : keep({ verdicts: [...messages.verdicts, event] })
    case "disputeReceived":
    case "rulingReceived":
    case "appealReceived":
    case "concessionReceived":
      return keep({ acts: [...messages.acts, event] })
  }
}

/** One event later. */
export const applyEvent = (job: Job, event: JobEvent): Job => (event.source === "chain" ? foldChain(job, event) : foldMessage(job, event))

/** The job after `events`, in their order. */
export const foldJob = (terms: Terms, events: Iterable<JobEvent>): Job => {
  let job = emptyJob(terms)
  for (const event of events) job = applyEvent(job, event)
  return job
}
