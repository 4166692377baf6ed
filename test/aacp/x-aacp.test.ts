/** Annotations (AACP §10): an operation and its descriptor, in both directions. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  type Annotation,
  descriptorOf,
  type JsonObject,
  operationOf,
  parseAnnotation,
  readAnnotation,
  renderingSet,
} from "../../orchestrator/aacp/index.ts"
import { canonicalText } from "../../orchestrator/aacp/json.ts"
import { json } from "./arbitraries.ts"
import { vector } from "./support.ts"

const flight = parseAnnotation(vector("x-aacp.json"))
const location = "https://api.airlines.example.com/bookings"
const fields = { flight_number: "UA123", fare_class: "business", total_price: { currency: "USD", amount: "412.00" }, seat: "1A" }

describe("from an operation to its descriptor", () => {
  it("fields become parameters by name, the endpoint becomes the location, value maps become labels", () => {
    assert.deepEqual(descriptorOf(flight, { location, fields }), {
      type: "https://api.airlines.example.com/actions/flight_booking",
      actions: ["book"],
      locations: [location],
      parameters: {
        flight_number: { value: "UA123", confirm: true, render: { label: "Flight" } },
        fare_class: { value: "business", confirm: true, render: { label: "Cabin", "value-label": "Business" } },
        total_price: { value: { currency: "USD", amount: "412.00" }, confirm: true, render: { label: "Total price", format: "currency" } },
        seat: { value: "1A" },
      },
    })
  })

  it("a field that must be confirmed and is missing is refused", () => {
    assert.throws(() => descriptorOf(flight, { location, fields: { flight_number: "UA123" } }), {
      code: "aacp-mapping-impossible",
      path: "/fare_class",
    })
  })

  it("the confirmation itself is no parameter", () => {
    const described = descriptorOf(flight, { location, fields: { ...fields, confirmation: "a.b.c" } })
    assert.equal(canonicalText(described), canonicalText(descriptorOf(flight, { location, fields })))
  })

  it("a value that the map does not know is shown as it is", () => {
    const described = descriptorOf(flight, { location, fields: { ...fields, fare_class: "first" } })
    assert.deepEqual(renderingSet(described, flight)[1], ["fare_class", "Cabin", "first"])
  })

  it("effect, reversibility and expiry come from the annotation", () => {
    const annotation = readAnnotation({
      type: "urn:a",
      actions: ["pay"],
      "confirm-parameters": ["amount"],
      effect: "transfer",
      reversible: false,
      expires: "until",
    })
    const described = descriptorOf(annotation, { location, fields: { amount: "1", until: "2026-10-31T12:00:00Z" } })
    assert.deepEqual([described.effect, described.reversible, described.expires], ["transfer", false, "2026-10-31T12:00:00Z"])
    assert.throws(() => descriptorOf(annotation, { location, fields: { amount: "1", until: "soon" } }), {
      code: "aacp-descriptor-malformed",
      path: "/expires",
    })
  })
})

describe("and back", () => {
  const annotations: Annotation[] = [
    flight,
    readAnnotation({ type: "urn:a", actions: ["a"] }),
    readAnnotation({
      type: "urn:b",
      actions: ["b"],
      effect: "delete",
      reversible: true,
      render: { "": { label: "Empty" }, "10": { "value-map": { "1": "one" } } },
    }),
  ]

  it("the operation comes back, whatever it holds", () => {
    fc.assert(
      fc.property(fc.constantFrom(...annotations), fc.dictionary(fc.string({ maxLength: 6 }), json, { maxKeys: 5 }), (annotation, more) => {
        const all = { ...more, ...(annotation === flight ? fields : {}) } as JsonObject
        const described = descriptorOf(annotation, { location, fields: all })
        assert.equal(canonicalText(operationOf(annotation, described)), canonicalText({ location, fields: withoutConfirmation(all) }))
      }),
      { numRuns: 300 },
    )
  })

  const described = descriptorOf(flight, { location, fields })
  const foreign: [why: string, change: object][] = [
    ["another type", { type: "urn:other" }],
    ["another verb", { actions: ["cancel"] }],
    ["an effect that the annotation does not give", { effect: "create" }],
    ["a member more", { note: "x" }],
    ["two locations", { locations: [location, "https://evil.example"] }],
    ["no location", { locations: undefined }],
    [
      "a label of the agent's own",
      { parameters: { ...described.parameters, total_price: { ...described.parameters?.total_price, render: { label: "Free" } } } },
    ],
    [
      "a confirmed field unmarked",
      { parameters: { ...described.parameters, total_price: { value: { currency: "USD", amount: "412.00" } } } },
    ],
  ]
  for (const [why, change] of foreign) {
    it(`a descriptor with ${why} is not this operation's`, () => {
      assert.throws(
        () => operationOf(flight, { ...described, ...change } as typeof described),
        (error: { code?: string }) => error.code === "aacp-mapping-impossible",
      )
    })
  }
})

const withoutConfirmation = ({ confirmation: _evidence, ...rest }: JsonObject): JsonObject => rest

describe("annotations", () => {
  const refused: [why: string, value: unknown, path: string][] = [
    ["no type", { actions: ["a"] }, "/type"],
    ["no verbs", { type: "a", actions: [] }, "/actions"],
    ["a field named twice", { type: "a", actions: ["a"], "confirm-parameters": ["a", "a"] }, "/confirm-parameters"],
    ["an effect of its own", { type: "a", actions: ["a"], effect: "x" }, "/effect"],
    ["a map to something else than text", { type: "a", actions: ["a"], render: { a: { "value-map": { x: 1 } } } }, "/render/a/value-map/x"],
    ["a label that is no text", { type: "a", actions: ["a"], render: { a: { label: 1 } } }, "/render/a/label"],
  ]
  for (const [why, value, path] of refused) {
    it(`refuses ${why}`, () => assert.throws(() => readAnnotation(value), { code: "aacp-annotation-malformed", path }))
  }

  it("may come inside an operation object", () => {
    const bare = JSON.stringify({ type: "a", actions: ["a"] })
    assert.deepEqual(parseAnnotation(`{"summary":"s","x-aacp":${bare}}`), parseAnnotation(bare))
  })
})
