import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isAfgError } from "../../orchestrator/errors.ts"
import type { JsonErrorCode } from "../../orchestrator/json/errors.ts"
import { canonicalize, parseStrictJson } from "../../orchestrator/json/index.ts"

const refused = (
  input: string | Uint8Array,
  code: JsonErrorCode,
  path: string,
  limits?: { maxBytes?: number; maxDepth?: number },
): void => {
  assert.throws(
    () => parseStrictJson(input, limits),
    (error: unknown) => {
      assert.ok(isAfgError(error), String(error))
      assert.deepEqual({ code: error.code, path: error.path }, { code, path })
      return true
    },
  )
}

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : Buffer.from(part))))

describe("what the strict reader refuses", () => {
  const cases: [name: string, text: string, code: JsonErrorCode, path: string][] = [
    ["a duplicate name", '{"a":1,"b":2,"a":3}', "json-duplicate-key", "/a"],
    ["a duplicate name spelled with an escape", '{"a":1,"\\u0061":2}', "json-duplicate-key", "/a"],
    ["a duplicate name deep inside", '{"x":[{},{"k/~":{"a":1,"a":1}}]}', "json-duplicate-key", "/x/1/k~1~0/a"],
    ["a duplicate __proto__", '{"__proto__":1,"__proto__":2}', "json-duplicate-key", "/__proto__"],
    ["a duplicate empty name", '{"":1,"":1}', "json-duplicate-key", "/"],
    ["a duplicate with equal values and a duplicate-free twin", '[{"a":{}},{"a":{},"a":{}}]', "json-duplicate-key", "/1/a"],
    ["an escaped lone high surrogate", '["\\ud800"]', "json-lone-surrogate", "/0"],
    ["an escaped lone low surrogate", '["\\uDC00"]', "json-lone-surrogate", "/0"],
    ["surrogates in the wrong order", '{"a":"\\udc00\\ud800"}', "json-lone-surrogate", "/a"],
    ["a raw lone surrogate", '{"a":"\ud800"}', "json-lone-surrogate", "/a"],
    ["half raw, half escaped but apart", '["\ud83d \\ude02"]', "json-lone-surrogate", "/0"],
    ["a lone surrogate in a name", '{"\\ud800":1}', "json-lone-surrogate", ""],
    ["a byte order mark", "\ufeff{}", "json-bom", ""],
    ["NaN", '{"a":NaN}', "json-not-finite", "/a"],
    ["Infinity", "[1,Infinity]", "json-not-finite", "/1"],
    ["-Infinity", "-Infinity", "json-not-finite", ""],
    ["1e400", '{"a":{"b":1e400}}', "json-number-range", "/a/b"],
    ["-1e400", "-1e400", "json-number-range", ""],
    ["a number that becomes zero", "[1e-400]", "json-number-range", "/0"],
    ["a negative number that becomes zero", "[-1e-400]", "json-number-range", "/0"],
    ["-0", "[-0]", "json-negative-zero", "/0"],
    ["-0.0", "[-0.0]", "json-negative-zero", "/0"],
    ["-0e5", "[-0e5]", "json-negative-zero", "/0"],
    ["-0.000E-3", "[-0.000E-3]", "json-negative-zero", "/0"],
    ["2^53", "9007199254740992", "json-integer-range", ""],
    ["2^53 + 1", '{"n":9007199254740993}', "json-integer-range", "/n"],
    ["-2^53", "-9007199254740992", "json-integer-range", ""],
    ["2^53 with a fraction of zero", "9007199254740992.0", "json-integer-range", ""],
    ["2^53 with an exponent", "9007199254740992e0", "json-integer-range", ""],
    ["an exponent whose canonical form is a large integer", "1e20", "json-integer-range", ""],
    ["a long integer", "1000000000000000000000000", "json-integer-range", ""],
    ["an integer that changes, beyond the integers' spelling", "1234567890123456789e10", "json-number-precision", ""],
    ["more digits than a double has", "3.141592653589793238462643383279", "json-number-precision", ""],
    ["a subnormal that changes", "4.9e-324", "json-number-precision", ""],
    ["two values", "1 2", "json-trailing", ""],
    ["a trailing brace", "{}}", "json-trailing", ""],
    ["nothing", "", "json-syntax", ""],
    ["blanks", " \n", "json-syntax", ""],
    ["a comment", '{"a":1/*x*/}', "json-syntax", ""],
    ["a trailing comma in an object", '{"a":1,}', "json-syntax", ""],
    ["a trailing comma in an array", "[1,]", "json-syntax", "/1"],
    ["single quotes", "{'a':1}", "json-syntax", ""],
    ["an unquoted name", "{a:1}", "json-syntax", ""],
    ["an unknown escape", '["\\x41"]', "json-syntax", "/0"],
    ["a short unicode escape", '["\\u12"]', "json-syntax", "/0"],
    ["a raw control character", '["\u0001"]', "json-syntax", "/0"],
    ["a string without end", '{"a":"b', "json-syntax", "/a"],
    ["an object without end", '{"a":[1', "json-syntax", "/a"],
    ["a truncated literal", '{"a":tru}', "json-syntax", "/a"],
    ["a plus sign", "[+1]", "json-syntax", "/0"],
    ["a missing integer part", "[.5]", "json-syntax", "/0"],
    ["another blank", "[1,\u00a02]", "json-syntax", "/1"],
  ]
  for (const [name, text, code, path] of cases) it(name, () => refused(text, code, path))

  it("a leading zero", () => refused("[01]", "json-syntax", ""))
  it("a byte order mark in bytes", () => refused(bytes([0xef, 0xbb, 0xbf], "{}"), "json-bom", ""))
  it("a byte that is not UTF-8", () => refused(bytes('{"a":["x","', [0xff], '"]}'), "json-utf8", "/a/1"))
  it("an overlong form", () => refused(bytes('{"a":"', [0xc0, 0x80], '"}'), "json-utf8", "/a"))
  it("a surrogate encoded in UTF-8", () => refused(bytes('["', [0xed, 0xa0, 0x80], '"]'), "json-utf8", "/0"))
  it("a character that the end cuts off", () => refused(bytes('["é', [0xe2, 0x82]), "json-utf8", "/0"))
  it("UTF-16", () => refused(new Uint8Array(Buffer.from('{"a":"é"}', "utf16le")), "json-utf8", ""))

  it("a document over the byte limit", () => {
    refused('{"a":"xxxxxxxx"}', "json-too-large", "", { maxBytes: 8 })
    refused(bytes("[1,2,3,4,5]"), "json-too-large", "", { maxBytes: 8 })
    refused('["ééé"]', "json-too-large", "", { maxBytes: 9 })
    assert.deepEqual(parseStrictJson('["ééé"]', { maxBytes: 10 }), ["ééé"])
  })

  it("a document nested deeper than the limit", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
    refused(nested(65), "json-too-deep", "/0".repeat(64))
    assert.doesNotThrow(() => parseStrictJson(nested(64)))
    refused('{"a":{"b":[]}}', "json-too-deep", "/a/b", { maxDepth: 2 })
    refused("[".repeat(500_000), "json-too-deep", "/0".repeat(64))
    refused("[".repeat(5_000), "json-too-deep", "/0".repeat(1_000), { maxDepth: 1_000_000 })
  })

  it("says line, column and offset", () => {
    assert.throws(
      () => parseStrictJson('{\n  "a": 1,\n  "a": 2\n}'),
      (error: unknown) => isAfgError(error) && /line 3, column 3/.test(error.message) && error.details?.offset === 14,
    )
  })
})

