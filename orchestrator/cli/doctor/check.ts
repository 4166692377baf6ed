/** One thing that `afg doctor` looks at. */
import { isAfgError } from "../../errors.ts"

export type CheckResult = {
  name: string
  ok: boolean
  /** What was found, in one line. */
  detail: string
  /** What to do about it. */
  fix?: string
}

export type Env = Readonly<Record<string, string | undefined>>

/** Runs one check; whatever it throws is what is wrong. */
export const check = async (name: string, fix: string, look: () => Promise<string> | string): Promise<CheckResult> => {
  try {
    return { name, ok: true, detail: await look() }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { name, ok: false, detail: isAfgError(error) ? `${error.code}: ${message}` : message, fix }
  }
}
