/** The quick canonical writer against the shared one, and base64url and times as they are read. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { fromBase64url, isBase64urlOf, toBase64url } from "../../orchestrator/aacp/base64url.ts"
import { isCertainlyCanonical, writeCanonical } from "../../orchestrator/aacp/canonical.ts"
import { readEvidence } from "../../orchestrator/aacp/evidence.ts"
import { formatTime, parseTime } from "../../orchestrator/aacp/index.ts"
import { canonicalText, parseCanonical } from "../../orchestrator/aacp/json.ts"
import { readQuickly } from "../../orchestrator/aacp/quick-evidence.ts"
import { isWholeSecondsUtc } from "../../orchestrator/aacp/time.ts"
import { canonicalize } from "../../orchestrator/json/index.ts"
import { anyEvidence, json } from "./arbitraries.ts"
import { evidenceOf } from "./support.ts"

describe("canonical JSON", () => {
  it("the quick writer says what the shared one says, or nothing", () => {
    fc.assert(
      fc.property(json, (value) => {
        const quick = writeCanonical(value)
        assert.ok(quick === null || quick === canonicalize(value))
        assert.equal(canonicalText(value), canonicalize(value))
      }),
      { numRuns: 2000 },
    )
  })

  it("what the shared one refuses, the quick one does not write", () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    const refused = [
      undefined,
      () => 1,
      1n,
      Symbol("a"),
      new Date(),
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -0,
      2 ** 53,
      "\ud800",
      { "\udfff": 1 },
      new Map(),
      cycle,
    ]
    for (const value of refused) {
      for (const holder of [value, [value], { a: value }]) {
        assert.equal(writeCanonical(holder), null)
        assert.throws(() => canonicalText(holder))
      }
    }
    assert.equal(writeCanonical({ toJSON: () => 1 }), null)
  })

  it("a text is canonical exactly when it is its value's canonical form", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1, 2), (value, space) => {
        const text = space === 0 ? canonicalize(value) : JSON.stringify(value, null, space === 1 ? undefined : 1)
        const expected = text === canonicalize(value)
        assert.equal(parseCanonical(text) !== null || (expected && text === "null"), expected)
        if (isCertainlyCanonical(text, JSON.parse(text))) assert.ok(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it("what two readers could read differently is not canonical, however it is written", () => {
    const texts = [
      '{"a":1,"a":1}',
      '{"b":1,"a":1}',
      '{"a":1.0}',
      '{"a":-0}',
      '{"a":9007199254740993}',
      '{"a":9007199254740992}',
      '["\\ud800"]',
      '{"a": 1}',
      '["\\u0061"]',
      '{"a":1e2}',
      '{"a":1}\n',
    ]
    for (const text of texts) {
      let read: unknown = null
      try {
        read = parseCanonical(text)
      } catch {
        continue
      }
      assert.equal(read, null, text)
    }
  })
})

describe("evidence read in one look", () => {
  const general = (text: string): unknown => {
    const value = parseCanonical(text)
    return value === null ? null : readEvidence(value)
  }
  const usual = canonicalText(evidenceOf())

  it("is what the general reader reads, or left to it", () => {
    assert.ok(readQuickly(usual))
    fc.assert(
      fc.property(anyEvidence, (value) => {
        const text = canonicalText(value)
        const quick = readQuickly(text)
        if (quick !== null) assert.deepEqual(quick, general(text))
      }),
      { numRuns: 500 },
    )
  })

  it("whatever is changed in the text, the two never disagree", () => {
    const letters = fc.constantFrom(...'"\\{}[]:,.09azAZ-_ \u0000\u007f\u00e9T', "", "null", '"v":1', "denied")
    fc.assert(
      fc.property(fc.nat(usual.length), fc.nat(3), letters, (place, gone, letter) => {
        const text = usual.slice(0, place) + letter + usual.slice(place + gone)
        const quick = readQuickly(text)
        if (quick !== null) assert.deepEqual(quick, general(text))
      }),
      { numRuns: 5000 },
    )
  })

  it("leaves spare bits, impossible dates and anything unusual to the general reader", () => {
    for (const [from, to] of [
      ["2026-10-31T", "2026-02-30T"],
      ["rd8", "rd9"],
      ["ODw", "ODx"],
      ["passkey", "pass\\u006bey"],
      ["alice", "aliçe"],
      ['"loa":4', '"loa":6'],
    ] as const) {
      assert.equal(readQuickly(usual.replace(from, to)), null, to)
    }
  })
})

describe("base64url", () => {
  it("one spelling per byte string", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const text = toBase64url(bytes)
        assert.deepEqual(new Uint8Array(fromBase64url(text) ?? []), bytes)
        assert.ok(isBase64urlOf(text, bytes.length))
        assert.ok(!isBase64urlOf(text, bytes.length + 1))
        assert.ok(isBase64urlOf(text, Math.max(0, bytes.length - 1), true))
      }),
    )
  })

  it("any text that is read is the spelling of what it reads as", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."AQgwBz09-_+/= \n") }), (text) => {
        const bytes = fromBase64url(text)
        if (bytes !== null) assert.equal(toBase64url(bytes), text)
      }),
      { numRuns: 1000 },
    )
  })

  it("padding, blanks, the other alphabet and spare bits are refused", () => {
    for (const text of ["AA==", "AA=", "A", "AB", "AAB", " AA", "AA\n", "+A", "/A", "ä"]) assert.equal(fromBase64url(text), null, text)
  })
})

describe("times", () => {
  it("what is written is read, to the second", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        const text = formatTime(seconds)
        assert.equal(parseTime(text), seconds)
        assert.ok(isWholeSecondsUtc(text))
      }),
      { numRuns: 2000 },
    )
  })

  it("agrees with the engine on offsets and fractions", () => {
    for (const text of [
      "2026-10-31T13:03:17+02:00",
      "2026-10-31T11:03:17.25Z",
      "2026-10-30T23:03:17-12:00",
      "2024-02-29T00:00:00Z",
      "2026-01-31T00:00:00Z",
    ]) {
      assert.equal(parseTime(text), Date.parse(text) / 1000, text)
    }
    assert.equal(parseTime("2026-10-31t11:03:17z"), 1_793_444_597)
    assert.equal(parseTime("0001-01-01T00:00:00Z"), -62_135_596_800)
  })

  it("what does not exist is refused", () => {
    const wrong = [
      "2026-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-00-10T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-01-00T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z",
      "2026-12-31T23:59:60Z",
      "2026-01-01T00:00:00",
      "2026-01-01 00:00:00Z",
      "2026-01-01",
      "1793444597",
      "2026-01-01T00:00:00+24:00",
      "2026-01-01T00:00:00.Z",
      "",
    ]
    for (const text of wrong) assert.equal(parseTime(text), null, text)
    for (const text of wrong.slice(0, 8)) assert.equal(isWholeSecondsUtc(text), false, text)
  })
})
