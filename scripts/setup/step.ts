/** How set-up speaks: on standard error, a line when something begins and one when it is done. */

export type Say = (text: string) => void
/** Runs what has to be done, saying what and how long it took. */
export type Step = <T>(what: string, work: () => Promise<T>) => Promise<T>

export const say: Say = (text) => {
  process.stderr.write(`setup: ${text}\n`)
}

export const step: Step = async (what, work) => {
  const started = performance.now()
  say(`${what} …`)
  const result = await work()
  say(`${what}: done in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return result
}

/** Something that set-up cannot do; `advice` has the exact commands for the user. */
export class SetupFailure extends Error {
  override readonly name = "SetupFailure"
  readonly advice: string

  constructor(message: string, advice: string) {
    super(message)
    this.advice = advice
  }
}
