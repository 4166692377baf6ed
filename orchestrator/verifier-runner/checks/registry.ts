/** The check types that this verifier runs. A type is a folder beside this file and one line here. */
import type { Check, CheckType, Contract } from "../../contract/index.ts"
import { type AnyCheckKind, erased } from "./check.ts"
import { hashMatch } from "./hash_match/index.ts"
import { testSuitePass } from "./test_suite_pass/index.ts"

const KINDS: readonly AnyCheckKind[] = [erased(testSuitePass), erased(hashMatch)]

const byType = new Map(KINDS.map((kind) => [kind.type, kind]))

/** Types that this verifier can run. A contract with any other must be refused before it is funded. */
export const RUNNABLE_CHECKS: ReadonlySet<CheckType> = new Set(byType.keys())

export const kindOf = (check: Check): AnyCheckKind | undefined => byType.get(check.type)

/** A check that this verifier cannot run. `path` points into the contract. */
export type UnsupportedCheck = { code: string; path: string; message: string }

/** What of a contract this verifier cannot run, before anything is funded; empty when it can run all. */
export const unsupportedChecks = (contract: Contract): UnsupportedCheck[] =>
  contract.acceptance.checks.flatMap((check, index) => {
    const path = `/acceptance/checks/${index}`
    const kind = kindOf(check)
    if (!kind) return [{ code: "check-unavailable", path: `${path}/type`, message: `this verifier has no ${check.type}` }]
    return kind.unsupported(check, contract).map((one) => ({ ...one, path: path + one.path }))
  })
