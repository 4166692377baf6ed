/** Before the patch: which tests there are, and that the targets fail. Nothing of the deliverable is in this container. */
import type { TreeFile } from "../../files/tree.ts"
import { type CheckContext, CheckError } from "../check.ts"
import type { Random } from "./canaries.ts"
import type { TestCommand } from "./command.ts"
import type { JobAnswer } from "./driver-output.ts"
import { collectionRoots, type Expectation, expectationOf } from "./expectation.ts"
import { collectJob, type PlannedJob, testJob } from "./jobs.ts"
import { judgeFile } from "./judge.ts"
import { answersTo, runJobs } from "./suite-run.ts"

export type Suites = { visible: readonly TreeFile[]; hidden: readonly TreeFile[] }

export type BaseRun = {
  visible: Expectation
  hidden: Expectation | null
  /** How each target ended: `failed`, `error`, or `missing` where its file cannot be imported yet. */
  targets: Map<string, string>
  answers: JobAnswer[]
}

export type BaseInput = {
  image: string
  timeout_s: number
  tree: readonly TreeFile[]
  suites: Suites
  command: TestCommand
  targets: readonly string[]
  random: Random
}

const byFile = (ids: readonly string[]): Map<string, string[]> => {
  const files = new Map<string, string[]>()
  for (const id of ids) {
    const file = id.split("::")[0] ?? id
    files.set(file, [...(files.get(file) ?? []), id])
  }
  return files
}

const paths = (files: readonly TreeFile[]): string[] => files.map(({ path }) => path)

/** Throws {@link CheckError} when the pinned suite cannot be used, or a target does not fail. */
export const runBase = async (context: CheckContext, input: BaseInput): Promise<BaseRun> => {
  const { suites, command, targets, random } = input
  const targetFiles = byFile(targets)
  const jobs: PlannedJob[] = [
    collectJob(collectionRoots(paths(suites.visible), command.paths), command.options),
    ...(suites.hidden.length > 0 ? [collectJob(collectionRoots(paths(suites.hidden), []), command.options)] : []),
  ]
  const firstTarget = jobs.length
  for (const [file, ids] of targetFiles) jobs.push(testJob(file, ids, command.options, random))
  const run = await runJobs(context, { ...input, jobs })
  if (run.kind === "stopped") throw new CheckError("base-run-failed", `before the patch: ${run.detail}`)
  const visible = expectationOf(answersTo(run.answers, 0), new Set(paths(suites.visible)), "suite")
  const hidden = suites.hidden.length > 0 ? expectationOf(answersTo(run.answers, 1), new Set(paths(suites.hidden)), "hidden suite") : null
  const known = new Map(visible.files.flatMap(({ tests }) => tests.map((test) => [test.id, test])))
  const found = new Map<string, string>()
  for (const [index, [file, ids]] of [...targetFiles].entries()) {
    const planned = jobs[firstTarget + index]
    const [answer] = answersTo(run.answers, firstTarget + index)
    if (planned === undefined || answer === undefined) throw new CheckError("driver-failed", "a job has no answer", true)
    for (const id of ids) if (!known.has(id)) throw new CheckError("target-unknown", `there is no test ${id} in the suite`)
    const { cases, problems } = judgeFile(planned, { file, tests: ids.map((id) => ({ id, exact: true })) }, answer)
    const serious = problems.find(({ code }) => code !== "process_died" && code !== "test_missing")
    if (serious) throw new CheckError("suite-unusable", `before the patch: ${file}: ${serious.code}: ${serious.detail}`)
    for (const [id, outcome] of cases) found.set(id, outcome)
  }
  for (const id of targets) if (found.get(id) === "passed") throw new CheckError("target-not-failing", `${id} passes before the patch`)
  return { visible, hidden, targets: found, answers: run.answers }
}
