/** The lifecycle: events in, job out; job and time in, what should happen out. Nothing here does I/O. */
export { type ActKind, mayAct } from "./acts.ts"
export { type Ahead, type Assessment, assess, type Can, type Deadline } from "./assess.ts"
export { deadlineAt } from "./deadlines.ts"
export { type ChainEvent, type ChainPosition, type EventType, eventKey, type JobEvent, type MessageEvent } from "./events.ts"
export { type Facts, NO_FACTS, votesAgainst } from "./facts.ts"
export {
  type ActMessage,
  foldJob,
  type HistoryEntry,
  isAgreed,
  type Job,
  type MessageOf,
  type Messages,
  type Remark,
  rulesOf,
  type SubmissionRecord,
} from "./fold.ts"
export { type Action, type ActionKind, type Next, next } from "./next.ts"
export { positionAt, type Rules, type Standing, standingAt } from "./position.ts"
export { ACT_ROWS, type Actor, type ActRow, type DeadlineName, type GuardName, STATE_ROWS, TIME_ROWS, type TimeRow } from "./table.ts"
export * from "./vocabulary.ts"
