/** Keys of confirmation services: registration, history, and where they come from (AACP §7.2, §11.4). */
import assert from "node:assert/strict"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import {
  anyOf,
  fileKeys,
  httpKeys,
  type JsonObject,
  type KeySource,
  parseJwks,
  readJwks,
  standingAt,
  staticKeys,
} from "../../orchestrator/aacp/index.ts"
import { key, makeKey, SERVICE, verify } from "./support.ts"

const set = (...keys: unknown[]) => ({ keys }) as unknown as JsonObject
const kids = async (source: KeySource, kid: string) => (await source.keysFor(kid)).map(({ iss }) => iss)

describe("a JWK Set", () => {
  const unusable: [why: string, jwk: unknown][] = [
    ["no kid", { ...key.jwk, kid: undefined }],
    ["no alg", { ...key.jwk, alg: undefined }],
    ["no iss", { ...key.jwk, iss: undefined }],
    ["an algorithm of another type", { ...key.jwk, alg: "EdDSA" }],
    ["a symmetric algorithm", { kty: "oct", k: "AAAA", kid: "a", alg: "HS256", iss: SERVICE }],
    ["another use", { ...key.jwk, use: "enc" }],
    ["other operations", { ...key.jwk, key_ops: ["sign"] }],
    ["a point that is not on the curve", { ...key.jwk, x: key.jwk.y }],
    ["another curve", { ...key.jwk, crv: "P-384" }],
    ["a revocation without a reason", { ...key.jwk, revoked: { at: 1 } }],
    ["an exp that is no number", { ...key.jwk, exp: "1" }],
    ["no key at all", 5],
  ]
  for (const [why, jwk] of unusable) {
    it(`leaves out a key with ${why}, and keeps the others`, () => {
      const clean = JSON.parse(JSON.stringify(set(jwk, key.jwk)))
      const found = readJwks(clean)
      assert.deepEqual([found.keys.length, found.unusable.length, found.unusable[0]?.index], [1, 1, 0])
    })
  }

  it("never takes the private half in", () => {
    const { keys } = readJwks(set({ ...key.jwk, d: "AAAA" }))
    assert.equal(keys[0]?.publicKey.type, "public")
  })

  it("that is none is refused", () => {
    for (const text of ["{}", "[]", '{"keys":{}}', "5"]) assert.throws(() => parseJwks(text), { code: "aacp-jwks-malformed" })
    assert.throws(() => parseJwks('{"keys":[],"keys":[]}'), { code: "json-duplicate-key" })
  })

  it("of one service does not speak for another", () => {
    const found = readJwks(set(key.jwk, { ...key.jwk, kid: "b", iss: "https://other.example" }, { ...key.jwk, kid: "c", iss: undefined }), {
      iss: SERVICE,
    })
    assert.deepEqual(
      found.keys.map(({ kid }) => kid),
      ["cs-1", "c"],
    )
  })
})

describe("a key's standing", () => {
  const base = readJwks(set(key.jwk)).keys[0]
  assert.ok(base)
  const rows: [why: string, change: object, confirmedAt: number, standing: string][] = [
    ["no bounds", {}, 0, "valid"],
    ["at its beginning", { nbf: 100 }, 100, "valid"],
    ["before its beginning", { nbf: 100 }, 99, "outside-validity"],
    ["at its end", { exp: 100 }, 100, "valid"],
    ["after its end", { exp: 100 }, 101, "outside-validity"],
    ["confirmed before it was superseded", { revoked: { at: 100, reason: "superseded" } }, 100, "valid"],
    ["confirmed after it was superseded", { revoked: { at: 100, reason: "superseded" } }, 101, "outside-validity"],
    ["superseded after its end", { exp: 50, revoked: { at: 100, reason: "superseded" } }, 60, "outside-validity"],
    ["compromised later: times can be forged", { revoked: { at: 100, reason: "compromised" } }, 1, "compromised"],
  ]
  for (const [why, change, confirmedAt, standing] of rows) {
    it(`${why}: ${standing}`, () => assert.equal(standingAt({ ...base, ...change }, confirmedAt), standing))
  }
})

