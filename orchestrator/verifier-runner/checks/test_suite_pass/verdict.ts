/** From the runs with the patch to the check's status: who had to pass, and who did. */
import type { Case } from "../check.ts"
import type { CandidateRun } from "./candidate-run.ts"

export type Requirements = {
  /** Ids, or all of the visible suite. */
  mustPass: "all" | readonly string[]
  targets: readonly string[]
}

export type SuiteVerdict = {
  visible: Case[]
  hidden: Case[]
  /** Required tests that did not pass. */
  failed: { visible: string[]; hidden: string[] }
  targets: Map<string, string>
}

const PASSED = "passed"
const ON_RERUN = "passed-on-rerun"

/** A visible test that is no target may pass in any of the runs; everything else must in each. */
const merged = (runs: readonly CandidateRun[], targets: ReadonlySet<string>): Case[] => {
  const [first, ...later] = runs
  return (first?.visible ?? []).map(([id, outcome]) => {
    const others = later.flatMap(({ visible }) => visible.filter(([other]) => other === id).map(([, other]) => other))
    if (targets.has(id)) return [id, [outcome, ...others].find((one) => one !== PASSED) ?? PASSED] as const
    return [id, outcome !== PASSED && others.includes(PASSED) ? ON_RERUN : outcome] as const
  })
}

const strict = (runs: readonly CandidateRun[]): Case[] => {
  const [first, ...later] = runs
  return (first?.hidden ?? []).map(([id, outcome]) => {
    const others = later.flatMap(({ hidden }) => hidden.filter(([other]) => other === id).map(([, other]) => other))
    return [id, [outcome, ...others].find((one) => one !== PASSED) ?? PASSED] as const
  })
}

const hasPassed = (outcome: string): boolean => outcome === PASSED || outcome === ON_RERUN

/** Whether a required id is among the cases: itself, or as cases of a test whose parameters were not known before. */
const outcomesFor = (cases: readonly Case[], id: string): string[] => {
  const found = cases.filter(([other]) => other === id || other.startsWith(`${id}[`)).map(([, outcome]) => outcome)
  return found.length === 0 ? ["missing"] : found
}

export const suiteVerdict = (runs: readonly CandidateRun[], { mustPass, targets }: Requirements): SuiteVerdict => {
  const targetSet = new Set(targets)
  const visible = merged(runs, targetSet)
  const hidden = strict(runs)
  const required = mustPass === "all" ? visible.map(([id]) => id) : [...new Set([...mustPass, ...targets])]
  return {
    visible,
    hidden,
    failed: {
      visible: required.filter((id) => !outcomesFor(visible, id).every(hasPassed)),
      hidden: hidden.filter(([, outcome]) => !hasPassed(outcome)).map(([id]) => id),
    },
    targets: new Map(targets.map((id) => [id, outcomesFor(visible, id).find((outcome) => outcome !== PASSED) ?? PASSED])),
  }
}

/** Whether another run could turn a failure into a pass: nothing but visible tests that are no targets has failed. */
export const mayRerun = (run: CandidateRun, verdict: SuiteVerdict, targets: readonly string[]): boolean =>
  run.stopped === null &&
  run.problems.length === 0 &&
  verdict.failed.hidden.length === 0 &&
  verdict.failed.visible.length > 0 &&
  verdict.failed.visible.every((id) => !targets.includes(id))
