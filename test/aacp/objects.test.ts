/** Strict reading of descriptor, request, evidence and status (AACP §5.1, §6, §7.1, §9.3). */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  actionDigest,
  createEvidence,
  createRequest,
  type Json,
  maskSensitive,
  parseDescriptor,
  parseEvidence,
  parseRequest,
  parseStatus,
  readDescriptor,
  readEvidence,
  readRequest,
  readStatus,
  systemEntropy,
} from "../../orchestrator/aacp/index.ts"
import { canonicalText } from "../../orchestrator/aacp/json.ts"
import { isAfgError } from "../../orchestrator/errors.ts"
import { anyDescriptor, anyEvidence, anyRequest, json } from "./arbitraries.ts"
import { countingEntropy, descriptor, evidenceOf, request, vectorJson } from "./support.ts"

type Bend = [why: string, change: Record<string, unknown>, path: string]

/** `undefined` takes a member away. */
const bend = (value: object, change: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries({ ...value, ...change }).filter(([, member]) => member !== undefined))

const refusals = (read: (value: unknown) => unknown, code: string, good: object, bends: Bend[]): void => {
  it("the good one is read, the very object", () => assert.equal(read(good), good))
  for (const [why, change, path] of bends) it(`refuses ${why}`, () => assert.throws(() => read(bend(good, change)), { code, path }))
  for (const value of [null, [], "x", 1, true])
    it(`refuses ${JSON.stringify(value)}`, () => assert.throws(() => read(value), { code, path: "" }))
}

describe("action descriptor", () => {
  refusals(readDescriptor, "aacp-descriptor-malformed", descriptor, [
    ["no type", { type: undefined }, "/type"],
    ["an empty type", { type: "" }, "/type"],
    ["no actions", { actions: undefined }, "/actions"],
    ["an empty list of actions", { actions: [] }, "/actions"],
    ["an action that is no text", { actions: [1] }, "/actions"],
    ["an empty list of locations", { locations: [] }, "/locations"],
    ["parameters as a list", { parameters: [] }, "/parameters"],
    ["a parameter without a value", { parameters: { a: { confirm: true } } }, "/parameters/a/value"],
    ["confirm as a text", { parameters: { "a/b": { value: 1, confirm: "true" } } }, "/parameters/a~1b/confirm"],
    ["a label that is no text", { parameters: { a: { value: 1, render: { label: 1 } } } }, "/parameters/a/render/label"],
    ["an effect of its own", { effect: "destroy" }, "/effect"],
    ["reversible as a number", { reversible: 0 }, "/reversible"],
    ["a date for a time", { expires: "2026-10-31" }, "/expires"],
  ])

  it("null is a value", () => assert.ok(readDescriptor({ type: "a", actions: ["a"], parameters: { a: { value: null } } })))

  it("every member is in the digest, known or not", () => {
    fc.assert(
      fc.property(anyDescriptor, json, (one, extra) => {
        const more = readDescriptor({ ...structuredClone(one), "x-new": extra })
        assert.notEqual(actionDigest(more), actionDigest(one))
        assert.equal(actionDigest(parseDescriptor(canonicalText(one))), actionDigest(one))
      }),
      { numRuns: 100 },
    )
  })

  it("cannot change once it is read, so that its digest stays true", () => {
    const read = parseDescriptor('{"type":"a","actions":["a"],"parameters":{"p":{"value":{"deep":[1]}}}}')
    const before = actionDigest(read)
    assert.throws(() => Object.assign(read.parameters?.p?.value as object, { deep: 2 }), TypeError)
    assert.throws(() => ((read.actions as string[])[0] = "b"), TypeError)
    assert.equal(actionDigest(read), before)
    assert.notEqual(actionDigest({ ...read, actions: ["b"] }), before)
  })

  it("duplicate members, lossy numbers and lone surrogates never reach a digest", () => {
    const texts: [string, string][] = [
      ['{"type":"a","type":"b","actions":["a"]}', "json-duplicate-key"],
      ['{"type":"a","actions":["a"],"parameters":{"p":{"value":9007199254740993}}}', "json-integer-range"],
      ['{"type":"a","actions":["a"],"parameters":{"p":{"value":-0}}}', "json-negative-zero"],
      ['{"type":"\\ud800","actions":["a"]}', "json-lone-surrogate"],
      ['{"type":"a","actions":["a"]} x', "json-trailing"],
    ]
    for (const [text, code] of texts) assert.throws(() => parseDescriptor(text), { code })
  })

  it("sensitive values are masked for logs, and only they", () => {
    const secret = readDescriptor({
      ...structuredClone(descriptor),
      parameters: {
        card: { value: "4111", confirm: true, render: { label: "Card", "value-label": "4111…", sensitive: true } },
        seat: { value: "1A" },
      },
    })
    const masked = JSON.stringify(maskSensitive(secret))
    assert.ok(!masked.includes("4111") && masked.includes("1A") && masked.includes("Card"))
  })
})

