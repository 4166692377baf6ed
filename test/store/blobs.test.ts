/** Bytes under their hash: whole or not at all, and never other bytes than were asked for. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import fc from "fast-check"
import { type BlobStore, blobHash, blobUri, openBlobs } from "../../orchestrator/store/index.ts"
import type { Sha256 } from "../../orchestrator/types.ts"

const hashOf = (bytes: Uint8Array): Sha256 => createHash("sha256").update(bytes).digest("hex") as Sha256

async function* stream(...chunks: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk
    yield Buffer.from(chunk)
  }
}

describe("blobs", () => {
  let directory: string
  let blobs: BlobStore
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "afg-blobs-"))
    blobs = await openBlobs(directory)
  })
  after(() => rm(directory, { recursive: true, force: true }))
  const incoming = () => readdir(join(directory, "incoming"))

  it("are found by hash and by URI", async () => {
    const bytes = Buffer.from("hello\n")
    const stored = await blobs.put(bytes)
    assert.deepEqual(stored, {
      sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
      // As `ipfs add --cid-version 1 --raw-leaves` names it.
      uri: "ipfs://bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am",
      size: 6,
    })
    for (const reference of [stored.sha256, stored.uri]) {
      assert.deepEqual(Buffer.from(await blobs.get(reference)), bytes)
      assert.equal(await blobs.has(reference), true)
    }
  })

  it("come back unchanged, whatever they are and however they are chunked", async () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(chunks, async (parts) => {
        const bytes = Buffer.concat(parts)
        const whole = await blobs.put(bytes)
        const streamed = await blobs.put(
          (async function* () {
            yield* parts
          })(),
        )
        assert.deepEqual(streamed, whole)
        assert.equal(whole.sha256, hashOf(bytes))
        assert.equal(blobHash(whole.uri), whole.sha256)
        assert.deepEqual(Buffer.from(await blobs.get(whole.uri)), bytes)
      }),
      { numRuns: 30 },
    )
  })

  it("that are too large are refused before they are read to the end, and leave nothing", async () => {
    let read = 0
    const endless = (async function* () {
      for (;;) {
        read += 1
        yield Buffer.alloc(1_000)
      }
    })()
    await assert.rejects(blobs.put(endless, { maxBytes: 2_500 }), { code: "blob-too-large" })
    assert.equal(read, 3)
    await assert.rejects(blobs.put(Buffer.alloc(11), { maxBytes: 10 }), { code: "blob-too-large" })
    assert.equal((await blobs.put(Buffer.alloc(10), { maxBytes: 10 })).size, 10)
    assert.deepEqual(await incoming(), [])
  })

  it("whose source fails leave nothing", async () => {
    await assert.rejects(blobs.put(stream("a", new Error("cut off"))), /cut off/)
    assert.deepEqual(await incoming(), [])
    assert.equal(await blobs.has(hashOf(Buffer.from("a"))), false)
  })

  it("that rotted are noticed on reading, and healed by putting them again", async () => {
    const { sha256 } = await blobs.put(Buffer.from("sound"))
    await writeFile(join(directory, sha256.slice(0, 2), sha256), "sour!")
    await assert.rejects(blobs.get(sha256), { code: "blob-corrupt" })
    await blobs.put(Buffer.from("sound"))
    assert.equal(Buffer.from(await blobs.get(sha256)).toString(), "sound")
  })

  it("that are not there are missing, and what names no blob is malformed", async () => {
    const absent = hashOf(Buffer.from("absent"))
    await assert.rejects(blobs.get(absent), { code: "blob-missing" })
    assert.equal(await blobs.has(blobUri(absent)), false)
    const malformed = [
      "",
      "x",
      `0x${absent}`,
      absent.toUpperCase(),
      "../../etc/passwd",
      "ipfs://",
      "ipfs://../x",
      "https://a/b",
      // A dag-pb node, an identity hash and a CIDv0: none is the sha256 of raw bytes.
      "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      "ipfs://bafkqabtimvwgy3yk",
      "ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG",
    ]
    for (const reference of malformed) {
      await assert.rejects(blobs.get(reference), { code: "blob-reference-malformed" }, reference)
      assert.throws(() => blobHash(reference), { code: "blob-reference-malformed" }, reference)
    }
  })

  it("put at the same time by many are one blob; half-written ones are gone after a restart", async () => {
    const same = await Promise.all(Array.from({ length: 20 }, () => blobs.put(Buffer.from("same"))))
    assert.equal(new Set(same.map(({ sha256 }) => sha256)).size, 1)
    await writeFile(join(directory, "incoming", "half"), "…")
    blobs = await openBlobs(directory)
    assert.deepEqual(await incoming(), [])
    assert.equal(Buffer.from(await blobs.get(same[0]?.sha256 ?? "")).toString(), "same")
  })
})
