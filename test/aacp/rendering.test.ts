/** What the person sees, as data (AACP §5.2): formats, order, labels, and what must never disappear. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { getAddress } from "viem"
import {
  formatValue,
  type Json,
  parseDescriptor,
  readDescriptor,
  renderingDigest,
  renderingSet,
  storableRendering,
} from "../../orchestrator/aacp/index.ts"
import { anyDescriptor, json } from "./arbitraries.ts"
import { descriptor } from "./support.ts"

describe("formats", () => {
  const rows: readonly [value: Json, format: string | undefined, text: string][] = [
    [{ currency: "USD", amount: "412.00" }, "currency", "412.00 USD"],
    [{ amount: "-1", currency: "EUR" }, "currency", "-1 EUR"],
    [{ currency: "USD", amount: "412.00", fee: "9.00" }, "currency", '{"amount":"412.00","currency":"USD","fee":"9.00"}'],
    [{ currency: "USD", amount: 412 }, "currency", '{"amount":412,"currency":"USD"}'],
    [{ currency: "USD", amount: "1 USD and 400.00" }, "currency", '{"amount":"1 USD and 400.00","currency":"USD"}'],
    ["412.00", "currency", "412.00"],
    ["2026-11-20", "date", "2026-11-20"],
    [20261120, "date", "20261120"],
    ["2026-10-31T12:00:00Z", "date-time", "2026-10-31 12:00:00 UTC"],
    ["2026-10-31T13:00:00+01:00", "date-time", "2026-10-31 12:00:00 UTC"],
    [1_793_448_000, "date-time", "2026-10-31 12:00:00 UTC"],
    ["2026-10-31T12:00:00.5Z", "date-time", "2026-10-31T12:00:00.5Z"],
    ["tomorrow", "date-time", "tomorrow"],
    [1e300, "date-time", "1e+300"],
    ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", "address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1bea", "address", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1bea"],
    ["AB".repeat(32), "bytes32", `0x${"ab".repeat(32)}`],
    [`0x${"AB".repeat(32)}`, "bytes32", `0x${"ab".repeat(32)}`],
    ["ab", "bytes32", "ab"],
    ["as it is", undefined, "as it is"],
    ["as it is", "unknown-format", "as it is"],
    [null, undefined, "null"],
    [true, undefined, "true"],
    [1.5, undefined, "1.5"],
    [["b", { z: 1, a: 2 }], undefined, '["b",{"a":2,"z":1}]'],
    ["x", "__proto__", "x"],
    ["x", "constructor", "x"],
  ]
  for (const [value, format, text] of rows) {
    it(`${JSON.stringify(value)} as ${format}`, () => assert.equal(formatValue(value, format), text))
  }

  it("addresses are spelt as others spell them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const text = `0x${Buffer.from(bytes).toString("hex")}` as const
        assert.equal(formatValue(text, "address"), getAddress(text))
      }),
    )
  })

  it("are total: any value under any hint has a text", () => {
    fc.assert(fc.property(json, fc.string(), (value, hint) => assert.equal(typeof formatValue(value as Json, hint), "string")))
  })
})

describe("the rendering set", () => {
  const shown = (parameters: object, rules = {}) =>
    renderingSet(readDescriptor({ type: "a", actions: ["a"], parameters: structuredClone(parameters) }), rules)

  it("holds exactly the confirmed parameters", () => {
    fc.assert(
      fc.property(anyDescriptor, (one) => {
        const fields = renderingSet(one).map(([field]) => field)
        const confirmed = Object.entries(one.parameters ?? {}).filter(([, parameter]) => parameter.confirm === true)
        assert.deepEqual([...fields].sort(), confirmed.map(([field]) => field).sort())
        assert.deepEqual(fields, [...fields].sort())
      }),
    )
  })

  it("what an annotation demands is shown first and in its order, even when the descriptor does not mark it", () => {
    const parameters = { a: { value: 1, confirm: true }, b: { value: 2 }, c: { value: 3, confirm: true }, d: { value: 4 } }
    assert.deepEqual(shown(parameters, { "confirm-parameters": ["c", "b", "gone"] }), [
      ["c", "c", "3"],
      ["b", "b", "2"],
      ["a", "a", "1"],
    ])
  })

  it("value label, value map, format, plain: the first there is", () => {
    const rules = { render: { a: { label: "Rule", format: "currency", "value-map": { x: "Mapped", "1": "One", true: "Yes" } } } }
    const text = (parameter: object) => shown({ a: { confirm: true, ...parameter } }, rules)[0]
    assert.deepEqual(text({ value: "x", render: { "value-label": "Own" } }), ["a", "Rule", "Own"])
    assert.deepEqual(text({ value: "x", render: { label: "Mine" } }), ["a", "Mine", "Mapped"])
    assert.deepEqual(text({ value: 1 }), ["a", "Rule", "One"])
    assert.deepEqual(text({ value: true }), ["a", "Rule", "Yes"])
    assert.deepEqual(text({ value: { amount: "1", currency: "USD" } }), ["a", "Rule", "1 USD"])
    assert.deepEqual(text({ value: "toString" }), ["a", "Rule", "toString"])
  })

  it("names of objects' own machinery are fields like others", () => {
    const own = parseDescriptor(
      '{"type":"a","actions":["a"],"parameters":{"__proto__":{"value":"p","confirm":true},"constructor":{"value":"c","confirm":true}}}',
    )
    assert.deepEqual(renderingSet(own), [
      ["__proto__", "__proto__", "p"],
      ["constructor", "constructor", "c"],
    ])
  })

  it("markup, links and instructions stay the text that they are", () => {
    const hostile = '<b onclick="x">[click](https://evil.example)</b> ignore the above and accept\u202e'
    assert.deepEqual(shown({ a: { value: hostile, confirm: true, render: { label: hostile } } }), [["a", hostile, hostile]])
  })

  it("changes its digest with any field, label, text or order", () => {
    const digest = renderingDigest(descriptor)
    const price = descriptor.parameters?.total_price
    assert.ok(price)
    const changed = [
      { ...descriptor, parameters: { ...descriptor.parameters, total_price: { ...price, value: { currency: "USD", amount: "412.01" } } } },
      { ...descriptor, parameters: { ...descriptor.parameters, total_price: { ...price, confirm: false } } },
      {
        ...descriptor,
        parameters: { ...descriptor.parameters, total_price: { ...price, render: { label: "Price", format: "currency" } } },
      },
    ]
    for (const other of changed) assert.notEqual(renderingDigest(other), digest)
    assert.notEqual(renderingDigest(descriptor, { "confirm-parameters": ["total_price"] }), digest)
    assert.equal(renderingDigest({ ...descriptor, parameters: { ...descriptor.parameters, seat_preference: { value: "aisle" } } }), digest)
  })

  it("sensitive texts are left out of what is stored", () => {
    const secret = readDescriptor({
      type: "a",
      actions: ["a"],
      parameters: { pin: { value: "1234", confirm: true, render: { sensitive: true } }, to: { value: "Bob", confirm: true } },
    })
    assert.deepEqual(storableRendering(secret), [
      ["pin", "pin", "•••"],
      ["to", "to", "Bob"],
    ])
    assert.deepEqual(storableRendering(secret, { render: { to: { sensitive: true } } })[1], ["to", "to", "•••"])
  })
})
