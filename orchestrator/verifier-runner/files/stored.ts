/**
 * Folders in a store of blobs: the JCS of the tree's manifest is a blob whose hash is the tree's hash, and each file is a blob of its own. So an input
 * is found by the one hash that the contract has, whether it is a file or a folder.
 */
import { FILE_MODES, type FileMode, folderPrefix, treeManifest } from "../../contract/tree-hash.ts"
import { canonicalBytes, type JsonValue, parseStrictJson } from "../../json/index.ts"
import type { BlobStore } from "../../store/blobs.ts"
import { sha256Of, type TreeFile } from "./tree.ts"

/** Everything to store for a folder: its files, then its manifest. Paths as they are hashed (with the input's prefix). */
export const folderBlobs = (files: readonly TreeFile[]): Uint8Array[] => {
  const manifest = treeManifest(files.map(({ path, mode, bytes }) => ({ path, mode, sha256: sha256Of(bytes) })))
  return [...files.map(({ bytes }) => bytes), canonicalBytes(manifest.map((entry) => [...entry]))]
}

type Entry = { path: string; mode: FileMode; sha256: string }

const entryOf = (value: JsonValue): Entry | null => {
  if (!Array.isArray(value) || value.length !== 3) return null
  const [path, mode, sha256] = value
  const known = FILE_MODES.find((one) => one === mode)
  return typeof path === "string" && typeof sha256 === "string" && known !== undefined ? { path, mode: known, sha256 } : null
}

/** The entries of a manifest's bytes; null when the bytes are something else. */
export const readManifest = (bytes: Uint8Array): Entry[] | null => {
  let value: JsonValue
  try {
    value = parseStrictJson(bytes)
  } catch {
    return null
  }
  if (!Array.isArray(value) || value.length === 0) return null
  const entries = value.map(entryOf)
  return entries.every((entry) => entry !== null) ? entries : null
}

/**
 * A contract's input from the store: a file's bytes, or a folder's files with paths relative to the folder. Null when it is not there whole. What
 * comes back is checked against the contract's hash by whoever uses it.
 */
export const storedInput = async (
  blobs: BlobStore,
  input: { uri: string; sha256: string; sealed?: boolean | undefined },
): Promise<Uint8Array | TreeFile[] | null> => {
  if (!(await blobs.has(input.sha256))) return null
  const bytes = await blobs.get(input.sha256)
  const entries = input.uri.endsWith("/") || input.sealed === true ? readManifest(bytes) : null
  if (entries === null) return bytes
  const prefix = folderPrefix(input)
  const files: TreeFile[] = []
  for (const { path, mode, sha256 } of entries) {
    if (!/^[0-9a-f]{64}$/.test(sha256) || !(await blobs.has(sha256)) || !path.startsWith(prefix)) return null
    files.push({ path: path.slice(prefix.length), mode, bytes: await blobs.get(sha256) })
  }
  return files
}
