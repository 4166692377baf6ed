/** So many calls per caller and minute, in this process. A courtesy limit: what is scarce is bounded in the store. */
import { ApiError } from "./problem.ts"

export type RateLimit = (caller: string, now: number) => void

const WINDOW_SECONDS = 60

/** Counts in fixed windows of a minute. The returned function throws `rate_limited`. */
export const rateLimit = (perMinute: number): RateLimit => {
  let window = 0
  const counts = new Map<string, number>()
  return (caller, now) => {
    const current = Math.floor(now / WINDOW_SECONDS)
    if (current !== window) {
      window = current
      counts.clear()
    }
    const count = (counts.get(caller) ?? 0) + 1
    counts.set(caller, count)
    if (count <= perMinute) return
    const retryAfter = (window + 1) * WINDOW_SECONDS - now
    throw new ApiError("rate_limited", `${perMinute} a minute; again in ${retryAfter} s`, {
      headers: { "Retry-After": String(Math.ceil(retryAfter)) },
    })
  }
}
