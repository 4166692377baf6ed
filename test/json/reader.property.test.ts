import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { isAfgError } from "../../orchestrator/errors.ts"
import { readCarefully } from "../../orchestrator/json/careful-reader.ts"
import { canonicalize, digestOf, type JsonValue, parseStrictJson } from "../../orchestrator/json/index.ts"
import { doubleFault } from "../../orchestrator/json/number.ts"

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => doubleFault(value) === null)
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    fc.integer(),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string({ unit: "binary", maxLength: 6 }), fc.constantFrom("__proto__", "a", "toString", "")), tie("value"), {
      maxKeys: 5,
    }),
  ),
})).value

/** Fragments that, glued together, come close to JSON and to every trap in it. */
const fragments = fc
  .array(
    fc.constantFrom(
      ...'{}[]:,"\\ \n-01e.',
      '"a"',
      '"a":',
      '"\\u0061":',
      '"\\ud83d',
      "\\ude02",
      "\ud800",
      "\udc00",
      '"__proto__":',
      "true",
      "null",
      "NaN",
      "-Infinity",
      "-0",
      "1e400",
      "9007199254740993",
      "1E20",
      "\ufeff",
      "//",
      "\\\\",
      '\\"',
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""))

type Outcome = { value: string } | { code: string; path: string | undefined }

const outcomeOf = (read: () => JsonValue): Outcome => {
  try {
    return { value: canonicalize(read()) }
  } catch (error) {
    if (!isAfgError(error)) throw error
    return { code: error.code, path: error.path }
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("properties of the strict reader", () => {
  it("reads back the canonical form and any other spelling of a value", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1, "\t"), (value, indent) => {
        const canonical = canonicalize(value)
        assert.equal(canonicalize(parseStrictJson(canonical)), canonical)
        assert.equal(canonicalize(parseStrictJson(JSON.stringify(value, null, indent))), canonical)
        assert.equal(digestOf(parseStrictJson(Buffer.from(canonical, "utf8"))), digestOf(value))
      }),
      { numRuns: 500 },
    )
  })

  it("agrees with JSON.parse wherever it accepts, and accepts nothing that JSON.parse does not", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fragments,
          json.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        (text) => {
          const outcome = outcomeOf(() => parseStrictJson(text))
          if ("value" in outcome) assert.equal(outcome.value, canonicalize(JSON.parse(text)))
          else if (!isJson(text)) assert.ok(outcome.code.startsWith("json-"))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it("answers on the quick path as on the careful one", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fragments,
          json.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          assert.deepEqual(
            outcomeOf(() => parseStrictJson(text)),
            outcomeOf(() => readCarefully(text, 64)),
          )
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it("finds a duplicate wherever a member is repeated", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 4 }), json, { minKeys: 1, maxKeys: 6 }), json, fc.nat(), (object, again, pick) => {
        const names = Object.keys(object)
        const name = names[pick % names.length] ?? ""
        const text = `[${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(again)}}]`
        const outcome = outcomeOf(() => parseStrictJson(text))
        assert.ok("code" in outcome && outcome.code === "json-duplicate-key")
      }),
      { numRuns: 300 },
    )
  })

  it("throws nothing but AfgError, whatever the bytes", () => {
    const almost = fc.tuple(json, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 })).map(([value, changes]) => {
      const bytes = Buffer.from(JSON.stringify(value), "utf8")
      for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
      return new Uint8Array(bytes)
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), almost), (bytes) => {
        outcomeOf(() => parseStrictJson(bytes))
      }),
      { numRuns: 2_000 },
    )
  })
})
