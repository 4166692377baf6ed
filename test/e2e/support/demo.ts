/** The demonstration as its reader starts it: a process, of which we see standard output, standard error and what it leaves behind. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { projectRoot, readSetupRecord } from "../../../orchestrator/setup-record.ts"
import { engineApi } from "../../../orchestrator/verifier-runner/engine/api.ts"
import type { DemoSummary } from "../../../scripts/demo/summary.ts"

export type Ended = { code: number | null; stdout: string; stderr: string }

export type Running = {
  child: ChildProcess
  /** Resolves with the first match of a pattern in standard error, as it is written. */
  said: (pattern: RegExp) => Promise<RegExpMatchArray>
  ended: Promise<Ended>
  /** Resolves with the first line of standard output. */
  firstLine: Promise<string>
  /** Resolves when none of its descendants is there any more. */
  gone: () => Promise<void>
  /** Processes that this one and its descendants have started and that are there now. */
  descendants: () => number[]
}

/** Its descendants inherit this variable, and so they can be told from everyone else's processes. */
const MARK = "AFG_TEST_MARK"

/** Nobody announces the end of another's processes: it has to be looked for, this long at most. */
const GONE_MS = 15_000

const environmentOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8")
  } catch {
    // It has ended, or belongs to someone else.
    return ""
  }
}

const marked = (mark: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).split("\0").includes(`${MARK}=${mark}`))
    .map(Number)

/** Runs `afg …` in a process of its own. */
export const startAfg = (args: readonly string[], env: Record<string, string | undefined> = {}, cwd = projectRoot): Running => {
  const mark = randomUUID()
  const cli = join(projectRoot, "orchestrator", "cli", "afg.ts")
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", cli, ...args], {
    cwd,
    env: { ...process.env, REDIS_URL: undefined, ...env, [MARK]: mark },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let stdout = ""
  let stderr = ""
  const waiting = new Set<() => void>()
  const { promise: firstLine, resolve: hasLine, reject: noLine } = Promise.withResolvers<string>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    const end = stdout.indexOf("\n")
    if (end >= 0) hasLine(stdout.slice(0, end))
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
    for (const look of waiting) look()
  })
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })))
  void ended.then(() => noLine(new Error(`it ended without a line:\n${stderr}`)))
  // Whoever does not ask for a line is not told that there was none.
  firstLine.catch(() => undefined)
  return {
    child,
    firstLine,
    gone: async () => {
      const deadline = performance.now() + GONE_MS
      while (marked(mark).length > 0) {
        if (performance.now() > deadline) throw new Error(`still there: ${marked(mark).join(", ")}`)
        await delay(100)
      }
    },
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = stderr.match(pattern)
          if (match === null) return
          waiting.delete(look)
          resolve(match)
        }
        waiting.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended without saying ${pattern}:\n${stderr}`)))
      }),
    ended,
    descendants: () => marked(mark),
  }
}

/** The summary on standard output, which must hold that one document and nothing else. */
export const summaryOf = ({ code, stdout, stderr }: Ended): DemoSummary => {
  if (code !== 0) throw new Error(`it ended with ${code}: ${stdout}\n${stderr}`)
  return JSON.parse(stdout) as DemoSummary
}

type ReadyLine = { ready: true; api: string; pid: number }

/** What each start of the orchestrator said when it was ready. */
export const orchestratorStarts = (dataDir: string): ReadyLine[] =>
  readFileSync(join(dataDir, "logs", "orchestrator.log"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"ready":true'))
    .map((line) => JSON.parse(line) as ReadyLine)

/** Containers and volumes that an orchestrator of this data directory made and that are still there. */
export const containersOf = async (dataDir: string): Promise<string[]> => {
  const { engine } = readSetupRecord()
  if (engine === null) throw new Error("set-up has chosen no container engine")
  const pids = orchestratorStarts(dataDir).map(({ pid }) => String(pid))
  const { containers, volumes } = await (await engineApi(engine)).leftovers()
  return [...containers, ...volumes].filter(({ owner }) => pids.includes(owner.split(":")[1] ?? "")).map(({ id }) => id)
}
