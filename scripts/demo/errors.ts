/** Codes that only the demonstration's own agents use. */
import type { ErrorTable } from "../../orchestrator/errors.ts"

export const ERRORS = {
  "confirmation-failed": {
    status: 502,
    what: "The confirmation service answered something that is neither a decision nor a reason for none.",
    recovery: "Read the confirmation service's log.",
  },
  unobtainable: {
    status: 503,
    what: "There will be no confirmation for this request: it has expired, was cancelled or cannot be shown.",
    recovery: "Ask for a new confirmation. It is not a denial, and counts as none.",
  },
  "demo-interrupted": {
    status: 503,
    what: "The demonstration was stopped from outside before its end.",
    recovery: "Run it again; everything it had started was stopped.",
  },
  "person-failed": {
    status: 500,
    what: "The demonstration's person ended without a decision.",
    recovery: "Read the message; the confirmation service's log has the other side.",
  },
} as const satisfies ErrorTable
