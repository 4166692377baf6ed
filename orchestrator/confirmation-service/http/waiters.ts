/** Those who wait for an answer: woken by the event itself, never by looking again and again. */
export type Waiters = {
  /** Resolves when `requestId` is decided, `milliseconds` have passed, the caller has gone, or the service stops. */
  readonly wait: (requestId: string, milliseconds: number, gone: AbortSignal) => Promise<void>
  readonly wake: (requestId: string) => void
  readonly stop: () => void
}

export const createWaiters = (): Waiters => {
  const waiting = new Map<string, Set<() => void>>()
  let stopped = false
  const wait: Waiters["wait"] = (requestId, milliseconds, gone) =>
    new Promise((resolve) => {
      if (stopped || gone.aborted || milliseconds <= 0) return resolve()
      const others = waiting.get(requestId) ?? new Set()
      const done = (): void => {
        clearTimeout(timer)
        gone.removeEventListener("abort", done)
        others.delete(done)
        if (others.size === 0) waiting.delete(requestId)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      gone.addEventListener("abort", done)
      others.add(done)
      waiting.set(requestId, others)
    })
  const wake = (requestId: string): void => {
    for (const done of [...(waiting.get(requestId) ?? [])]) done()
  }
  return {
    wait,
    wake,
    stop: () => {
      stopped = true
      for (const requestId of [...waiting.keys()]) wake(requestId)
    },
  }
}
