/** One check, with retries of what is nobody's fault. */
import type { Check, Contract } from "../../contract/index.ts"
import { isAfgError } from "../../errors.ts"
import type { UnixSeconds } from "../../types.ts"
import { type CheckContext, CheckError, type CheckReport } from "../checks/check.ts"
import { kindOf } from "../checks/registry.ts"

export type FinishedCheck = { check: Check; report: CheckReport; started_at: UnixSeconds; finished_at: UnixSeconds; attempts: number }

/** A first run and two more, and these only after an `error` that another run may not have. */
export const MOST_ATTEMPTS = 3

const errorReport = (context: CheckContext, code: string, message: string): CheckReport => ({
  status: "error",
  summary: { code, detail: message.slice(0, 1_000) },
  cases: [],
  counts: {},
  input_hashes: { deliverable: context.deliverable.sha256 },
  outputs: [],
})

/** Faults that may be over at the next try. */
const PASSING = /^(?:engine|container)-/

type Attempt = { report: CheckReport; retry: boolean }

/** Whatever is thrown is the verifier's fault: no way leads from here to pass or fail. */
const attempt = async (check: Check, contract: Contract, context: CheckContext): Promise<Attempt> => {
  const kind = kindOf(check)
  if (kind === undefined) return { report: errorReport(context, "check-unavailable", `this verifier has no ${check.type}`), retry: false }
  const [unsupported] = kind.unsupported(check, contract)
  if (unsupported) return { report: errorReport(context, unsupported.code, unsupported.message), retry: false }
  try {
    return { report: await kind.run(check, context), retry: false }
  } catch (error) {
    if (isAfgError(error) && error.code === "run-aborted") throw error
    if (error instanceof CheckError) return { report: errorReport(context, error.code, error.message), retry: error.retry }
    if (isAfgError(error)) return { report: errorReport(context, error.code, error.message), retry: PASSING.test(error.code) }
    return { report: errorReport(context, "internal", error instanceof Error ? error.message : String(error)), retry: false }
  }
}

export const runCheck = async (
  check: Check,
  contract: Contract,
  context: CheckContext,
  clock: () => UnixSeconds,
): Promise<FinishedCheck> => {
  const started_at = clock()
  for (let attempts = 1; ; attempts += 1) {
    const { report, retry } = await attempt(check, contract, context)
    if (!retry || attempts === MOST_ATTEMPTS) return { check, report, started_at, finished_at: clock(), attempts }
    context.progress(`${check.check_id}: ${report.summary.code}; trying again`)
  }
}

/** AFG §8.2: a fail takes precedence over errors; without a fail, one error is enough to know nothing. */
export const overallVerdict = (statuses: readonly CheckReport["status"][]): "PASS" | "FAIL" | "INCONCLUSIVE" => {
  if (statuses.includes("fail")) return "FAIL"
  return statuses.length > 0 && statuses.every((status) => status === "pass") ? "PASS" : "INCONCLUSIVE"
}
