/**
 * Answers that are here now or come later. Keys and replay state in memory answer at once, and a verification that never
 * has to wait should not pay for a dozen promises; databases and services answer later.
 */
export type Sooner<T> = T | Promise<T>

/** Goes on with the value, at once where it is here. */
export const whenKnown = <T, R>(value: Sooner<T>, next: (value: T) => Sooner<R>): Sooner<R> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Turns a failure, now or later, into a value. */
export const attempt = <T>(act: () => Sooner<T>, failed: (cause: unknown) => T): Sooner<T> => {
  try {
    const value = act()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (cause) {
    return failed(cause)
  }
}
