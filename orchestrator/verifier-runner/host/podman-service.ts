/** The API socket of a Podman that set-up serves itself, where no engine was there. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, openSync } from "node:fs"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { AfgError } from "../../errors.ts"
import { answers } from "./engines.ts"
import { takeLock } from "./lock.mjs"

/** Unix socket addresses hold 107 bytes, and a checkout may lie deeper. */
const LONGEST_SOCKET_PATH = 100

/** The directory of the service's socket, log and process id; one per home. */
export const serviceDirectory = (home: string): string => {
  const near = join(home, "run")
  if (Buffer.byteLength(join(near, "podman.sock")) <= LONGEST_SOCKET_PATH) return near
  return join(tmpdir(), `afg-${createHash("sha256").update(home).digest("hex").slice(0, 12)}`)
}

export const serviceSocket = (home: string): string => join(serviceDirectory(home), "podman.sock")

const pidFile = (home: string): string => join(serviceDirectory(home), "podman.pid")

/** The service's process id when that process is indeed ours. */
const runningService = async (home: string): Promise<number | null> => {
  const pid = Number(await readFile(pidFile(home), "utf8").catch(() => ""))
  if (!(pid > 0)) return null
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
  return commandLine.includes(`unix://${serviceSocket(home)}`) ? pid : null
}

const lastLines = async (file: string): Promise<string> =>
  (await readFile(file, "utf8").catch(() => "")).trim().split("\n").slice(-5).join("\n")

const start = async (home: string, runtime: string | null): Promise<void> => {
  const socket = serviceSocket(home)
  const log = join(serviceDirectory(home), "podman.log")
  await rm(socket, { force: true })
  const output = openSync(log, "w", 0o600)
  const child = spawn(
    "podman",
    [...(runtime === null ? [] : ["--runtime", runtime]), "system", "service", "--time=0", `unix://${socket}`],
    {
      detached: true,
      // conmon leaves a file `oom` where it was started, on hosts with cgroups v1.
      cwd: serviceDirectory(home),
      stdio: ["ignore", output, output],
    },
  )
  const failed = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message))
    child.once("exit", (code) => resolve(`it ended with ${code}`))
  })
  let ended: string | undefined
  failed.then((why) => {
    ended = why
  })
  for (let attempt = 0; ended === undefined && attempt < 300; attempt += 1) {
    if (await answers(socket)) {
      await writeFile(pidFile(home), String(child.pid))
      child.removeAllListeners().unref()
      return
    }
    await delay(50)
  }
  if (ended === undefined && child.pid) process.kill(child.pid, "SIGTERM")
  throw new AfgError(
    "engine-service-failed",
    `podman system service did not answer: ${ended ?? "no answer in 15 s"}\n${await lastLines(log)}`,
  )
}

/** Makes the socket answer, starting Podman when nothing serves it (after a restart of the machine, for one). */
export const ensurePodmanService = async (home: string, runtime: string | null): Promise<{ socket: string; started: boolean }> => {
  const socket = serviceSocket(home)
  if (await answers(socket)) return { socket, started: false }
  await mkdir(serviceDirectory(home), { recursive: true, mode: 0o700 })
  const release = await takeLock(join(serviceDirectory(home), "podman.lock"), { patienceMs: 30_000 })
  try {
    if (await answers(socket)) return { socket, started: false }
    await endService(home)
    await start(home, runtime)
    return { socket, started: true }
  } finally {
    release()
  }
}

const endService = async (home: string): Promise<boolean> => {
  const pid = await runningService(home)
  if (pid === null) return false
  process.kill(pid, "SIGTERM")
  for (let attempt = 0; attempt < 100 && existsSync(`/proc/${pid}`); attempt += 1) {
    if (attempt === 60) process.kill(pid, "SIGKILL")
    await delay(50)
  }
  return true
}

/** Ends the service of this home, if one runs. */
export const stopPodmanService = async (home: string): Promise<boolean> => {
  const ended = await endService(home)
  await rm(serviceSocket(home), { force: true })
  await rm(pidFile(home), { force: true })
  return ended
}