describe("confirmation request", () => {
  refusals(readRequest, "aacp-request-malformed", request, [
    ["another version", { v: 2 }, "/v"],
    ["the version as a text", { v: "1" }, "/v"],
    ["no version", { v: undefined }, "/v"],
    ["an id that is no UUID", { "request-id": "1" }, "/request-id"],
    ["an id in capitals, which would be a second id", { "request-id": request["request-id"].toUpperCase() }, "/request-id"],
    ["a digest in hex", { "action-digest": "00".repeat(32) }, "/action-digest"],
    ["a digest with padding", { "action-digest": `${request["action-digest"]}=` }, "/action-digest"],
    ["a digest with spare bits", { "action-digest": `${request["action-digest"].slice(0, -1)}9` }, "/action-digest"],
    ["a challenge of 15 octets", { challenge: Buffer.alloc(15).toString("base64url") }, "/challenge"],
    ["no challenge", { challenge: undefined }, "/challenge"],
    ["a negative lifetime", { lifetime: -1 }, "/lifetime"],
    ["a lifetime with a fraction", { lifetime: 1.5 }, "/lifetime"],
    ["no lifetime", { lifetime: undefined }, "/lifetime"],
    ["an empty audience", { audience: "" }, "/audience"],
    ["a subject that is no text", { subject: 1 }, "/subject"],
    ["a level of 6", { channel: { "min-loa": 6 } }, "/channel/min-loa"],
    ["no modes in the list", { channel: { modes: [] } }, "/channel/modes"],
    ["an empty handoff", { handoff: [] }, "/handoff"],
    ["a handoff that is no digest", { handoff: ["x"] }, "/handoff"],
    ["another descriptor than the digest's", { "action-descriptor": { type: "a", actions: ["a"] } }, "/action-digest"],
  ])

  it("refuses a malformed descriptor by the descriptor's code and place", () => {
    const bad = bend(request, { "action-descriptor": { ...descriptor, effect: "x" } })
    assert.throws(() => readRequest(bad), { code: "aacp-descriptor-malformed", path: "/action-descriptor/effect" })
  })

  it("a new one binds the descriptor, with an id and a challenge of its own", () => {
    const [one, two] = [createRequest({ descriptor }, systemEntropy), createRequest({ descriptor }, systemEntropy)]
    assert.equal(one["action-digest"], two["action-digest"])
    assert.deepEqual(one["action-descriptor"], descriptor)
    assert.notEqual(one.challenge, two.challenge)
    assert.match(one["request-id"], /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Buffer.from(one.challenge, "base64url").length, 16)
    assert.equal("action-descriptor" in createRequest({ descriptor, digestOnly: true }, systemEntropy), false)
  })
})

describe("confirmation evidence", () => {
  refusals(readEvidence, "aacp-evidence-malformed", evidenceOf(), [
    ["another version", { v: 0 }, "/v"],
    ["no decision", { decision: undefined }, "/decision"],
    ["a decision in capitals", { decision: "Confirmed" }, "/decision"],
    ["a time as a number", { "confirmed-at": 1 }, "/confirmed-at"],
    ["no authentication", { "auth-context": undefined }, "/auth-context"],
    ["no method", { "auth-context": { loa: 1 } }, "/auth-context/method"],
    ["no level", { "auth-context": { method: "passkey" } }, "/auth-context/loa"],
    ["a level as a text", { "auth-context": { method: "passkey", loa: "4" } }, "/auth-context/loa"],
    ["a rendering digest that is none", { "rendering-digest": "x" }, "/rendering-digest"],
    ["null for a rendering digest", { "rendering-digest": null }, "/rendering-digest"],
    ["an empty turn", { dialog_turn: "" }, "/dialog_turn"],
  ])

  it("copies from the request what binds it", () => {
    const asked = createRequest({ descriptor, audience: "a", subject: "s", handoff: [request["action-digest"]] }, countingEntropy())
    const made = createEvidence({
      request: asked,
      decision: "denied",
      confirmedAt: 1_793_444_597.9,
      authContext: { method: "passkey", loa: 4 },
    })
    for (const name of ["request-id", "action-digest", "challenge", "audience", "subject", "handoff"] as const)
      assert.deepEqual(made[name], asked[name])
    assert.equal(made["confirmed-at"], "2026-10-31T11:03:17Z")
    assert.equal("rendering-digest" in made, false)
  })
})

describe("confirmation status", () => {
  refusals(readStatus, "aacp-status-malformed", vectorJson("status.json"), [
    ["another outcome", { outcome: "denied" }, "/outcome"],
    ["a reason of its own", { reason: "busy" }, "/reason"],
    ["no time", { "reported-at": undefined }, "/reported-at"],
    ["no id", { "request-id": undefined }, "/request-id"],
  ])
})

describe("readers and random input", () => {
  const readers = [parseDescriptor, parseRequest, parseEvidence, parseStatus]

  it("refuse with a code and a path, or return, and nothing else", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          json.map((value) => JSON.stringify(value)),
        ),
        fc.constantFrom(...readers),
        (text, read) => {
          try {
            read(text)
          } catch (error) {
            assert.ok(isAfgError(error))
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it("read back what was written", () => {
    fc.assert(
      fc.property(anyRequest, (value) => assert.equal(canonicalText(parseRequest(JSON.stringify(value))), canonicalText(value as Json))),
      { numRuns: 100 },
    )
    fc.assert(
      fc.property(anyEvidence, (value) => assert.equal(canonicalText(parseEvidence(JSON.stringify(value))), canonicalText(value as Json))),
      { numRuns: 100 },
    )
  })
})
