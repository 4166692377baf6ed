/** Requests that a verifier issued, so that evidence can be compared with its own challenge. */
import type { ConfirmationRequest } from "../request.ts"

export interface RequestLedger {
  /** Keeps a request until `keepUntil` (Unix seconds) at least. */
  issue(request: ConfirmationRequest, keepUntil: number, now: number): void | Promise<void>
  find(requestId: string): ConfirmationRequest | null | Promise<ConfirmationRequest | null>
}

/** The requests of one process; the oldest go first once there are `capacity` of them (default 10,000). */
export const memoryRequests = (capacity = 10_000): RequestLedger => {
  const issued = new Map<string, { request: ConfirmationRequest; keepUntil: number }>()
  return {
    issue: (request, keepUntil, now) => {
      for (const [id, old] of issued) {
        if (issued.size < capacity && old.keepUntil >= now) break
        issued.delete(id)
      }
      issued.set(request["request-id"], { request, keepUntil })
    },
    find: (requestId) => issued.get(requestId)?.request ?? null,
  }
}
