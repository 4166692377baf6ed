/** Bytes by their hash: artifacts, inputs, evidence bundles. On disk here; the interface fits S3 or IPFS as well. */
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { CID } from "multiformats/cid"
import * as raw from "multiformats/codecs/raw"
import { create as createDigest } from "multiformats/hashes/digest"
import { AfgError } from "../errors.ts"
import { isSha256, type Sha256 } from "../types.ts"

const SHA2_256 = 0x12

export type StoredBlob = {
  sha256: Sha256
  /** `ipfs://` and the CIDv1 (raw, sha2-256) of the same hash. */
  uri: string
  size: number
}

export type BlobLimits = {
  /** More than this is `blob-too-large`, noticed before the rest is read. Default: no limit. */
  maxBytes?: number | undefined
}

export type BlobStore = {
  /** Keeps bytes, or a stream of them. A blob is there whole or not at all. Throws `blob-too-large`. */
  put: (bytes: Uint8Array | AsyncIterable<Uint8Array>, limits?: BlobLimits) => Promise<StoredBlob>
  /** Verified on reading. Throws `blob-missing`, `blob-corrupt` or `blob-reference-malformed`. */
  get: (reference: string) => Promise<Uint8Array>
  has: (reference: string) => Promise<boolean>
}

export const blobUri = (sha256: Sha256): string =>
  `ipfs://${CID.createV1(raw.code, createDigest(SHA2_256, Buffer.from(sha256, "hex"))).toString()}`

const malformed = (reference: string): AfgError =>
  new AfgError("blob-reference-malformed", `${reference.slice(0, 80)} is neither a sha256 nor an ipfs:// URI of raw bytes`)

/** The hash that a reference names: 64 hex digits or an `ipfs://` URI. Throws `blob-reference-malformed`. */
export const blobHash = (reference: string): Sha256 => {
  if (isSha256(reference)) return reference
  if (!reference.startsWith("ipfs://")) throw malformed(reference)
  try {
    const cid = CID.parse(reference.slice("ipfs://".length))
    const { code, digest } = cid.multihash
    if (cid.version !== 1 || cid.code !== raw.code || code !== SHA2_256 || digest.length !== 32) throw malformed(reference)
    return Buffer.from(digest).toString("hex") as Sha256
  } catch (cause) {
    throw cause instanceof AfgError ? cause : malformed(reference)
  }
}

export const describeBlob = (bytes: Uint8Array): StoredBlob => {
  const sha256 = createHash("sha256").update(bytes).digest("hex") as Sha256
  return { sha256, uri: blobUri(sha256), size: bytes.length }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

/** A rename is on disk only when its directory is. */
const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const write = async (
  file: FileHandle,
  source: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  maxBytes: number,
): Promise<StoredBlob> => {
  const hash = createHash("sha256")
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw new AfgError("blob-too-large", `more than ${maxBytes} bytes`, { details: { max_bytes: maxBytes } })
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  await file.sync()
  const sha256 = hash.digest("hex") as Sha256
  return { sha256, uri: blobUri(sha256), size }
}

/** A store in one directory, for one process at a time. */
export const openBlobs = async (directory: string): Promise<BlobStore> => {
  const incoming = join(directory, "incoming")
  // What a killed process left half written.
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  const pathOf = (hash: Sha256): string => join(directory, hash.slice(0, 2), hash)

  const get = async (reference: string): Promise<Uint8Array> => {
    const hash = blobHash(reference)
    let bytes: Uint8Array
    try {
      bytes = await readFile(pathOf(hash))
    } catch (cause) {
      throw isMissing(cause) ? new AfgError("blob-missing", `no bytes are stored under ${hash}`, { cause }) : cause
    }
    if (describeBlob(bytes).sha256 !== hash) throw new AfgError("blob-corrupt", `the bytes stored under ${hash} have another hash`)
    return bytes
  }

  const put: BlobStore["put"] = async (bytes, { maxBytes = Number.POSITIVE_INFINITY } = {}) => {
    const temporary = join(incoming, randomUUID())
    const file = await open(temporary, "wx", 0o600)
    try {
      const blob = await write(file, bytes instanceof Uint8Array ? [bytes] : bytes, maxBytes).finally(() => file.close())
      const path = pathOf(blob.sha256)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      // Over what is there: the same bytes, or bytes that have rotted.
      await rename(temporary, path)
      await syncDirectory(dirname(path))
      return blob
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  const has = async (reference: string): Promise<boolean> => {
    try {
      await stat(pathOf(blobHash(reference)))
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  return { put, get, has }
}
