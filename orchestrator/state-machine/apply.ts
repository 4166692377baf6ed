/** What each chain event adds to the facts, once the table has let it count. */
import type { ChainEvent } from "./events.ts"
import type { Facts } from "./facts.ts"
import { positionAt, type Rules } from "./position.ts"

type Of<T extends ChainEvent["type"]> = Extract<ChainEvent, { type: T }>

/** A submission starts afresh: what was said of the earlier one is withdrawn with it. */
const submitted = (facts: Facts, event: Of<"submitted">): Facts => ({
  ...facts,
  n: event.n,
  submittedAt: event.at,
  deliverableHash: event.deliverableHash,
  verdict: null,
  verdictAt: null,
  verdictBy: null,
  merkleRoot: null,
  primarySpoke: false,
})

const verdict = (facts: Facts, event: Of<"verdict">): Facts => {
  const spoken = { ...facts, merkleRoot: event.merkleRoot, primarySpoke: facts.primarySpoke || event.by === "primary" }
  // The primary's INCONCLUSIVE opens the fallback's turn; only the fallback's ends the checking.
  if (event.verdict === "INCONCLUSIVE" && event.by === "primary") return spoken
  return { ...spoken, verdict: event.verdict, verdictAt: event.at, verdictBy: event.by }
}

const ruled = (rules: Rules, facts: Facts, event: Of<"ruled">): Facts => ({
  ...facts,
  // A dispute without a disputer is dated by its cause, which the ruling must not change.
  disputedAt: positionAt(rules, facts, true, event.at).since,
  ruling: event.ruling,
  ruledAt: event.at,
  rulingDigest: event.rulingDigest,
  documentHash: event.documentHash,
})

/** The facts after an event that counts. */
export const applyFact = (rules: Rules, facts: Facts, event: ChainEvent): Facts => {
  switch (event.type) {
    case "bound":
      return { ...facts, boundAt: event.at }
    case "funded":
      return { ...facts, fundedAt: event.at }
    case "railSubmitted":
    case "seated":
      return facts
    case "submitted":
      return submitted(facts, event)
    case "verdict":
      return verdict(facts, event)
    case "disputed":
      return { ...facts, disputedAt: event.at, disputedBy: event.by }
    case "ruled":
      return ruled(rules, facts, event)
    case "appealed":
      return { ...facts, appealedAt: event.at }
    case "voteCommitted":
      return { ...facts, votes: { ...facts.votes, [event.panelist]: null } }
    case "voteRevealed":
      return { ...facts, votes: { ...facts.votes, [event.panelist]: event.vote } }
    case "conceded":
      return { ...facts, concededBy: event.by, concededAt: event.at }
    case "lapsed":
      return { ...facts, lapsedAt: event.at }
    case "settled":
      return { ...facts, settled: event.outcome, settledAt: event.at, settledCause: event.cause, settledRoot: event.root }
    case "settledElsewhere":
      return { ...facts, settled: event.outcome, settledAt: event.at, settledCause: "ELSEWHERE" }
  }
}
