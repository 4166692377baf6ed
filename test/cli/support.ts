/** `afg` as a program: what it prints and how it ends. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { projectRoot } from "../../orchestrator/setup-record.ts"

const CLI = join(projectRoot, "orchestrator", "cli", "afg.ts")

export type Outcome = { code: number | null; stdout: string; stderr: string }

/** Runs it in `cwd` with `input` on standard input. */
export const afg = (cwd: string, args: readonly string[], input: string | Uint8Array = ""): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", CLI, ...args], { cwd })
    const outcome: Outcome = { code: null, stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      outcome.stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      outcome.stderr += text
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ ...outcome, code }))
    // A command may end without reading what it is given.
    child.stdin.on("error", () => undefined).end(input)
  })
