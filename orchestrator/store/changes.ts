/** Who wants to hear of changed jobs in this process. A hint: what changed is in the store. */
export type EventSignal = {
  /** Calls `listener` after events of a job were appended. Answers how to stop. */
  subscribe: (jobId: string, listener: () => void) => () => void
  /** Calls `listener` for every job. */
  subscribeAll: (listener: (jobId: string) => void) => () => void
}

export type Changes = EventSignal & {
  tell: (jobIds: Iterable<string>) => void
  /** Changes may have been missed: everyone looks. */
  tellEveryone: () => void
}

export const createChanges = (): Changes => {
  const byJob = new Map<string, Set<() => void>>()
  const everyone = new Set<(jobId: string) => void>()
  return {
    subscribe: (jobId, listener) => {
      const set = byJob.get(jobId) ?? new Set()
      set.add(listener)
      byJob.set(jobId, set)
      return () => {
        set.delete(listener)
        if (set.size === 0 && byJob.get(jobId) === set) byJob.delete(jobId)
      }
    },
    subscribeAll: (listener) => {
      everyone.add(listener)
      return () => everyone.delete(listener)
    },
    tell: (jobIds) => {
      for (const jobId of jobIds) {
        for (const listener of byJob.get(jobId) ?? []) listener()
        for (const listener of everyone) listener(jobId)
      }
    },
    tellEveryone: () => {
      for (const set of byJob.values()) for (const listener of set) listener()
    },
  }
}
