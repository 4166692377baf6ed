/**
 * The hash of a directory or of a glob's matches: sha256 of the JCS array of `[path, mode, sha256]`, sorted by the path's UTF-8 bytes.
 *
 * Paths are relative to the repository's root, so `tests/**`, an input whose uri is `tests/` and `test_suite_sha256` agree.
 */
import { AfgError } from "../errors.ts"
import { digestOf } from "../json/index.ts"
import type { Sha256 } from "../types.ts"

/** Git's modes: a file, an executable file, a symbolic link (whose content is its target). */
export const FILE_MODES = ["100644", "100755", "120000"] as const
export type FileMode = (typeof FILE_MODES)[number]

export type TreeEntry = { readonly path: string; readonly mode: FileMode; readonly sha256: Sha256 }

/** The hashed form of a set of files. Stored as a blob, it is found by the tree's hash and lists the files' own. */
export type TreeManifest = (readonly [path: string, mode: FileMode, sha256: Sha256])[]

/**
 * The manifest of a set of files, in whatever order they are given.
 *
 * Throws `tree-empty` without entries (nothing matched: not a result), `tree-path` for a path that is absolute, not normal, or given twice.
 */
export const treeManifest = (entries: readonly TreeEntry[]): TreeManifest => {
  if (entries.length === 0) throw new AfgError("tree-empty", "no file matches: an empty set has no hash")
  const keyed = entries.map((entry) => ({ entry, key: Buffer.from(normalPath(entry.path), "utf8") }))
  keyed.sort((a, b) => Buffer.compare(a.key, b.key))
  for (const [index, { key, entry }] of keyed.entries()) {
    if (index > 0 && keyed[index - 1]?.key.equals(key)) throw new AfgError("tree-path", `${entry.path} is listed twice`)
  }
  return keyed.map(({ entry }) => [entry.path, entry.mode, entry.sha256])
}

/** sha256 of the manifest's JCS. Throws what `treeManifest` throws. */
export const treeHash = (entries: readonly TreeEntry[]): Sha256 => digestOf(treeManifest(entries).map((entry) => [...entry]))

const normalPath = (path: string): string => {
  const segments = path.split("/")
  if (!path.isWellFormed() || path.includes("\0") || segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new AfgError("tree-path", `${JSON.stringify(path)} is not a normal path below the root`)
  return path
}

const RELATIVE_FOLDER = /^(?![/.])(?![A-Za-z][A-Za-z0-9+.-]*:)[^\0\\?#]+\/$/

/** What goes before the paths inside an input that is a folder: its uri when that is a folder below the root, such as `tests/`; else nothing. */
export const folderPrefix = (input: { readonly uri: string }): string =>
  RELATIVE_FOLDER.test(input.uri) &&
  !input.uri
    .split("/")
    .slice(0, -1)
    .some((part) => part === "" || part === "." || part === "..")
    ? input.uri
    : ""
