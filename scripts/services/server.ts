/** A server of one test run: started on a free port, awaited until it is ready, stopped with everything it wrote. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findProgram } from "../../orchestrator/verifier-runner/host/programs.ts"

export type Server = { url: string; stop: () => Promise<void> }

export type ServerSpec = {
  name: string
  command: string
  args: readonly string[]
  /** User and group to run as, for servers that refuse to be root's. */
  identity?: { uid: number; gid: number } | undefined
  /** A line of its output that says it takes connections. */
  ready: RegExp
  /** How it is asked to stop. */
  signal: NodeJS.Signals
  directory: string
  /** Its environment; ours by default. */
  env?: NodeJS.ProcessEnv
}

const READY_MS = 30_000
const STOP_MS = 10_000

/** A port that was free a moment ago; whoever starts a server on it tries again when it no longer is. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port"))))
    })
  })

export const temporaryDirectory = (name: string): string => mkdtempSync(join(tmpdir(), `afg-${name}-`))

/** A command that the kernel ends when we are gone, however we went: a kill -9 runs no handler of ours. */
export const tied = (command: string, args: readonly string[]): [string, string[]] => {
  const setpriv = process.platform === "linux" ? findProgram("setpriv") : null
  return setpriv === null ? [command, [...args]] : [setpriv, ["--pdeathsig", "TERM", "--", command, ...args]]
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once("close", () => resolve()))

const stop = async (child: ChildProcess, spec: ServerSpec): Promise<void> => {
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS)
  child.kill(spec.signal)
  await ended(child)
  clearTimeout(timer)
  rmSync(spec.directory, { recursive: true, force: true })
}

/** Resolves when the server says that it is ready; rejects with the end of its output when it ends first or takes too long. */
const awaitReady = (child: ChildProcess, spec: ServerSpec): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = ""
    const fail = (why: string) => reject(new Error(`${spec.name} ${why}:\n${output.trim()}`))
    const timer = setTimeout(() => fail(`was not ready in ${READY_MS / 1000} s`), READY_MS)
    const read = (text: string) => {
      output = (output + text).slice(-4000)
      if (!spec.ready.test(output)) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.setEncoding("utf8").on("data", read)
    child.stderr?.setEncoding("utf8").on("data", read)
    child.once("error", (error) => fail(error.message))
    child.once("exit", (code, signal) => {
      clearTimeout(timer)
      fail(`ended with ${signal ?? code}`)
    })
  })

export const startServer = async (spec: ServerSpec): Promise<() => Promise<void>> => {
  const [command, args] = tied(spec.command, spec.args)
  const child = spawn(command, args, {
    cwd: spec.directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: spec.env ?? process.env,
    ...spec.identity,
  })
  try {
    await awaitReady(child, spec)
  } catch (error) {
    await stop(child, spec)
    throw error
  }
  return () => stop(child, spec)
}

/** Starts on one free port after another: between finding a port and using it, someone else may take it. */
export const onFreePort = async (start: (port: number) => Promise<Server>): Promise<Server> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (attempt === 3 || !/in use|bind/i.test(String(error))) throw error
    }
  }
}
