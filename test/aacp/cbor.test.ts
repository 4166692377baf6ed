/** The CBOR forms of AACP Appendix A: lossless both ways, deterministic, and strict about what they cannot say. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { type Cbor, encodeCbor, Tagged } from "../../orchestrator/aacp/cbor/bytes.ts"
import { readCbor } from "../../orchestrator/aacp/cbor/objects.ts"
import { type CborType, fromCbor, parseDescriptor, toCbor } from "../../orchestrator/aacp/index.ts"
import { canonicalDigest, canonicalText } from "../../orchestrator/aacp/json.ts"
import { isAfgError } from "../../orchestrator/errors.ts"
import { anyDescriptor, anyEvidence, anyRequest, anyStatus } from "./arbitraries.ts"
import { descriptor, evidenceOf, request, vector } from "./support.ts"

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"))

describe("round trips", () => {
  const kinds: readonly [CborType, fc.Arbitrary<unknown>][] = [
    ["descriptor", anyDescriptor],
    ["request", anyRequest],
    ["evidence", anyEvidence],
    ["status", anyStatus],
  ]
  for (const [type, arbitrary] of kinds) {
    it(`${type}: JSON → CBOR → JSON keeps the digest, CBOR → JSON → CBOR the bytes`, () => {
      fc.assert(
        fc.property(arbitrary, (value) => {
          const bytes = toCbor(type, value)
          const { value: back, deterministic } = readCbor(type, bytes)
          assert.equal(canonicalText(back), canonicalText(value))
          assert.equal(canonicalDigest(back), canonicalDigest(value))
          assert.ok(deterministic)
          assert.deepEqual(toCbor(type, back), bytes)
        }),
        { numRuns: 300 },
      )
    })
  }
})

describe("what CBOR cannot say is refused, not bent", () => {
  const refused: readonly [why: string, type: CborType, value: unknown, path: string][] = [
    ["a challenge of 17 octets", "request", { ...request, challenge: Buffer.alloc(17).toString("base64url") }, "/challenge"],
    ["a time with an offset", "descriptor", { ...descriptor, expires: "2026-10-31T13:00:00+01:00" }, "/expires"],
    ["a time with a fraction", "evidence", evidenceOf({ "confirmed-at": "2026-10-31T11:03:17.5Z" }), "/confirmed-at"],
    ["a time in lower case", "descriptor", { ...descriptor, expires: "2026-10-31t12:00:00z" }, "/expires"],
    ["evidence without a subject", "evidence", evidenceOf({ subject: undefined }), "/subject"],
  ]
  for (const [why, type, value, path] of refused) {
    it(why, () => assert.throws(() => toCbor(type, value), { code: "aacp-cbor-inexpressible", path }))
  }
})

describe("reading", () => {
  const map = (entries: Record<string, Cbor>) => encodeCbor(new Map(Object.entries(entries)))
  const minimal = { type: new Tagged(32, "urn:a"), actions: ["a"] }

  it("takes times and URIs without their tags", () => {
    const untagged = map({ type: "urn:a", actions: ["a"], locations: ["urn:b"], expires: 1_793_448_000 })
    assert.deepEqual(fromCbor("descriptor", untagged), {
      type: "urn:a",
      actions: ["a"],
      locations: ["urn:b"],
      expires: "2026-10-31T12:00:00Z",
    })
    assert.ok(readCbor("descriptor", untagged).deterministic)
  })

  it("takes keys in any order, and says so", () => {
    const unsorted = bytesOf("a2" + "67616374696f6e73816161" + "6474797065d820" + "6575726e3a61")
    assert.equal(readCbor("descriptor", unsorted).deterministic, false)
  })

  const refused: readonly [why: string, bytes: Uint8Array][] = [
    ["nothing", new Uint8Array(0)],
    ["a list", encodeCbor([1])],
    ["a duplicate key", bytesOf("a3" + "6474797065" + "6161" + "6474797065" + "6161" + "67616374696f6e73816161")],
    ["an indefinite map", bytesOf("bf" + "6474797065" + "6161" + "67616374696f6e73816161" + "ff")],
    ["a length in a longer form", bytesOf("a2" + "6474797065" + "780161" + "67616374696f6e73816161")],
    ["a float in a longer form", bytesOf("a3" + "6474797065" + "6161" + "67616374696f6e73816161" + "6178fb3ff8000000000000")],
    ["a whole number as a float", bytesOf("a3" + "6474797065" + "6161" + "67616374696f6e73816161" + "6178f93c00")],
    ["text that is not UTF-8", bytesOf("a2" + "6474797065" + "62c328" + "67616374696f6e73816161")],
    [
      "a number as a key",
      encodeCbor(
        new Map<Cbor, Cbor>([
          [1, 2],
          ["type", "a"],
          ["actions", ["a"]],
        ]),
      ),
    ],
    ["octets where JSON has none", map({ ...minimal, x: new Uint8Array([1]) })],
    ["another tag", map({ ...minimal, x: new Tagged(0, "2026-10-31T12:00:00Z") })],
    ["a tag where it does not belong", map({ ...minimal, x: new Tagged(32, "urn:a") })],
    ["an integer beyond 2^53", bytesOf("a3" + "6474797065" + "6161" + "67616374696f6e73816161" + "61781b0020000000000001")],
    ["NaN", bytesOf("a3" + "6474797065" + "6161" + "67616374696f6e73816161" + "6178f97e00")],
    ["undefined", bytesOf("a3" + "6474797065" + "6161" + "67616374696f6e73816161" + "6178f7")],
    ["minus zero", bytesOf("a3" + "6474797065" + "6161" + "67616374696f6e73816161" + "6178f98000")],
    ["a time with a fraction", map({ ...minimal, expires: new Tagged(1, 1.5) })],
    ["a time after the year 9999", map({ ...minimal, expires: new Tagged(1, 253_402_300_800) })],
    ["bytes after the end", Buffer.concat([map(minimal), Buffer.from([0])])],
  ]
  for (const [why, bytes] of refused) {
    it(`refuses ${why}`, () => {
      assert.throws(
        () => fromCbor("descriptor", new Uint8Array(bytes)),
        (error) => isAfgError(error) && error.code.startsWith("aacp-"),
      )
    })
  }

  it("refuses digests, ids and challenges of another length", () => {
    const good = parseMap("evidence.cbor.hex")
    for (const [name, length] of [
      ["action-digest", 31],
      ["request-id", 15],
      ["challenge", 17],
      ["rendering-digest", 33],
    ] as const) {
      const bent = new Map(good).set(name, new Uint8Array(length))
      assert.throws(() => fromCbor("evidence", encodeCbor(bent)), { code: "aacp-cbor-malformed", path: `/${name}` })
    }
  })

  it("never crashes on random bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom<CborType>("descriptor", "request", "evidence", "status"),
        (bytes, type) => {
          try {
            fromCbor(type, bytes)
          } catch (error) {
            assert.ok(isAfgError(error))
          }
        },
      ),
    )
  })

  it("a member called __proto__ is a member", () => {
    const value = parseDescriptor('{"type":"a","actions":["a"],"__proto__":{"x":1}}')
    assert.equal(canonicalText(fromCbor("descriptor", toCbor("descriptor", value))), canonicalText(value))
  })
})

const parseMap = (file: string): Map<Cbor, Cbor> => {
  const entries = fromCbor("evidence", bytesOf(vector(file))) as Record<string, unknown>
  const octets = ["action-digest", "challenge", "rendering-digest"]
  return new Map(
    Object.entries(entries).map(([name, value]): [Cbor, Cbor] => {
      if (octets.includes(name)) return [name, new Uint8Array(Buffer.from(String(value), "base64url"))]
      if (name === "request-id") return [name, new Uint8Array(Buffer.from(String(value).replaceAll("-", ""), "hex"))]
      if (name === "auth-context") return [name, new Map(Object.entries(value as Record<string, Cbor>))]
      return [name, name === "confirmed-at" ? new Tagged(1, 1_793_444_597) : (value as Cbor)]
    }),
  )
}
