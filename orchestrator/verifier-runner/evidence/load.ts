/** A BUNDLE as a person has it: a directory `{bundle.json, contract.json, blobs/<sha256>}`, its tar, or `bundle.json` alone. */
import { lstat, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { AfgError } from "../../errors.ts"
import { isSha256, type Sha256 } from "../../types.ts"
import { folderOfTar } from "../files/folder.ts"

export type BundleFiles = {
  bundle: Uint8Array
  /** The contract that came with it; who asks may have another one. */
  contract?: Uint8Array
  /** By the name they were stored under, which is to be their hash. */
  blobs: ReadonlyMap<Sha256, Uint8Array>
}

const BUNDLE = "bundle.json"
const CONTRACT = "contract.json"
const BLOBS = "blobs/"
const TAR_MAGIC = { at: 257, text: "ustar" }

const unreadable = (path: string, why: unknown): AfgError =>
  new AfgError("bundle-unreadable", `${path}: ${why instanceof Error ? why.message : why}`)

const fromNamed = (path: string, files: ReadonlyMap<string, Uint8Array>): BundleFiles => {
  const bundle = files.get(BUNDLE)
  if (bundle === undefined) throw unreadable(path, `there is no ${BUNDLE} in it`)
  const contract = files.get(CONTRACT)
  const blobs = new Map<Sha256, Uint8Array>()
  for (const [name, bytes] of files) {
    const hash = name.startsWith(BLOBS) ? name.slice(BLOBS.length) : ""
    if (isSha256(hash)) blobs.set(hash, bytes)
  }
  return { bundle, blobs, ...(contract === undefined ? {} : { contract }) }
}

const ofDirectory = async (path: string): Promise<BundleFiles> => {
  const files = new Map<string, Uint8Array>()
  for (const name of [BUNDLE, CONTRACT]) {
    const bytes = await readFile(join(path, name)).catch(() => undefined)
    if (bytes !== undefined) files.set(name, bytes)
  }
  for (const name of await readdir(join(path, BLOBS)).catch(() => [])) files.set(BLOBS + name, await readFile(join(path, BLOBS, name)))
  return fromNamed(path, files)
}

/** A tar of the directory, with or without the directory's own name in front. */
const ofTar = async (path: string, bytes: Uint8Array): Promise<BundleFiles> => {
  const entries = await folderOfTar(bytes)
  const bundle = entries.find((entry) => entry.path === BUNDLE || /^[^/]+\/bundle\.json$/.test(entry.path))
  const prefix = bundle?.path.slice(0, -BUNDLE.length) ?? ""
  return fromNamed(
    path,
    new Map(entries.filter((entry) => entry.path.startsWith(prefix)).map((entry) => [entry.path.slice(prefix.length), entry.bytes])),
  )
}

/** Bytes that are a tar, else the bundle's JSON. */
export const bundleOfBytes = (bytes: Uint8Array, path = "the bundle"): Promise<BundleFiles> | BundleFiles => {
  const magic = Buffer.from(bytes.subarray(TAR_MAGIC.at, TAR_MAGIC.at + TAR_MAGIC.text.length)).toString("latin1")
  return magic === TAR_MAGIC.text ? ofTar(path, bytes) : { bundle: bytes, blobs: new Map() }
}

/** Throws `bundle-unreadable`, `folder-unreadable`. */
export const loadBundle = async (path: string): Promise<BundleFiles> => {
  try {
    if ((await lstat(path)).isDirectory()) return await ofDirectory(path)
    return await bundleOfBytes(await readFile(path), path)
  } catch (error) {
    if (error instanceof AfgError) throw error
    throw unreadable(path, error)
  }
}
