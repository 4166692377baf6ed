/** The lifecycle: events in, job out; job and time in, what should happen out. Nothing here does I/O. */
export { type Assessment, assess, type Can, type Deadline } from "./assess.ts"
export { type ChainEvent, type ChainPosition, type EventType, eventKey, type JobEvent, type MessageEvent } from "./events.ts"
export { type Facts, NO_FACTS, votesAgainst } from "./facts.ts"
export { applyEvent, emptyJob, foldJob, type Ignored, isAgreed, type Job, type Messages, rulesOf, type SubmissionRecord } from "./fold.ts"
export {
  appealUntil,
  disputedSince,
  disputeUntil,
  fallbackTurn,
  mayConcede,
  mayGiveVerdict,
  mayRule,
  maySubmit,
  nextChange,
  panelDeadlines,
  type Rules,
  restAt,
  type Standing,
  standingAt,
} from "./lifecycle.ts"
export { type Action, type ActionKind, type Next, next } from "./next.ts"
export * from "./vocabulary.ts"
