/** Replay state of one process. Lost with it: for tests, for single-process agents, and as the measure of the others. */
import type { Consumption, Denial, DenialRegister, OutcomeMemory, RememberedOutcome, ReplayKey, ReplayStore } from "./store.ts"

const keyOf = ({ service, requestId }: ReplayKey): string => `${requestId} ${service}`

/** Marks are dropped once they are no longer needed, a few at each new one. */
export const memoryReplayStore = (): ReplayStore => {
  const marks = new Map<string, number>()
  return {
    seen: (key) => marks.has(keyOf(key)),
    consume: (mark: Consumption) => {
      const key = keyOf(mark)
      if (marks.has(key)) return false
      let looked = 0
      for (const [old, keepUntil] of marks) {
        if (keepUntil >= mark.now || looked++ >= 2) break
        marks.delete(old)
      }
      marks.set(key, mark.keepUntil)
      return true
    },
  }
}

/** Remembers the last `capacity` ends, 100,000 by default. */
export const memoryOutcomes = (capacity = 100_000): OutcomeMemory => {
  const ends = new Map<string, RememberedOutcome>()
  return {
    recall: (digest) => ends.get(digest) ?? null,
    remember: (digest, outcome) => {
      if (ends.has(digest)) return
      const oldest = ends.size >= capacity ? ends.keys().next() : null
      if (oldest?.done === false) ends.delete(oldest.value)
      ends.set(digest, outcome)
    },
  }
}

export const memoryDenials = (): DenialRegister => {
  const denials = new Map<string, Denial>()
  return {
    record: (denial) => {
      const known = denials.get(denial.actionDigest)
      if (known === undefined || known.deniedAt <= denial.deniedAt) denials.set(denial.actionDigest, denial)
    },
    latest: (actionDigest) => denials.get(actionDigest) ?? null,
  }
}
