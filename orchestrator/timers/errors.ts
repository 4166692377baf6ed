import type { ErrorTable } from "../errors.ts"

/** Codes of the timers. */
export const ERRORS = {
  "queue-unavailable": { status: 503, what: "The queue's server cannot be reached.", recovery: "Start Redis, or correct REDIS_URL." },
} as const satisfies ErrorTable
