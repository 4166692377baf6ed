/** Random protocol objects for property tests. */
import fc from "fast-check"
import { type ActionDescriptor, actionDigest, EFFECTS, formatTime, type JsonObject, readDescriptor } from "../../orchestrator/aacp/index.ts"

const name = fc.oneof(
  fc.constantFrom("value", "confirm", "__proto__", "constructor", "toJSON", "10", "9", "ä", "a/b~c", ""),
  fc.string({ unit: "grapheme", maxLength: 8 }),
)

/** What the strict reader lets through: no -0, no integers beyond 2^53, well-formed strings. */
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((n) => !Object.is(n, -0) && (Math.abs(n) <= Number.MAX_SAFE_INTEGER || Math.abs(n) >= 1e21)),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: "binary-ascii", maxLength: 6 }),
)

/** Any JSON value, with awkward member names. */
export const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, fc.array(tie("value"), { maxLength: 4 }), tie("object")),
  object: fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
})).value

const parameter = fc.record(
  {
    value: json,
    confirm: fc.boolean(),
    render: fc.record(
      {
        label: fc.string({ unit: "grapheme", maxLength: 10 }),
        "value-label": fc.string({ unit: "grapheme", maxLength: 10 }),
        format: fc.constantFrom("currency", "date", "date-time", "address", "bytes32", "other"),
        sensitive: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["value"] },
)

export const wholeSeconds: fc.Arbitrary<string> = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }).map(formatTime)
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })

export const anyDescriptor: fc.Arbitrary<ActionDescriptor> = fc
  .record(
    {
      type: text,
      actions: fc.array(text, { minLength: 1, maxLength: 3 }),
      locations: fc.array(fc.webUrl(), { minLength: 1, maxLength: 2 }),
      parameters: fc.dictionary(name, parameter, { maxKeys: 4 }),
      effect: fc.constantFrom(...EFFECTS),
      reversible: fc.boolean(),
      expires: wholeSeconds,
      "x-extra": json,
    },
    { requiredKeys: ["type", "actions"] },
  )
  .map((value) => readDescriptor(value))

const octets = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString("base64url"))
const uuid = fc.uuid().map((id) => id.toLowerCase())

/** Requests that carry their descriptor, with a 16-octet challenge so that CBOR can say them. */
export const anyRequest: fc.Arbitrary<JsonObject> = anyDescriptor.chain((descriptor) =>
  fc.record(
    {
      v: fc.constant(1),
      "request-id": uuid,
      "action-digest": fc.constant(actionDigest(descriptor)),
      challenge: octets(16),
      lifetime: fc.nat(),
      audience: text,
      subject: text,
      channel: fc.record(
        { "min-loa": fc.integer({ min: 0, max: 5 }), modes: fc.array(text, { minLength: 1, maxLength: 2 }) },
        { requiredKeys: [] },
      ),
      handoff: fc.array(octets(32), { minLength: 1, maxLength: 3 }),
      "rendering-hint": json,
      "action-descriptor": fc.constant(descriptor),
    },
    { requiredKeys: ["v", "request-id", "action-digest", "challenge", "lifetime"] },
  ),
) as unknown as fc.Arbitrary<JsonObject>

export const anyEvidence: fc.Arbitrary<JsonObject> = fc.record(
  {
    v: fc.constant(1),
    "request-id": uuid,
    "action-digest": octets(32),
    challenge: octets(16),
    decision: fc.constantFrom("confirmed", "denied"),
    audience: text,
    subject: text,
    "confirmed-at": wholeSeconds,
    "auth-context": fc.record({ method: text, loa: fc.integer({ min: 0, max: 5 }), as: fc.webUrl() }, { requiredKeys: ["method", "loa"] }),
    "rendering-digest": octets(32),
    handoff: fc.array(octets(32), { minLength: 1, maxLength: 3 }),
    extensions: json,
  },
  { requiredKeys: ["v", "request-id", "action-digest", "challenge", "decision", "subject", "confirmed-at", "auth-context"] },
) as unknown as fc.Arbitrary<JsonObject>

export const anyStatus: fc.Arbitrary<JsonObject> = fc.record({
  "request-id": uuid,
  outcome: fc.constant("unobtainable"),
  reason: fc.constantFrom("channel-unreachable", "dialog-expired", "cs-error", "user-unreachable"),
  "reported-at": wholeSeconds,
})
