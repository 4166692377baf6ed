/**
 * Child processes of a local network: started with a ready line, supervised, stopped together.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs"
import { dirname } from "node:path"
import { createInterface } from "node:readline"
import { AfgError, type ErrorTable, isAfgError } from "../../orchestrator/errors.ts"
import { tied } from "../services/server.ts"

export const ERRORS = {
  "process-failed": {
    status: 500,
    what: "A process of the local network ended or did not become ready.",
    recovery: "Read the log file that the message names.",
  },
} as const satisfies ErrorTable

export type ProcessSpec = {
  name: string
  /** Script and arguments; run with this process's own Node unless `command` is set. */
  args: readonly string[]
  command?: string
  env?: Record<string, string | undefined>
  /** Where it runs. Default: here. */
  cwd?: string
  logFile: string
  /** Called with each line of stdout until it returns true: the process is ready. Default: the first JSON line. */
  ready?: (line: string) => boolean
  readyTimeoutMs?: number
}

export type ManagedProcess = {
  readonly name: string
  readonly pid: number
  /** The line that said it was ready. */
  readonly readyLine: string
  /** Resolves when the process has ended. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** SIGTERM, then SIGKILL after `graceMs`. */
  stop: (graceMs?: number) => Promise<void>
}

const isJsonLine = (line: string): boolean => line.startsWith("{")

const openLog = (file: string): WriteStream => {
  mkdirSync(dirname(file), { recursive: true })
  return createWriteStream(file, { flags: "a" })
}

/** Ends a child and waits for it: SIGTERM first, so that it can end its own children. */
const stopChild = async (child: ChildProcess, exited: Promise<unknown>, graceMs: number): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs)
  await exited
  clearTimeout(timer)
}

/** Starts a process and waits until it says that it is ready. Throws `process-failed`. */
export const startProcess = async (spec: ProcessSpec): Promise<ManagedProcess> => {
  const log = openLog(spec.logFile)
  const [command, args] = tied(spec.command ?? process.execPath, spec.args)
  const child = spawn(command, args, {
    cwd: spec.cwd,
    env: { ...process.env, ...spec.env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }))
    child.once("error", () => resolve({ code: null, signal: null }))
  })
  child.stderr?.pipe(log, { end: false })

  const isReady = spec.ready ?? isJsonLine
  const readyLine = await new Promise<string>((resolve, reject) => {
    const fail = (why: string, signal: NodeJS.Signals | null = null) =>
      reject(new AfgError("process-failed", `${spec.name} ${why}; its log is ${spec.logFile}`, { details: { signal } }))
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      fail("was not ready in time")
    }, spec.readyTimeoutMs ?? 180_000)
    let ready = false
    child.once("error", (error) => fail(`could not be started: ${error.message}`))
    child.once("exit", (code, signal) => {
      clearTimeout(timer)
      if (!ready) fail(`ended before it was ready (${signal ?? `exit ${code}`})`, signal)
    })
    if (child.stdout === null) return
    createInterface({ input: child.stdout }).on("line", (line) => {
      log.write(`${line}\n`)
      if (ready || !isReady(line)) return
      ready = true
      clearTimeout(timer)
      resolve(line)
    })
  })

  return {
    name: spec.name,
    pid: child.pid ?? -1,
    readyLine,
    exited,
    stop: (graceMs = 5_000) => stopChild(child, exited, graceMs),
  }
}

export type Supervised = {
  readonly current: () => ManagedProcess
  /** Stops the process and its supervision. */
  stop: () => Promise<void>
}

export type SupervisedSpec = ProcessSpec & {
  /** What the environment has besides at the nth start, 0 being the first. */
  envOfStart?: (start: number) => Record<string, string | undefined>
}

/** Starts in a row that may be cut short by a kill before the process was ready; one that ends by itself is not started again. */
const MOST_KILLED_STARTS = 10

const wasKilled = (error: unknown): boolean => isAfgError(error) && typeof error.details?.signal === "string"

/** Keeps a process running: when it dies it is started again, as a service manager would. */
export const supervise = async (
  spec: SupervisedSpec,
  onRestart: (ended: { code: number | null; signal: NodeJS.Signals | null }) => void,
): Promise<Supervised> => {
  let starts = 0
  let stopping = false
  const start = async (): Promise<ManagedProcess> => {
    for (let killed = 1; ; killed += 1) {
      try {
        return await startProcess({ ...spec, env: { ...spec.env, ...spec.envOfStart?.(starts++) } })
      } catch (error) {
        if (stopping || killed === MOST_KILLED_STARTS || !wasKilled(error)) throw error
        onRestart({ code: null, signal: "SIGKILL" })
      }
    }
  }
  let current = await start()
  const watch = async (): Promise<void> => {
    while (!stopping) {
      const ended = await current.exited
      if (stopping) return
      onRestart(ended)
      current = await start()
    }
  }
  // A process that cannot be started again ends the watch; the next call to it fails with what it logs.
  const watching = watch().catch(() => undefined)
  return {
    current: () => current,
    stop: async () => {
      stopping = true
      await current.stop()
      await watching
      // What was being started meanwhile is stopped too.
      await current.stop()
    },
  }
}
