/** So many calls per caller in any minute, in this process. A courtesy limit: what is scarce is bounded in the store. */
import { ApiError } from "./problem.ts"

export type RateLimit = (caller: string, now: number) => void

const WINDOW_SECONDS = 60

/** Counts over the last sixty seconds. The returned function throws `rate_limited`; a refused call does not count. */
export const rateLimit = (perMinute: number): RateLimit => {
  const calls = new Map<string, number[]>()
  let swept = 0
  const sweep = (now: number): void => {
    if (now - swept < WINDOW_SECONDS) return
    swept = now
    for (const [caller, times] of calls) if ((times.at(-1) ?? 0) <= now - WINDOW_SECONDS) calls.delete(caller)
  }
  return (caller, now) => {
    sweep(now)
    const recent = (calls.get(caller) ?? []).filter((at) => at > now - WINDOW_SECONDS)
    const [oldest] = recent
    if (recent.length >= perMinute && oldest !== undefined) {
      const retryAfter = Math.max(1, Math.ceil(oldest + WINDOW_SECONDS - now))
      throw new ApiError("rate_limited", `${perMinute} a minute; again in ${retryAfter} s`, {
        headers: { "Retry-After": String(retryAfter) },
      })
    }
    calls.set(caller, [...recent, now])
  }
}
