/** Whether the kernel killed something in a container for want of memory, by the cgroup's own count. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"

const CGROUPS = "/sys/fs/cgroup"

/** `0::/path` (unified) and `4:memory:/path` (v1) of `/proc/<pid>/cgroup`, as files that count OOM kills; the memory controller's first. */
export const oomCounterFiles = (cgroups: string): string[] => {
  const lines = cgroups
    .trim()
    .split("\n")
    .map((line) => /^\d+:([^:]*):(\/.*)$/.exec(line))
  const v1 = lines.flatMap((match) => (match?.[1]?.split(",").includes("memory") && match[2] ? [match[2]] : []))
  const v2 = lines.flatMap((match) => (match?.[1] === "" && match[2] ? [match[2]] : []))
  return [
    ...v1.map((path) => join(CGROUPS, "memory", path, "memory.oom_control")),
    ...v2.flatMap((path) => [join(CGROUPS, path, "memory.events"), join(CGROUPS, "unified", path, "memory.events")]),
  ]
}

/** `oom_kill 3` in either file's format. */
export const oomKills = (counter: string): number | undefined => {
  const count = /^oom_kill (\d+)$/m.exec(counter)?.[1]
  return count === undefined ? undefined : Number(count)
}

/** Undefined where this process cannot see the container's cgroup (an engine in a virtual machine, for one). */
export const readOomKills = async (pid: number): Promise<number | undefined> => {
  if (!(pid > 1)) return undefined
  const cgroups = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "")
  for (const file of oomCounterFiles(cgroups)) {
    const kills = oomKills(await readFile(file, "utf8").catch(() => ""))
    if (kills !== undefined) return kills
  }
  return undefined
}
