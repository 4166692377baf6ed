/** `POST /v1/artifacts`, `GET /v1/artifacts/{reference}`: bytes by their hash; what is sealed is never served, by no name. */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { after, before, describe, it } from "node:test"
import { base58btc } from "multiformats/bases/base58"
import { CID } from "multiformats/cid"
import { sha256Hex } from "../../orchestrator/json/index.ts"
import { blobUri } from "../../orchestrator/store/index.ts"
import type { Sha256 } from "../../orchestrator/types.ts"
import { type QuietApi, type Reply, send, startQuietApi } from "./support/quiet.ts"

describe("artifacts", () => {
  let api: QuietApi
  before(async () => {
    api = await startQuietApi({ MAX_ARTIFACT_BYTES: "4096" })
  })
  after(async () => {
    await api.stop()
  })
  const put = (body: Uint8Array, query = "", role: "buyer" | "provider" = "buyer"): Promise<Reply> =>
    send(api.origin, { path: `/v1/artifacts${query}`, body, role })
  const get = (reference: string): Promise<Reply> =>
    send(api.origin, { method: "GET", path: `/v1/artifacts/${encodeURIComponent(reference)}`, role: null })
  const has = (bytes: Uint8Array): Promise<boolean> => api.store().blobs.has(sha256Hex(bytes))

  it("stores and serves bytes under their hash and their URI, as bytes and nothing else", async () => {
    const bytes = randomBytes(100)
    const { status, json } = await put(bytes)
    assert.deepEqual([status, json], [201, { sha256: sha256Hex(bytes), uri: blobUri(sha256Hex(bytes) as Sha256), size: 100 }])
    for (const reference of [String(json.sha256), String(json.uri)]) {
      const reply = await get(reference)
      assert.deepEqual(reply.bytes, new Uint8Array(bytes))
      assert.equal(reply.headers.get("content-type"), "application/octet-stream")
      assert.equal(reply.headers.get("x-content-type-options"), "nosniff")
      assert.equal(reply.headers.get("content-disposition"), "attachment")
    }
    assert.equal((await put(bytes)).status, 201, "again")
    assert.equal((await put(new Uint8Array())).json.size, 0)
  })

  it("serves nothing sealed: by hash, URI, another base, another case, after an open upload, after a restart", async () => {
    const bytes = randomBytes(64)
    const hash = sha256Hex(bytes) as Sha256
    assert.equal((await put(bytes, "?sealed=true")).status, 201)
    assert.equal((await put(bytes)).status, 201)
    assert.equal((await put(bytes, "?sealed=false", "provider")).status, 201)
    const cid = CID.parse(blobUri(hash).slice("ipfs://".length))
    const names = [hash, blobUri(hash), `ipfs://${cid.toString(base58btc)}`, hash.toUpperCase(), `0x${hash}`, `${hash}%00`, `../${hash}`]
    for (const restarted of [false, true]) {
      for (const name of names) {
        const reply = await get(name)
        assert.ok(["artifact_sealed", "blob-reference-malformed"].includes(String(reply.json.code)), `${name}: ${reply.json.code}`)
        assert.equal(Buffer.from(reply.bytes).includes(bytes), false)
      }
      assert.equal((await get(hash)).status, 403)
      if (!restarted) await api.restart()
    }
  })

  it("open bytes cannot be sealed by whoever has them too", async () => {
    const bytes = randomBytes(64)
    await put(bytes)
    assert.equal((await put(bytes, "?sealed=true", "provider")).status, 201)
    assert.equal((await get(sha256Hex(bytes))).status, 200)
  })

  it("keeps nothing of bytes with another hash than announced, a misspelt seal, no signature, or too many", async () => {
    const cases: [code: string, status: number, bytes: Uint8Array, query: string, role: "buyer" | null][] = [
      ["artifact_mismatch", 422, randomBytes(32), `?sha256=${"0".repeat(64)}`, "buyer"],
      ["body_invalid", 400, randomBytes(32), "?sealed=yes", "buyer"],
      ["body_invalid", 400, randomBytes(32), "?sealed=True", "buyer"],
      ["signature_missing", 401, randomBytes(32), "", null],
      ["body_too_large", 413, randomBytes(4_097), "", "buyer"],
      ["not_found", 404, randomBytes(32), "?job=afg:job:NOSUCHJOB000", "buyer"],
      ["not_found", 404, randomBytes(32), "?job=%00", "buyer"],
    ]
    for (const [code, status, body, query, role] of cases) {
      const reply = await send(api.origin, { path: `/v1/artifacts${query}`, body, role })
      assert.deepEqual([reply.json.code, reply.status], [code, status], query)
      assert.equal(await has(body), false, code)
    }
    const exact = randomBytes(4_096)
    assert.equal((await put(exact, `?sha256=${sha256Hex(exact)}`)).status, 201)
  })

  it("answers names that are none, and hashes of nothing, with a code", async () => {
    const cases: [reference: string, code: string][] = [
      ["f".repeat(64), "not_found"],
      ["hello", "blob-reference-malformed"],
      ["ipfs://", "blob-reference-malformed"],
      ["ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG", "blob-reference-malformed"],
      ["%", "blob-reference-malformed"],
      ["%ff", "blob-reference-malformed"],
      ["\u0000", "blob-reference-malformed"],
    ]
    for (const [reference, code] of cases) assert.equal((await get(reference)).json.code, code, reference)
    const raw = await send(api.origin, { method: "GET", path: "/v1/artifacts/%E0%A4%A", role: null })
    assert.equal(raw.json.code, "blob-reference-malformed")
  })

  it("tells a body that is longer than announced from one that fits, whatever its Content-Length says", async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(randomBytes(1_024)),
    })
    const response = await fetch(`${api.origin}/v1/artifacts`, { method: "POST", body: stream, duplex: "half" } as RequestInit)
    assert.equal(response.status, 413)
    assert.equal(((await response.json()) as { code: string }).code, "body_too_large")
  })
})
