/** Runs a program of this project to its end. */
import { spawn } from "node:child_process"
import { projectRoot } from "../../../orchestrator/setup-record.ts"

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type RunOptions = { env?: NodeJS.ProcessEnv; cwd?: string; onOutput?: (text: string, pid: number) => void }

/** `node ARGS…`, with this process's Node. */
export const runNode = (args: readonly string[], { env = process.env, cwd = projectRoot, onOutput }: RunOptions = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    // The outer test runner's variable would make an inner one report to it instead of printing.
    const { NODE_TEST_CONTEXT: _, ...rest } = env
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
      cwd,
      env: rest,
      stdio: ["ignore", "pipe", "pipe"],
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      onOutput?.(stdout + stderr, child.pid ?? 0)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
      onOutput?.(stdout + stderr, child.pid ?? 0)
    })
    child.once("error", reject)
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
