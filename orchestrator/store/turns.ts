/**
 * Turns at the one session that PGlite has, first come, first served.
 *
 * PGlite answers in microtasks, and so does whoever waits for it: with many waiting, timers and sockets would starve until the last is served.
 * So the session is handed on through the event loop every few milliseconds.
 */
import { setImmediate as loopTurn } from "node:timers/promises"

/** As long as the event loop may stand still. */
const BREATHE_AFTER_MS = 4

export type Turns = {
  /** Waits for the turn. Answers how to end it (once). */
  take: () => Promise<() => void>
  /** One piece of work in a turn of its own. */
  during: <T>(work: () => Promise<T>) => Promise<T>
  /** Lets the event loop turn when it is time; to be called within a long turn. */
  breathe: () => Promise<void>
}

export const createTurns = (): Turns => {
  const waiting: (() => void)[] = []
  let taken = false
  let breathedAt = performance.now()

  const breathe = async (): Promise<void> => {
    if (performance.now() - breathedAt < BREATHE_AFTER_MS) return
    await loopTurn()
    breathedAt = performance.now()
  }
  const take = async (): Promise<() => void> => {
    if (taken) await new Promise<void>((resolve) => waiting.push(resolve))
    taken = true
    await breathe()
    let ended = false
    return () => {
      if (ended) return
      ended = true
      const next = waiting.shift()
      // The next one has the turn from here: whoever asks in between must not slip in.
      if (next === undefined) taken = false
      else next()
    }
  }
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    const end = await take()
    try {
      return await work()
    } finally {
      end()
    }
  }
  return { take, during, breathe }
}