describe("what the strict reader takes", () => {
  const cases: [name: string, text: string, canonical: string][] = [
    ["__proto__ as a member", '{"__proto__":{"a":1},"b":2}', '{"__proto__":{"a":1},"b":2}'],
    ["constructor and toString as members", '{"toString":1,"constructor":2}', '{"constructor":2,"toString":1}'],
    ["a surrogate pair, raw and escaped", '["😂","\\ud83d\\ude02"]', '["😂","😂"]'],
    ["the largest safe integers", "[9007199254740991,-9007199254740991]", "[9007199254740991,-9007199254740991]"],
    ["an integer with a fraction of zero", "[1.0,10e-1]", "[1,1]"],
    ["large powers of ten", "[1E30,1e21]", "[1e+30,1e+21]"],
    ["seventeen digits", "333333333.33333329", "333333333.3333333"],
    ["the smallest subnormal", "5e-324", "5e-324"],
    ["zero with any exponent", "[0e99999,0.000]", "[0,0]"],
    ["escapes of every kind", '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"', '"\\"\\\\/\\b\\f\\n\\r\\tA"'],
    ["a quote after an escaped backslash", '{"a\\\\":"b\\\\\\"","c":1}', '{"a\\\\":"b\\\\\\"","c":1}'],
    ["colons, brackets and numbers inside strings", '{"a:1":"{[-0,1e400]}:"}', '{"a:1":"{[-0,1e400]}:"}'],
    ["names that differ only in normal form", '{"\\u00e9":1,"e\\u0301":2}', '{"e\u0301":2,"\u00e9":1}'],
    ["an inner byte order mark", '["\ufeff"]', '["\ufeff"]'],
    ["blanks of all four kinds", " \t\r\n[ 1 , 2 ]\n", "[1,2]"],
  ]
  for (const [name, text, canonical] of cases)
    it(name, () => {
      assert.equal(canonicalize(parseStrictJson(text)), canonical)
      assert.equal(canonicalize(parseStrictJson(Buffer.from(text, "utf8"))), canonical)
    })

  it("does not let __proto__ reach a prototype", () => {
    const value = parseStrictJson('{"__proto__":{"polluted":true}, "n": 12345678.12345678}') as Record<string, unknown>
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    assert.equal(value.polluted, undefined)
    assert.ok(Object.hasOwn(value, "__proto__"))
  })
})
