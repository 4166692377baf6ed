/** One container in which jobs run, and what came of each. */
import { DEFAULT_LIMITS, type Limits } from "../../engine/types.ts"
import type { TreeFile } from "../../files/tree.ts"
import { type CheckContext, CheckError } from "../check.ts"
import { type JobAnswer, readDriverOutput } from "./driver-output.ts"
import { DRIVER_COMMAND, inputFiles, type PlannedJob } from "./jobs.ts"

export type SuiteRun =
  | { kind: "complete"; answers: JobAnswer[] }
  /** Ended by what ran in it. */
  | { kind: "stopped"; code: "timeout" | "out_of_memory" | "output_limit" | "runner_killed"; detail: string; answers: JobAnswer[] }

const KILLED = 128
/** The driver's output has every file's report and the beginning of its log. */
const LIMITS: Limits = { ...DEFAULT_LIMITS, output_bytes: 256 * 1024 ** 2 }

/** Runs jobs over a tree. Throws {@link CheckError} when the verifier itself is at fault, or the engine's own errors. */
export const runJobs = async (
  context: CheckContext,
  options: { image: string; timeout_s: number; tree: readonly TreeFile[]; jobs: readonly PlannedJob[] },
): Promise<SuiteRun> => {
  const outcome = await context.engine.run({
    image: options.image,
    command: DRIVER_COMMAND,
    files: inputFiles(options.tree, options.jobs),
    limits: LIMITS,
    timeout_s: options.timeout_s,
    signal: context.signal,
  })
  const output = readDriverOutput(outcome)
  const answers = output?.answers ?? []
  const stopped = (code: Extract<SuiteRun, { kind: "stopped" }>["code"], detail: string): SuiteRun => ({
    kind: "stopped",
    code,
    detail,
    answers,
  })
  if (outcome.out_of_memory) return stopped("out_of_memory", `more than ${LIMITS.memory_bytes} bytes of memory`)
  if (outcome.end.kind === "timeout") return stopped("timeout", `not done in ${options.timeout_s} s`)
  if (outcome.end.kind === "output-limit") return stopped("output_limit", `more than ${LIMITS.output_bytes} bytes of output`)
  // Only what runs in the container can end the driver by a signal.
  if (outcome.end.code > KILLED) return stopped("runner_killed", `signal ${outcome.end.code - KILLED} ended the test driver`)
  if (output === null || !output.complete || outcome.end.code !== 0) {
    const words = outcome.stderr.toString("utf8").trim().split("\n").at(-1) ?? ""
    throw new CheckError("driver-failed", `the test driver ended with ${outcome.end.code}: ${words.slice(0, 500)}`, true)
  }
  return { kind: "complete", answers }
}

/** The answers to one job, of which a collecting job has several. */
export const answersTo = (answers: readonly JobAnswer[], job: number): JobAnswer[] => answers.filter((answer) => answer.job === job)
