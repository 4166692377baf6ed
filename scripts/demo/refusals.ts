/** Attempts that must fail, and the code each fails with. */
import { ProblemError } from "../../orchestrator/client/transport.ts"
import type { Refusal } from "./summary.ts"

/** Throws unless the attempt is refused with exactly that code: a wrong refusal is as bad as none. */
export const expectRefusal = (attempt: string, expected: string, code: string): Refusal => {
  if (code !== expected) throw new Error(`${attempt}: refused with ${code}, not with ${expected}`)
  return { attempt, code }
}

/** Makes a call to the API that must be refused with that code. */
export const refused = async (attempt: string, expected: string, call: () => Promise<unknown>): Promise<Refusal> => {
  try {
    await call()
  } catch (error) {
    if (error instanceof ProblemError) return expectRefusal(attempt, expected, error.code)
    throw error
  }
  throw new Error(`${attempt}: was not refused`)
}
