import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { isAfgError } from "../../orchestrator/errors.ts"
import { canonicalBytes, canonicalize, digestOf, sha256Hex } from "../../orchestrator/json/index.ts"

describe("the canonical form", () => {
  it("sorts members by UTF-16 units, not by code points", () => {
    assert.equal(canonicalize({ "\ufb33": 1, "😂": 2, a: 3, A: 4, "": 5 }), '{"":5,"A":4,"a":3,"😂":2,"\ufb33":1}')
  })

  it("is hashed as UTF-8", () => {
    assert.equal(digestOf({}), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    assert.equal(digestOf(["é"]), sha256Hex(Buffer.from('["é"]', "utf8")))
    assert.deepEqual(Buffer.from(canonicalBytes({ b: 1, a: null })).toString("hex"), Buffer.from('{"a":null,"b":1}').toString("hex"))
  })

  const cycle: Record<string, unknown> = {}
  cycle.again = [cycle]
  const refusals: [name: string, value: unknown, code: string, path: string | null][] = [
    ["undefined", undefined, "json-value", ""],
    ["an undefined member", { a: [{ b: undefined }] }, "json-value", "/a/0/b"],
    ["a function", { f: () => 1 }, "json-value", "/f"],
    ["a bigint", [1n], "json-value", "/0"],
    ["a date", { at: new Date(0) }, "json-value", "/at"],
    ["a map", new Map(), "json-value", ""],
    ["an object with toJSON", { a: { toJSON: () => 1 } }, "json-value", "/a"],
    ["bytes", { b: new Uint8Array(2) }, "json-value", "/b"],
    ["a boxed number", [Object(1)], "json-value", "/0"],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is tried
    ["a hole", [1, , 2], "json-value", "/1"],
    ["a cycle", cycle, "json-value", null],
    ["-0", { n: [-0] }, "json-negative-zero", "/n/0"],
    ["NaN", [Number.NaN], "json-not-finite", "/0"],
    ["Infinity", [Number.POSITIVE_INFINITY], "json-not-finite", "/0"],
    ["2^53", { n: 2 ** 53 }, "json-integer-range", "/n"],
    ["a lone surrogate", { a: ["\ud800"] }, "json-lone-surrogate", "/a/0"],
    ["a lone surrogate in a name", { a: { "\udc00": 1 } }, "json-lone-surrogate", "/a/\udc00"],
  ]
  for (const [name, value, code, path] of refusals)
    it(`refuses ${name}`, () => {
      assert.throws(
        () => canonicalize(value),
        (error: unknown) => isAfgError(error) && error.code === code && (path === null || error.path === path),
      )
    })

  it("takes objects without prototype", () => {
    const value: Record<string, unknown> = Object.create(null)
    Object.assign(value, { b: 1, a: 2 })
    assert.equal(canonicalize(value), '{"a":2,"b":1}')
  })

  it("throws nothing but AfgError, whatever the value", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withSparseArray: true, withTypedArray: true }),
        (value) => {
          try {
            canonicalize(value)
          } catch (error) {
            assert.ok(isAfgError(error))
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
