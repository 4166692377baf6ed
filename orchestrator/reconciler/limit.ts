/** So many at a time; the others wait their turn. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

export const createLimit = (atOnce: number): Limit => {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The place passes on, or is free.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
