/** Inputs as a person lays them down for `--inputs` and `--reveal`: files or folders named after the input, or by its sha256. */
import { lstat, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { type RawInput, readFolder } from "../verifier-runner/index.ts"
import { UsageError } from "./io.ts"

type Named = { readonly name: string; readonly sha256: string }

/** Looks in one directory after the other; null where none has the input. Throws `inputs-unreadable` (exit 2) for a directory that is not there. */
export const inputFiles = async (
  directories: readonly string[],
  inputs: readonly Named[],
): Promise<(name: string) => Promise<RawInput>> => {
  const present = new Map<string, string>()
  for (const directory of directories) {
    try {
      for (const entry of await readdir(directory)) if (!present.has(entry)) present.set(entry, join(directory, entry))
    } catch (cause) {
      throw new UsageError("inputs-unreadable", `cannot read ${directory}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  }
  return async (name) => {
    const input = inputs.find((one) => one.name === name)
    const path = input && (present.get(input.name) ?? present.get(input.sha256))
    if (path === undefined) return null
    return (await lstat(path)).isDirectory() ? readFolder(path) : readFile(path)
  }
}
