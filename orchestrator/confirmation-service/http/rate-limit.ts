/** A bucket of tokens per caller: short bursts pass, floods do not. In memory: a restart forgives. */
export type RateLimit = {
  /** Takes a token. Null: go on; otherwise the seconds after which to try again. */
  readonly take: (caller: string) => number | null
}

export type RateLimitOptions = {
  /** Tokens in a full bucket. */
  readonly burst: number
  /** Tokens that come back each second. */
  readonly perSecond: number
  /** Milliseconds, monotonic. */
  readonly clock: () => number
}

/** Callers remembered at most; the longest unseen are forgotten first, and their buckets are full again anyway or soon. */
const MAX_CALLERS = 10_000

export const createRateLimit = ({ burst, perSecond, clock }: RateLimitOptions): RateLimit => {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    take: (caller) => {
      const now = clock()
      const known = buckets.get(caller) ?? { tokens: burst, at: now }
      const tokens = Math.min(burst, known.tokens + ((now - known.at) / 1_000) * perSecond)
      const granted = tokens >= 1
      // Deleted first, so that the map's order is the order of last use.
      buckets.delete(caller)
      buckets.set(caller, { tokens: granted ? tokens - 1 : tokens, at: now })
      if (buckets.size > MAX_CALLERS) buckets.delete(buckets.keys().next().value ?? caller)
      return granted ? null : Math.ceil((1 - tokens) / perSecond)
    },
  }
}
