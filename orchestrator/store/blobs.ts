/** Bytes by their hash: artifacts, inputs, evidence bundles. On disk here; the interface fits S3 or IPFS as well. */
import { createHash, randomUUID } from "node:crypto"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
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

export type BlobStore = {
  put: (bytes: Uint8Array) => Promise<StoredBlob>
  /** Verified on reading. Throws `blob-missing` or `blob-corrupt`. */
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
    if (cid.version !== 1 || cid.code !== raw.code || cid.multihash.code !== SHA2_256) throw malformed(reference)
    return Buffer.from(cid.multihash.digest).toString("hex") as Sha256
  } catch (cause) {
    throw cause instanceof AfgError ? cause : malformed(reference)
  }
}

export const describeBlob = (bytes: Uint8Array): StoredBlob => {
  const sha256 = createHash("sha256").update(bytes).digest("hex") as Sha256
  return { sha256, uri: blobUri(sha256), size: bytes.length }
}

/** A store in one directory. A blob appears whole or not at all. */
export const openBlobs = async (directory: string): Promise<BlobStore> => {
  const incoming = join(directory, "incoming")
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true })
  const pathOf = (hash: Sha256): string => join(directory, hash.slice(0, 2), hash)

  const has = async (reference: string): Promise<boolean> =>
    stat(pathOf(blobHash(reference))).then(
      () => true,
      () => false,
    )

  const put = async (bytes: Uint8Array): Promise<StoredBlob> => {
    const blob = describeBlob(bytes)
    if (await has(blob.sha256)) return blob
    const temporary = join(incoming, randomUUID())
    const file = await open(temporary, "wx", 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    const path = pathOf(blob.sha256)
    await mkdir(join(path, ".."), { recursive: true })
    await rename(temporary, path)
    return blob
  }

  const get = async (reference: string): Promise<Uint8Array> => {
    const hash = blobHash(reference)
    let bytes: Uint8Array
    try {
      bytes = await readFile(pathOf(hash))
    } catch (cause) {
      throw new AfgError("blob-missing", `no bytes are stored under ${hash}`, { cause })
    }
    if (describeBlob(bytes).sha256 !== hash) throw new AfgError("blob-corrupt", `the bytes stored under ${hash} have another hash`)
    return bytes
  }

  return { put, get, has }
}
