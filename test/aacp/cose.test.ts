/** COSE_Sign1 (RFC 9052 §4): the working group's examples, and what this profile refuses. */
import assert from "node:assert/strict"
import { generateKeyPairSync } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { type Cbor, encodeCbor, Tagged } from "../../orchestrator/aacp/cbor/bytes.ts"
import { keyFromCose, keyFromJwk, keySigner, keysFromJson, openSign1, sign1, verifySign1 } from "../../orchestrator/aacp/index.ts"
import type { JsonObject } from "../../orchestrator/aacp/json.ts"
import { isAfgError } from "../../orchestrator/errors.ts"

const folder = join(import.meta.dirname, "../../../shared/vectors/cose/sign1-tests")
type Example = { title: string; fail?: boolean; input: { sign0: { key: JsonObject; external?: string } }; output: { cbor: string } }

describe("the COSE working group's COSE_Sign1 examples", () => {
  const skip = existsSync(folder) ? false : `${folder} is not here`
  it("each is judged as it says", { skip }, () => {
    const files = readdirSync(folder)
    assert.equal(files.length, 9)
    for (const file of files) {
      const { title, fail = false, input, output } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Example
      const external = Buffer.from(input.sign0.external ?? "", "hex")
      assert.equal(judge(Buffer.from(output.cbor, "hex"), input.sign0.key, external), !fail, title)
    }
  })
})

const judge = (bytes: Uint8Array, jwk: JsonObject, external: Uint8Array): boolean => {
  try {
    return verifySign1(openSign1(new Uint8Array(bytes)), keyFromJwk(jwk), { external: new Uint8Array(external) }) === true
  } catch (error) {
    if (isAfgError(error)) return false
    throw error
  }
}

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
const edPair = generateKeyPairSync("ed25519")
const signer = keySigner("11", "ES256", pair.privateKey)
const jwk = pair.publicKey.export({ format: "jwk" }) as JsonObject
const key = keyFromJwk(jwk)
const payload = new TextEncoder().encode("This is the content.")
const octets = (text: unknown) => new Uint8Array(Buffer.from(String(text), "base64url"))

describe("COSE_Sign1", () => {
  it("is verified with external data and with a detached payload, and not without", async () => {
    const external = new Uint8Array([1, 2, 3])
    const message = openSign1(await sign1(payload, signer, { external, detached: true }))
    assert.equal(verifySign1(message, key, { external, payload }), true)
    assert.equal(verifySign1(message, key, { payload }), false)
    assert.equal(verifySign1(message, key, { external }), null)
    assert.equal(verifySign1(message, key, { external, payload: new Uint8Array([1]) }), false)
  })

  it("an attached payload beside another one given is refused", async () => {
    const message = openSign1(await sign1(payload, signer))
    assert.throws(() => verifySign1(message, key, { payload: new Uint8Array([1]) }), { code: "aacp-cose-malformed" })
  })

  it("the algorithm is the key's, whatever the message says", async () => {
    const message = openSign1(await sign1(payload, keySigner("11", "EdDSA", edPair.privateKey)))
    assert.equal(verifySign1(message, key), false)
    assert.equal(verifySign1(message, { alg: "EdDSA", publicKey: edPair.publicKey }), true)
  })

  const parts = async (): Promise<Cbor[]> => {
    const { protectedBytes, signature } = openSign1(await sign1(payload, signer))
    return [protectedBytes, new Map(), payload, signature]
  }
  const refused: [why: string, bend: (parts: Cbor[]) => Cbor][] = [
    ["another tag", (p) => new Tagged(98, p)],
    ["five parts", (p) => new Tagged(18, [...p, 1])],
    ["a label in both headers", (p) => new Tagged(18, [p[0] as Cbor, new Map([[4, new Uint8Array([1])]]), p[2] as Cbor, p[3] as Cbor])],
    [
      "a critical header",
      (p) => [
        encodeCbor(
          new Map<Cbor, Cbor>([
            [1, -7],
            [2, [4]],
          ]),
        ),
        new Map(),
        p[2] as Cbor,
        p[3] as Cbor,
      ],
    ],
    ["a protected header that is no map", (p) => [encodeCbor([1]), new Map(), p[2] as Cbor, p[3] as Cbor]],
    ["a payload that is text", (p) => [p[0] as Cbor, new Map(), "text", p[3] as Cbor]],
    ["a kid that is text", (p) => [p[0] as Cbor, new Map<Cbor, Cbor>([[4, "k"]]), p[2] as Cbor, p[3] as Cbor]],
  ]
  for (const [why, bend] of refused) {
    it(`${why} is refused`, async () => {
      const bent = encodeCbor(bend(await parts()))
      assert.throws(
        () => openSign1(bent),
        (error) => isAfgError(error) && /^aacp-(cose|cbor)-malformed$/.test(error.code),
      )
    })
  }

  it("trailing bytes, indefinite lengths and long integers are refused", async () => {
    const message = await sign1(payload, signer)
    for (const bytes of [Buffer.concat([message, Buffer.from([0])]), Buffer.from("9fff", "hex"), Buffer.from("d8128440a040", "hex")]) {
      assert.throws(() => openSign1(new Uint8Array(bytes)), { code: /^aacp-/ })
    }
  })
})

