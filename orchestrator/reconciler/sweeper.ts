/** Sweeps: one at a time, on demand and periodically. Whoever asks during a sweep gets one that begins after it asked. */
import type { Log } from "./types.ts"

export type Sweeper = {
  /** Resolves after a sweep that began after the call. */
  sweep: () => Promise<number>
  start: (periodMs: number) => Promise<void>
  stop: () => Promise<void>
}

export const createSweeper = ({ sweep, log }: { sweep: () => Promise<number>; log: Log }): Sweeper => {
  let running: Promise<number> | null = null
  let following: Promise<number> | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const begin = (): Promise<number> => {
    const mine = sweep().finally(() => {
      running = null
    })
    running = mine
    return mine
  }
  const request = (): Promise<number> => {
    if (running === null) return begin()
    following ??= running.then(
      () => {
        following = null
        return begin()
      },
      () => {
        following = null
        return begin()
      },
    )
    return following
  }

  let failing = false
  const period = async (periodMs: number): Promise<void> => {
    try {
      await request()
      if (failing) log("info", "sweeping again")
      failing = false
    } catch (error) {
      // Once, not every second: what is away stays away for a while.
      if (!failing) log("warn", "cannot sweep", { reason: error instanceof Error ? error.message : String(error) })
      failing = true
    }
    if (!stopped) timer = setTimeout(() => void period(periodMs), periodMs)
  }

  return {
    sweep: request,
    start: period,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await Promise.allSettled([running, following])
    },
  }
}
