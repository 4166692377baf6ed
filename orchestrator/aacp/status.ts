/** The status object: the person could not be asked. Unsigned, so a report and no decision (AACP §9.3). */
import { isUuid } from "./identifiers.ts"
import { parseJson } from "./json.ts"
import { Members } from "./members.ts"
import { formatTime, parseTime } from "./time.ts"

export const STATUS_REASONS = ["channel-unreachable", "dialog-expired", "cs-error", "user-unreachable"] as const
export type StatusReason = (typeof STATUS_REASONS)[number]

export type ConfirmationStatus = {
  readonly "request-id": string
  readonly outcome: "unobtainable"
  readonly reason: StatusReason
  /** RFC 3339. */
  readonly "reported-at": string
}

/** Checks a parsed JSON value. Throws `aacp-status-malformed`. */
export const readStatus = (value: unknown): ConfirmationStatus => {
  const members = new Members(value, "aacp-status-malformed")
  members.textOf("request-id", isUuid, "must be a UUID in lower case")
  members.oneOf("outcome", ["unobtainable"])
  members.oneOf("reason", STATUS_REASONS)
  members.textOf("reported-at", (text) => parseTime(text) !== null, "must be an RFC 3339 time")
  return value as ConfirmationStatus
}

export const parseStatus = (input: string | Uint8Array): ConfirmationStatus => readStatus(parseJson(input))

/** `reportedAt` in Unix seconds. */
export const createStatus = (requestId: string, reason: StatusReason, reportedAt: number): ConfirmationStatus =>
  readStatus({ "request-id": requestId, outcome: "unobtainable", reason, "reported-at": formatTime(reportedAt) })
