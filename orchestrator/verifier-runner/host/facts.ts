/** What this host lets containers do. */
import { existsSync, readFileSync } from "node:fs"
import type { EngineRecord } from "../../setup-record.ts"

/** `v2` has one unified tree; `hybrid` a unified tree beside the controllers' old ones; `v1` only those. */
export const cgroupLayout = (exists: (path: string) => boolean = existsSync): EngineRecord["cgroup"] => {
  if (exists("/sys/fs/cgroup/cgroup.controllers")) return "v2"
  return exists("/sys/fs/cgroup/unified/cgroup.procs") ? "hybrid" : "v1"
}

/** Most a check needs; a host may allow less. */
const WANTED: Readonly<Record<string, { line: string; most: number }>> = {
  nofile: { line: "Max open files", most: 4096 },
  nproc: { line: "Max processes", most: 4096 },
}

/**
 * Explicit limits that never exceed the host's hard ones (`/proc/self/limits`): an engine's own defaults may, and then
 * no container starts where the engine lacks CAP_SYS_RESOURCE.
 */
export const containerUlimits = (limits: string = readLimits()): EngineRecord["ulimits"] =>
  Object.entries(WANTED).map(([name, { line, most }]) => {
    const row = limits.split("\n").find((text) => text.startsWith(line))
    const hard = Number(row?.slice(line.length).trim().split(/\s+/)[1])
    const limit = Number.isFinite(hard) ? Math.min(hard, most) : most
    return { name, soft: limit, hard: limit }
  })

const readLimits = (): string => {
  try {
    return readFileSync("/proc/self/limits", "utf8")
  } catch {
    return ""
  }
}
