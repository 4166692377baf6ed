/** Files as checks see them: a path below a root, git's mode, the bytes. */
import { createHash } from "node:crypto"
import { type FileMode, treeHash } from "../../contract/tree-hash.ts"
import { AfgError } from "../../errors.ts"
import type { Sha256 } from "../../types.ts"

/** `path` is relative and normal, with `/`. A symbolic link (120000) has its target as bytes. */
export type TreeFile = { readonly path: string; readonly mode: FileMode; readonly bytes: Uint8Array }

export const sha256Of = (bytes: Uint8Array): Sha256 => createHash("sha256").update(bytes).digest("hex") as Sha256

/** The tree hash of a set of files. Throws `tree-empty`, `tree-path`. */
export const hashFiles = (files: readonly TreeFile[]): Sha256 =>
  treeHash(files.map(({ path, mode, bytes }) => ({ path, mode, sha256: sha256Of(bytes) })))

/** The same files below a prefix such as `tests/`; an empty prefix changes nothing. */
export const withPrefix = (files: readonly TreeFile[], prefix: string): TreeFile[] =>
  files.map((file) => ({ ...file, path: prefix + file.path }))

/**
 * One set of files over another: same paths are replaced.
 *
 * Throws `tree-conflict` where a file of one set is a folder of the other, or a path leads through a symbolic link.
 */
export const overlay = (below: readonly TreeFile[], above: readonly TreeFile[]): TreeFile[] => {
  const merged = new Map(below.map((file) => [file.path, file]))
  for (const file of above) merged.set(file.path, file)
  for (const { path } of merged.values()) {
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const parent = path.slice(0, slash)
      if (merged.has(parent)) throw new AfgError("tree-conflict", `${parent} is a file, and ${path} is below it`)
    }
  }
  return [...merged.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
}
