/** Labels that say whose a container is, so that leftovers of a runner that died can be told from those of one that works. */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

export const OWNER_LABEL = "afg.runner.owner"
export const NAME_PREFIX = "afg-check-"

const startTime = (pid: number | "self"): string | undefined => {
  try {
    // Fields after the command's closing bracket; the 22nd of all is the start time in ticks since boot.
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")[19]
  } catch {
    return undefined
  }
}

const bootId = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return "no-boot-id"
  }
}

/** `boot:pid:start`: names one process for as long as the machine runs. */
export const ownerOf = (pid = process.pid): string => `${bootId()}:${pid}:${startTime(pid) ?? "?"}`

/** Whether the process that an owner label names is still there. */
export const ownerLives = (owner: string): boolean => {
  const [boot, pid, start] = owner.split(":")
  return boot === bootId() && start !== undefined && startTime(Number(pid)) === start
}

export const freshName = (): string => `${NAME_PREFIX}${randomBytes(8).toString("hex")}`
