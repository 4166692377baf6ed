/**
 * An inputs directory: files or folders named after the input, or files named by their sha256.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { lstat, readdir, readlink } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { type FileMode, folderPrefix, type TreeEntry, treeHash } from "../contract/tree-hash.ts"
import { sha256Hex } from "../json/index.ts"
import type { Sha256 } from "../types.ts"
import { UsageError } from "./io.ts"

type NamedInput = { readonly name: string; readonly uri: string; readonly sha256: string }

/** The hash of every input that `directory` has. Throws `inputs-unreadable` (exit 2). */
export const hashInputs = async (directory: string, inputs: readonly NamedInput[]): Promise<Map<string, Sha256>> => {
  const hashes = new Map<string, Sha256>()
  try {
    const present = new Set(await readdir(directory))
    for (const input of inputs) {
      const entry = [input.name, input.sha256].find((name) => present.has(name))
      if (entry !== undefined) hashes.set(input.name, await hashEntry(join(directory, entry), folderPrefix(input)))
    }
  } catch (cause) {
    throw new UsageError("inputs-unreadable", `cannot read the inputs in ${directory}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  }
  return hashes
}

const hashEntry = async (path: string, prefix: string): Promise<Sha256> => {
  if (!(await lstat(path)).isDirectory()) return hashFile(path)
  const entries: TreeEntry[] = []
  for await (const entry of walk(path, prefix)) entries.push(entry)
  return treeHash(entries)
}

async function* walk(directory: string, prefix: string): AsyncGenerator<TreeEntry> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const file = join(directory, entry.name)
    const path = `${prefix}${entry.name}`
    if (entry.isDirectory()) yield* walk(file, `${path}/`)
    else if (entry.isSymbolicLink()) yield { path, mode: "120000", sha256: sha256Hex(await readlink(file)) }
    else yield { path, mode: await modeOf(file), sha256: await hashFile(file) }
  }
}

const OWNER_EXECUTES = 0o100

const modeOf = async (file: string): Promise<FileMode> => (((await lstat(file)).mode & OWNER_EXECUTES) === 0 ? "100644" : "100755")

const hashFile = async (file: string): Promise<Sha256> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file), hash)
  return hash.digest("hex") as Sha256
}
