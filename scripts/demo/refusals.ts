/** Attempts that must fail, and the code each fails with. */
import { ProblemError } from "../../orchestrator/client/transport.ts"
import type { Refusal } from "./summary.ts"

/** What the API answers to a call that must be refused. */
export const refused = async (attempt: string, call: () => Promise<unknown>): Promise<Refusal> => {
  try {
    await call()
  } catch (error) {
    if (error instanceof ProblemError) return { attempt, code: error.code }
    throw error
  }
  throw new Error(`${attempt}: was not refused`)
}
