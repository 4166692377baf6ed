/** What a rule of the linter is: data about a fault, and a pure function that finds it. */
import type { PathSegment } from "../../json/index.ts"
import type { Contract } from "../schema/contract.ts"
import type { LintContext } from "./options.ts"

export type Severity = "reject" | "warn"

/** Where a rule found its fault, and what exactly is wrong. */
export type Problem = { path: readonly PathSegment[]; message: string }

export type RuleText = {
  /** Stable, append-only. */
  readonly code: string
  readonly severity: Severity
  /** What is wrong, in general. */
  readonly what: string
  /** How to fix it. */
  readonly fix: string
}

/** A rule over the members that it needs: it is skipped while one of them is malformed, since that is a fault already. */
export type Rule = RuleText & {
  readonly needs: readonly (keyof Contract)[]
  readonly find: (contract: Contract, context: LintContext) => Iterable<Problem>
}

/** Declares a rule; `find` sees exactly the members in `needs`. */
export const rule = <K extends keyof Contract>(
  text: RuleText,
  needs: readonly K[],
  find: (contract: Pick<Contract, K>, context: LintContext) => Iterable<Problem>,
): Rule => ({ ...text, needs, find })
