/** A contract's inputs in the store: files by their hash, folders by the hash of their tree. */
import type { Contract } from "../contract/index.ts"
import { parseStrictJson } from "../json/index.ts"
import type { Store } from "../store/index.ts"

const isTree = (uri: string): boolean => uri.endsWith("/")

/** The file hashes that a folder's manifest (JCS array of [path, mode, sha256]) names; null when it is not one. */
const manifestFiles = (bytes: Uint8Array): string[] | null => {
  try {
    const entries = parseStrictJson(bytes)
    if (!Array.isArray(entries)) return null
    return entries.map((entry) => (Array.isArray(entry) && typeof entry[2] === "string" ? entry[2] : ""))
  } catch {
    return null
  }
}

/** A folder's manifest is itself a blob whose hash is the tree's hash; each of its files is one too. */
const hasAll = async (store: Store, sha256: string, mayBeTree: boolean): Promise<boolean> => {
  if (!(await store.blobs.has(sha256))) return false
  if (!mayBeTree) return true
  const files = manifestFiles(await store.blobs.get(sha256))
  if (files === null) return true
  const present = await Promise.all(files.map((file) => (/^[0-9a-f]{64}$/.test(file) ? store.blobs.has(file) : false)))
  return present.every(Boolean)
}

/** Names of inputs that are not stored whole. */
export const missingInputs = async (store: Store, contract: Contract): Promise<string[]> => {
  const held = await Promise.all(
    contract.inputs.map(async ({ name, uri, sha256, sealed }) => ({
      name,
      there: await hasAll(store, sha256, isTree(uri) || sealed === true),
    })),
  )
  return held.filter(({ there }) => !there).map(({ name }) => name)
}