describe("keys for COSE", () => {
  const cose = (entries: [Cbor, Cbor][]) => encodeCbor(new Map(entries))
  const ec: [Cbor, Cbor][] = [
    [1, 2],
    [-1, 1],
    [-2, octets(jwk.x)],
    [-3, octets(jwk.y)],
  ]

  it("a COSE_Key is the same key as its JWK, with its kid and algorithm", async () => {
    const found = keyFromCose(cose([...ec, [2, new TextEncoder().encode("11")], [3, -7]]))
    assert.deepEqual([found.kid, found.alg], ["11", "ES256"])
    assert.equal(verifySign1(openSign1(await sign1(payload, signer)), found), true)
  })

  it("y may be given by its sign", () => {
    const odd = (octets(jwk.y)[31] ?? 0) % 2 === 1
    const compressed = keyFromCose(
      cose([
        [1, 2],
        [-1, 1],
        [-2, octets(jwk.x)],
        [-3, odd],
      ]),
    )
    assert.ok(compressed.publicKey.equals(pair.publicKey))
  })

  it("Ed25519", () => {
    const { x } = edPair.publicKey.export({ format: "jwk" })
    const found = keyFromCose(
      cose([
        [1, 1],
        [-1, 6],
        [-2, octets(x)],
      ]),
    )
    assert.ok(found.alg === "EdDSA" && found.publicKey.equals(edPair.publicKey))
  })

  const unusable: [why: string, entries: [Cbor, Cbor][]][] = [
    [
      "another curve",
      [
        [1, 2],
        [-1, 2],
        [-2, octets(jwk.x)],
        [-3, octets(jwk.y)],
      ],
    ],
    [
      "a symmetric key",
      [
        [1, 4],
        [-1, new Uint8Array(32)],
      ],
    ],
    ["an algorithm of another type", [...ec, [3, -8]]],
    ["an algorithm we do not have", [...ec, [3, -35]]],
    ["a key for signing only", [...ec, [4, [1]]]],
    [
      "a point that is on no curve",
      [
        [1, 2],
        [-1, 1],
        [-2, new Uint8Array(32).fill(255)],
        [-3, octets(jwk.y)],
      ],
    ],
    [
      "a short coordinate",
      [
        [1, 2],
        [-1, 1],
        [-2, octets(jwk.x).subarray(1)],
        [-3, octets(jwk.y)],
      ],
    ],
  ]
  for (const [why, entries] of unusable) {
    it(`${why} is refused`, () => assert.throws(() => keyFromCose(cose(entries)), { code: "aacp-key-unusable" }))
  }

  it("a JWK Set gives the keys that can be used", () => {
    const set = { keys: [{ ...jwk, kid: "a" }, { kty: "oct", k: "AA" }, { ...jwk, kid: "b", alg: "HS256" }, 5] } as unknown as JsonObject
    assert.deepEqual(
      keysFromJson(set).map((found) => found.kid),
      ["a"],
    )
  })
})
