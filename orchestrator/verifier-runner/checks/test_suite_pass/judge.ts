/** From what the driver said about a run to what happened to every expected test. */
import type { Case } from "../check.ts"
import type { DriverRecord, JobAnswer } from "./driver-output.ts"
import { type ExpectedFile, isExpected } from "./expectation.ts"
import type { PlannedJob } from "./jobs.ts"
import { junitNameOf, readJunit } from "./junit.ts"

/** Something that no correct deliverable does, in order of weight. */
export type RunProblem = {
  code: "runner_changed" | "report_changed" | "report_invalid" | "process_died" | "duplicate_result" | "test_missing"
  file: string
  detail: string
}

export type FileResult = {
  file: string
  cases: Case[]
  problems: RunProblem[]
}

type Of<K extends DriverRecord["kind"]> = Extract<DriverRecord, { kind: K }>
const only = <K extends DriverRecord["kind"]>(answer: JobAnswer, kind: K): Of<K>[] =>
  answer.records.filter((record): record is Of<K> => record.kind === kind)

/** Pytest's exit codes of a session that ran its tests. */
const RAN: readonly number[] = [0, 1]

const outcomesOf = (answer: JobAnswer): { outcomes: Map<string, string>; twice: string[] } => {
  const outcomes = new Map<string, string>()
  const twice: string[] = []
  for (const { id, outcome } of only(answer, "outcome")) {
    if (outcomes.has(id)) twice.push(id)
    outcomes.set(id, outcome)
  }
  return { outcomes, twice }
}

const reportProblem = (answer: JobAnswer, outcomes: ReadonlyMap<string, string>): RunProblem["code"] | string | undefined => {
  const [sent, ...more] = only(answer, "report")
  if (answer.report === null || sent === undefined || more.length > 0) return "the run left no report"
  if (sent.sha256 !== answer.report_sha256) return "report_changed"
  const report = readJunit(answer.report)
  if ("problem" in report) return report.problem
  const reported = new Map(report.cases.map(({ classname, name, outcome }) => [`${classname}\0${name}`, outcome]))
  for (const [id, outcome] of outcomes) {
    const { classname, name } = junitNameOf(id)
    const key = `${classname}\0${name}`
    const inReport = reported.get(key)
    reported.delete(key)
    // Pytest writes some teardown errors beside a case's outcome; a pass must be a pass in both.
    if (inReport === undefined || (outcome === "passed") !== (inReport === "passed")) return `the report and the run differ about ${id}`
  }
  // A file that could not be collected is a case of its own there, but never one that passed.
  return [...reported.values()].includes("passed") ? "the report has cases that were not run" : undefined
}

const canaryProblem = (planned: PlannedJob, outcomes: ReadonlyMap<string, string>): string | undefined => {
  for (const { ids } of planned.canaries)
    for (const id of ids) {
      const outcome = outcomes.get(id)
      if (outcome !== "failed")
        return outcome === undefined ? "a test that must fail was not run" : `a test that must fail is reported as ${outcome}`
    }
  return undefined
}

/** What happened in one job of the suite. Expected tests that were not reported are cases too: `missing`. */
export const judgeFile = (planned: PlannedJob, expected: ExpectedFile, answer: JobAnswer): FileResult => {
  const { file } = planned
  const problems: RunProblem[] = []
  const problem = (code: RunProblem["code"], detail: string) => problems.push({ code, file, detail })
  const { outcomes, twice } = outcomesOf(answer)
  const changed = [...new Set(only(answer, "tampered").flatMap(({ names }) => names))]
  if (changed.length > 0) problem("runner_changed", changed.slice(0, 20).join(", "))
  const [end, ...more] = only(answer, "end")
  const finished = end !== undefined && more.length === 0 && answer.clean && answer.exit === 0
  if (!answer.clean) problem("report_changed", "something else wrote to the result channel")
  if (twice.length > 0) problem("duplicate_result", twice.slice(0, 20).join(", "))
  if (!finished)
    problem("process_died", answer.signal === null ? `it ended with ${answer.exit} before its last test` : `signal ${answer.signal}`)
  else if (RAN.includes(end.exit)) {
    const canary = canaryProblem(planned, outcomes)
    if (canary !== undefined && changed.length === 0) problem("runner_changed", canary)
    const report = reportProblem(answer, outcomes)
    if (report === "report_changed") problem("report_changed", "the report is not the one that the run wrote")
    else if (report !== undefined) problem("report_invalid", report)
  }
  const canaries = new Set(planned.canaries.flatMap(({ ids }) => ids))
  const cases: Case[] = [...outcomes].filter(([id]) => !canaries.has(id))
  const missing = expected.tests.filter((test) => !cases.some(([id]) => isExpected(test, id)))
  for (const { id } of missing) cases.push([id, "missing"])
  if (missing.length > 0 && finished && RAN.includes(end.exit))
    problem(
      "test_missing",
      missing
        .slice(0, 20)
        .map(({ id }) => id)
        .join(", "),
    )
  return { file, cases, problems }
}
