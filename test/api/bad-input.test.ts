/** Whatever is sent to whatever route: a problem document with a known code, nothing of our insides, and nothing changed. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { ERRORS as AACP } from "../../orchestrator/aacp/errors.ts"
import { ERRORS as API } from "../../orchestrator/api/errors.ts"
import { ERRORS as CHAIN } from "../../orchestrator/chain/errors.ts"
import { ERRORS as CONTRACT } from "../../orchestrator/contract/errors.ts"
import { ERRORS as JSON_ERRORS } from "../../orchestrator/json/errors.ts"
import { ERRORS as STORE } from "../../orchestrator/store/errors.ts"
import { appendEvents, insertJob } from "../../orchestrator/store/index.ts"
import { newJob, posted } from "../store/support/jobs.ts"
import { type QuietApi, type Reply, send, startQuietApi } from "./support/quiet.ts"

const KNOWN = new Set([API, AACP, CONTRACT, JSON_ERRORS, STORE, CHAIN].flatMap((table) => Object.keys(table)))
const JOB = "afg:job:BADINPUT00001"
const job = `/v1/jobs/${encodeURIComponent(JOB)}`
const BODIES = ["/v1/jobs", `${job}/sign`, `${job}/fund/authorization`, `${job}/submit`, `${job}/concede`]

/** The strict reader's refusals (`docs/errors.md`, "Strict JSON"). */
const BROKEN: [what: string, body: string | Uint8Array, code: string][] = [
  ["cut off", '{"a":', "json-syntax"],
  ["two values", "{} {}", "json-trailing"],
  ["a key twice", '{"role":"buyer","role":"provider"}', "json-duplicate-key"],
  ["a lone surrogate", '{"a":"\\ud800"}', "json-lone-surrogate"],
  ["not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), "json-utf8"],
  ["a byte order mark", "\ufeff{}", "json-bom"],
  ["too large a number", '{"a":1e400}', "json-number-range"],
  ["an integer beyond 2^53", '{"a":9007199254740993}', "json-integer-range"],
  ["minus zero", '{"a":-0}', "json-negative-zero"],
  ["too deep", `${"[".repeat(100)}${"]".repeat(100)}`, "json-too-deep"],
]

describe("bad input", () => {
  let api: QuietApi
  before(async () => {
    api = await startQuietApi()
    await insertJob(api.store().db, newJob(JOB))
    await appendEvents(api.store().db, JOB, [posted()])
  })
  after(async () => {
    await api.stop()
  })

  /** Everything that a request could have changed. */
  const contents = async (): Promise<unknown> => {
    const { db } = api.store()
    return Promise.all([
      db.selectFrom("afg.jobs").selectAll().execute(),
      db.selectFrom("afg.events").selectAll().execute(),
      db.selectFrom("afg.artifacts").selectAll().execute(),
      db.selectFrom("afg.confirmations").selectAll().execute(),
      db.selectFrom("afg.confirmation_requests").selectAll().execute(),
    ])
  }
  const isProblem = ({ headers, json, status }: Reply, about: string): void => {
    assert.equal(headers.get("content-type"), "application/problem+json", about)
    assert.ok(KNOWN.has(String(json.code)), `${about}: ${json.code}`)
    assert.notEqual(json.code, "internal", `${about}: ${api.log.at(-1)}`)
    assert.equal(json.status, status, about)
    assert.equal(headers.get("x-request-id"), json.request_id, about)
    for (const member of ["type", "title", "detail", "recovery"]) assert.ok(String(json[member] ?? "").length > 0, `${about}: ${member}`)
    assert.equal(/node_modules|\.ts:\d|select |insert |127\.0\.0\.1/.test(JSON.stringify(json)), false, `${about}: ${JSON.stringify(json)}`)
  }

  it("broken JSON", async () => {
    const before = await contents()
    for (const path of BODIES)
      for (const [what, body, code] of BROKEN) {
        const reply = await send(api.origin, { path, body, role: path.endsWith("submit") ? "provider" : "buyer" })
        isProblem(reply, `${path} ${what}`)
        // The linter names its findings itself, under the same codes.
        const found = path === "/v1/jobs" ? (reply.json.rejects as { code: string }[])[0]?.code : reply.json.code
        assert.equal(found, code, `${path} ${what}`)
      }
    assert.deepEqual(await contents(), before)
  })

  it("JSON of another shape, with the member at fault", async () => {
    const before = await contents()
    const cases: [path: string, body: unknown, pointer: string, role?: "provider"][] = [
      [`${job}/sign`, {}, "/role"],
      [`${job}/sign`, { role: "judge", signature: "0x" }, "/role"],
      [`${job}/sign`, { role: "buyer", signature: 1 }, "/signature"],
      [`${job}/sign`, { role: "buyer", signature: "0xabc" }, "/signature"],
      [`${job}/sign`, { role: "buyer", signature: `0x${"00".repeat(8_193)}` }, "/signature"],
      [`${job}/sign`, { role: "buyer", signature: "0x", more: true }, ""],
      [`${job}/sign`, [], ""],
      [`${job}/sign`, null, ""],
      [`${job}/fund/authorization`, { salt: "0x00", validAfter: 0, validBefore: 0, signature: "0x" }, "/salt"],
      [`${job}/fund/authorization`, { salt: `0x${"0".repeat(64)}`, validAfter: -1, validBefore: 0, signature: "0x" }, "/validAfter"],
      [`${job}/submit`, { n: 0, uri: "x", sha256: "0".repeat(64), signature: "0x" }, "/n", "provider"],
      [`${job}/submit`, { n: 256, uri: "x", sha256: "0".repeat(64), signature: "0x" }, "/n", "provider"],
      [`${job}/submit`, { n: 1, uri: "", sha256: "0".repeat(64), signature: "0x" }, "/uri", "provider"],
      [`${job}/submit`, { n: 1, uri: "x", sha256: "A".repeat(64), signature: "0x" }, "/sha256", "provider"],
      [`${job}/concede`, { n: 1.5, merkleRoot: "", rulingDigest: "", signature: "" }, "/n"],
    ]
    for (const [path, body, pointer, role = "buyer"] of cases) {
      const reply = await send(api.origin, { path, body: JSON.stringify(body), role })
      isProblem(reply, JSON.stringify(body))
      assert.deepEqual([reply.status, reply.json.code, reply.json.path], [400, "body_invalid", pointer], JSON.stringify(body).slice(0, 200))
    }
    assert.deepEqual(await contents(), before)
  })

  it("no signature, another party, no such job, on every route that acts", async () => {
    const before = await contents()
    for (const rest of ["sign", "fund", "fund/authorization", "submit", "concede"]) {
      const body = rest === "sign" ? JSON.stringify({ role: "buyer", signature: "0x" }) : "{}"
      const unsigned = await send(api.origin, { path: `${job}/${rest}`, body, role: null })
      isProblem(unsigned, rest)
      assert.equal(unsigned.json.code, "signature_missing", rest)
      const stranger = await send(api.origin, { path: `${job}/${rest}`, body, role: "treasury" })
      isProblem(stranger, rest)
      assert.equal(stranger.json.code, "wrong_party", rest)
      for (const id of ["afg:job:NOSUCHJOB000", "%00", "a%2Fb", "%F0%9F%92%A9", "..%2f..", "x".repeat(2_000)]) {
        const missing = await send(api.origin, { path: `/v1/jobs/${id}/${rest}`, body })
        isProblem(missing, `${rest} ${id}`)
        assert.equal(missing.json.code, "not_found", `${rest} ${id}`)
      }
    }
    assert.deepEqual(await contents(), before)
  })

  it("bodies beyond the limit, before anyone is believed", async () => {
    for (const path of [...BODIES, "/v1/speccheck", "/nothing"]) {
      const reply = await send(api.origin, { path, body: new Uint8Array(1_048_577), role: null })
      isProblem(reply, path)
      assert.equal(reply.status, 413, path)
    }
  })

  it("paths and methods that are not there", async () => {
    const cases: [method: string, path: string, status: number, allow: string | null][] = [
      ["GET", "/", 404, null],
      ["GET", "/v1/jobs/", 404, null],
      ["POST", "/v2/jobs", 404, null],
      ["POST", "/dev/warp", 404, null],
      ["GET", "/v1/jobs", 405, "POST"],
      ["GET", "/v1/speccheck", 405, "POST"],
      ["PUT", "/v1/artifacts", 405, "POST"],
      ["DELETE", job, 405, "GET, HEAD"],
      ["PATCH", `${job}/events`, 405, "GET, HEAD"],
      ["GET", `${job}/fund`, 405, "POST"],
      ["OPTIONS", `${job}/fund/authorization`, 405, "POST"],
      ["POST", "/healthz", 405, "GET, HEAD"],
      ["DELETE", "/openapi.json", 405, "GET, HEAD"],
    ]
    for (const [method, path, status, allow] of cases) {
      const reply = await send(api.origin, { method, path, role: null })
      isProblem(reply, `${method} ${path}`)
      assert.deepEqual([reply.status, reply.headers.get("allow")], [status, allow], `${method} ${path}`)
    }
  })

  it("a key for repeating that is none", async () => {
    for (const key of ["with space", "x".repeat(129), "ü"]) {
      const reply = await send(api.origin, {
        path: `${job}/concede`,
        body: "{}",
        headers: { "Idempotency-Key": Buffer.from(key).toString("latin1") },
      })
      assert.deepEqual([reply.status, reply.json.code], [400, "body_invalid"], key)
    }
  })

  it("a chain that does not answer is told as such, with no address of ours, and may be tried again", async () => {
    for (const path of ["/readyz", job]) {
      const reply = await send(api.origin, { method: "GET", path, role: null })
      isProblem(reply, path)
      assert.deepEqual([reply.status, reply.json.code], [503, "chain_unavailable"], path)
    }
    assert.equal((await send(api.origin, { method: "GET", path: "/healthz", role: null })).status, 200)
  })
})