describe("sources", () => {
  it("a key id that two services use belongs to whoever's key made the signature", async () => {
    const other = makeKey("cs-1", "ES256", { iss: "https://other.example" })
    const result = await verify({ keys: staticKeys(set(other.jwk, key.jwk)) })
    assert.deepEqual([result.outcome, result.service], ["success", SERVICE])
  })

  it("the first registration of a key holds, so that an identity cannot be claimed later", async () => {
    const claimed = staticKeys(set(key.jwk, { ...key.jwk, iss: "https://thief.example" }))
    assert.deepEqual(await kids(claimed, "cs-1"), [SERVICE])
  })

  it("one service's outage is not another's", async () => {
    const down: KeySource = { keysFor: () => Promise.reject(new Error("down")) }
    const both = anyOf([down, staticKeys(set(key.jwk))])
    assert.deepEqual(await kids(both, "cs-1"), [SERVICE])
    await assert.rejects(async () => both.keysFor("unknown"), /down/)
  })

  it("a file is read again when it changes, and a broken one is unreachable", async () => {
    const folder = await mkdtemp(join(tmpdir(), "aacp-"))
    try {
      const file = join(folder, "jwks.json")
      const source = fileKeys(file)
      await assert.rejects(async () => source.keysFor("cs-1"), { code: "aacp-keys-unreachable" })
      await writeFile(file, JSON.stringify(set(key.jwk)))
      assert.deepEqual(await kids(source, "cs-1"), [SERVICE])
      await writeFile(file, JSON.stringify(set(key.jwk, makeKey("cs-2").jwk)))
      assert.deepEqual(await kids(source, "cs-2"), [SERVICE])
      await writeFile(file, "{")
      assert.equal((await verify({ keys: source })).outcome, "unverifiable")
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe("a key set over HTTP", () => {
  let server: Server
  let origin: string
  let answer: { status: number; body: string; headers?: Record<string, string> }
  let hits = 0
  let clock = 1000

  before(async () => {
    server = createServer((_request, response) => {
      hits++
      response.writeHead(answer.status, answer.headers).end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/jwks.json`
  })
  after(() => server.close())

  const serve = (...keys: unknown[]) => {
    answer = { status: 200, body: JSON.stringify(set(...keys)) }
    hits = 0
  }
  const source = (options = {}) => httpKeys(origin, { iss: SERVICE, now: () => clock, ...options })

  it("is fetched once for many questions, and again after its age", async () => {
    serve(key.jwk)
    const keys = source()
    await Promise.all(Array.from({ length: 20 }, () => keys.keysFor("cs-1")))
    assert.deepEqual([await kids(keys, "cs-1"), hits], [[SERVICE], 1])
    clock += 601
    await keys.keysFor("cs-1")
    assert.equal(hits, 2)
  })

  it("is asked again for an unknown id, but not at every knock", async () => {
    serve(key.jwk)
    const keys = source()
    await keys.keysFor("cs-1")
    for (let knock = 0; knock < 50; knock++) assert.deepEqual(await kids(keys, `guess-${knock}`), [])
    assert.equal(hits, 1)
    clock += 30
    serve(key.jwk, makeKey("cs-2").jwk)
    assert.deepEqual(await kids(keys, "cs-2"), [SERVICE])
    assert.equal(hits, 1)
  })

  it("an outage makes evidence unverifiable once the set is too old, and recovers", async () => {
    serve(key.jwk)
    const keys = source()
    assert.equal((await verify({ keys })).outcome, "success")
    answer = { status: 503, body: "" }
    assert.equal((await verify({ keys })).outcome, "success")
    clock += 601
    assert.deepEqual([(await verify({ keys })).outcome, (await verify({ keys })).detail], ["unverifiable", "keys_unreachable"])
    clock += 30
    serve(key.jwk)
    assert.equal((await verify({ keys })).outcome, "success")
  })

  it("a revocation counts as soon as the set is fetched again", async () => {
    serve(key.jwk)
    const keys = source()
    assert.equal((await verify({ keys })).outcome, "success")
    serve({ ...key.jwk, revoked: { at: 0, reason: "compromised" } })
    clock += 601
    assert.equal((await verify({ keys })).detail, "key_compromised")
  })

  it("redirects, nonsense, other services' keys and endless answers give no key", async () => {
    const foreign = makeKey("cs-1", "ES256", { iss: "https://other.example" })
    const answers = [
      { status: 302, body: "", headers: { location: "https://evil.example/jwks" } },
      { status: 200, body: "<html>" },
      { status: 200, body: JSON.stringify(set({ ...key.jwk, pad: "x".repeat(300_000) })) },
    ]
    for (const one of answers) {
      answer = one
      await assert.rejects(async () => source().keysFor("cs-1"), { code: "aacp-keys-unreachable" })
    }
    serve(foreign.jwk)
    assert.deepEqual(await kids(source(), "cs-1"), [])
  })

  it("plain HTTP to another machine is refused", () => {
    assert.throws(() => httpKeys("http://cs.example.com/jwks", { iss: SERVICE, now: () => 0 }), { code: "aacp-keys-unreachable" })
  })
})
