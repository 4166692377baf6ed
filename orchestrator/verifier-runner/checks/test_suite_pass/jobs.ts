/** What the driver in the container is told, and the layout of the container's input. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type TreeFile, withPrefix } from "../../files/tree.ts"
import { type Canary, makeCanary, type Random } from "./canaries.ts"

/** One process: these files (or test ids), in this order. */
export type Job = { files: string[]; options: readonly string[]; collect: boolean }

/** A job together with what we know about it and the container does not. */
export type PlannedJob = { job: Job; file: string; canaries: Canary[] }

const DRIVER_FILES = ["main", "child", "plugin", "integrity"] as const

const DRIVER: readonly TreeFile[] = DRIVER_FILES.map((name) => ({
  path: `driver/${name}.py`,
  mode: "100644",
  bytes: readFileSync(fileURLToPath(new URL(`driver/${name}.py`, import.meta.url))),
}))

export const DRIVER_COMMAND: readonly string[] = ["/usr/bin/python3", "-s", "-S", "/in/driver/main.py"]

/** Everything below `/in`: the driver, its jobs, the tree with the canaries in it. */
export const inputFiles = (tree: readonly TreeFile[], jobs: readonly PlannedJob[]): TreeFile[] => [
  ...DRIVER,
  { path: "jobs.json", mode: "100644", bytes: Buffer.from(JSON.stringify(jobs.map(({ job }) => job))) },
  ...withPrefix([...tree, ...jobs.flatMap(({ canaries }) => canaries.map(({ file }) => file))], "tree/"),
]

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** A file of the suite (or some of its tests) between two files of canaries. */
export const testJob = (file: string, what: readonly string[], options: readonly string[], random: Random): PlannedJob => {
  const canaries = [makeCanary(folderOf(file), random), makeCanary(folderOf(file), random, 1)]
  const [before, after] = canaries.map((canary) => canary.file.path)
  return { job: { files: [before ?? "", ...what, after ?? ""], options, collect: false }, file, canaries }
}

export const collectJob = (roots: readonly string[], options: readonly string[]): PlannedJob => ({
  job: { files: [...roots], options, collect: true },
  file: "",
  canaries: [],
})
