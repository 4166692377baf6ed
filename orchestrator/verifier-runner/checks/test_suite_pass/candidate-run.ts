/** With the patch: every file of both suites in a process of its own, and again where the contract allows for flaky tests. */
import type { TreeFile } from "../../files/tree.ts"
import { type Case, type CheckContext, CheckError } from "../check.ts"
import type { Random } from "./canaries.ts"
import type { JobAnswer } from "./driver-output.ts"
import type { Expectation, ExpectedFile } from "./expectation.ts"
import { type PlannedJob, testJob } from "./jobs.ts"
import { type FileResult, judgeFile, type RunProblem } from "./judge.ts"
import { answersTo, runJobs, type SuiteRun } from "./suite-run.ts"

export type CandidateInput = {
  image: string
  timeout_s: number
  tree: readonly TreeFile[]
  visible: Expectation
  hidden: Expectation | null
  options: readonly string[]
  random: Random
}

export type CandidateRun = {
  visible: Case[]
  hidden: Case[]
  problems: RunProblem[]
  stopped: Extract<SuiteRun, { kind: "stopped" }> | null
  answers: { file: string; hidden: boolean; answer: JobAnswer }[]
}

type Planned = { planned: PlannedJob; expected: ExpectedFile; hidden: boolean }

const plan = ({ visible, hidden, options, random }: CandidateInput): Planned[] =>
  [
    ...visible.files.map((expected) => ({ expected, hidden: false })),
    ...(hidden?.files ?? []).map((expected) => ({ expected, hidden: true })),
  ].map(({ expected, hidden: isHidden }) => ({
    planned: testJob(expected.file, [expected.file], options, random),
    expected,
    hidden: isHidden,
  }))

const unreported = (expected: ExpectedFile): FileResult => ({
  file: expected.file,
  cases: expected.tests.map(({ id }) => [id, "missing"] as const),
  problems: [],
})

/** One whole run. */
export const runCandidate = async (context: CheckContext, input: CandidateInput): Promise<CandidateRun> => {
  const all = plan(input)
  const run = await runJobs(context, { ...input, jobs: all.map(({ planned }) => planned) })
  const answers: CandidateRun["answers"] = []
  const results = all.map(({ planned, expected, hidden }, index) => {
    const [answer] = answersTo(run.answers, index)
    if (answer === undefined) {
      if (run.kind === "complete") throw new CheckError("driver-failed", "a job has no answer", true)
      return { hidden, ...unreported(expected) }
    }
    answers.push({ file: expected.file, hidden, answer })
    return { hidden, ...judgeFile(planned, expected, answer) }
  })
  const casesOf = (hidden: boolean): Case[] => results.filter((result) => result.hidden === hidden).flatMap(({ cases }) => cases)
  return {
    visible: casesOf(false),
    hidden: casesOf(true),
    // A run that was stopped lacks results for that reason alone.
    problems: results.flatMap(({ problems }) => problems),
    stopped: run.kind === "stopped" ? run : null,
    answers,
  }
}
