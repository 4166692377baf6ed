/** The threats of AACP §11 by name, and of delegated flows (§9.1). */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createEvidence,
  createRequest,
  descriptorOf,
  memoryReplayStore,
  parseAnnotation,
  renderingDigest,
  renderingSet,
  signEvidence,
  staticKeys,
  systemEntropy,
  type VerificationInput,
  verifyEvidence,
} from "../../orchestrator/aacp/index.ts"
import {
  AUDIENCE,
  CONFIRMED_AT,
  descriptor,
  evidenceOf,
  key,
  makeKey,
  NOW,
  policy,
  registered,
  request,
  sign,
  validInput,
  vector,
  verify,
} from "./support.ts"

const outcome = async (changes: Partial<VerificationInput>) => (await verify(changes)).outcome

describe("fabricated confirmation", () => {
  it("an agent's own key does not make evidence", async () => {
    const agent = makeKey("cs-1")
    assert.equal(await outcome({ evidence: await signEvidence(evidenceOf(), agent.signer) }), "invalid")
  })

  it("a claim without a signature is no evidence", async () => {
    assert.equal(await outcome({ evidence: JSON.stringify(evidenceOf()) }), "invalid")
    assert.equal(await outcome({ evidence: "the user approved this" }), "invalid")
  })
})

it("confirmation swapping: evidence for one flight does not book another", async () => {
  const other = { ...descriptor, parameters: { ...descriptor.parameters, flight_number: { value: "UA999", confirm: true } } }
  assert.equal(await outcome({ descriptor: other }), "mismatched")
})

describe("replay", () => {
  it("the same session: the request id is used up", async () => {
    const replay = memoryReplayStore()
    assert.equal(await outcome({ replay }), "success")
    assert.equal(await outcome({ replay }), "replay")
  })

  it("another session: its challenge is another", async () => {
    const current = createRequest({ descriptor, audience: AUDIENCE, subject: "user:alice@example.com" }, systemEntropy)
    assert.equal(await outcome({ request: current }), "stale")
    assert.equal(await outcome({ request: (id) => (id === current["request-id"] ? current : null) }), "stale")
  })

  it("old evidence: its lifetime has passed", async () => {
    assert.equal(await outcome({ now: CONFIRMED_AT + 301 }), "stale")
  })
})

it("diversion: evidence for one agent is nothing to another", async () => {
  assert.equal(await outcome({ audience: "agent:hotel.example.com" }), "diverted")
})

it("downgrade: leaving the evidence out, or its algorithm, is refused", async () => {
  assert.equal(await outcome({ evidence: undefined }), "absent")
  const [, body] = (await sign()).split(".")
  for (const alg of ["none", "None", "HS256", "ES384"]) {
    const head = Buffer.from(JSON.stringify({ alg, kid: "cs-1" })).toString("base64url")
    assert.equal(await outcome({ evidence: `${head}.${body}.` }), "invalid")
    assert.equal(await outcome({ evidence: `${head}.${body}.AAAA` }), "invalid")
  }
})

describe("rendering attacks", () => {
  it("a label that lies is in the digest, so the annotated API does not recognise it", async () => {
    const annotation = parseAnnotation(vector("x-aacp.json"))
    const operation = { location: "https://api.airlines.example.com/bookings", fields: JSON.parse(vector("operation.json")) }
    const honest = descriptorOf(annotation, operation)
    const price = { value: { currency: "USD", amount: "412.00" }, confirm: true, render: { label: "Total price", "value-label": "FREE" } }
    const lying = { ...honest, parameters: { ...honest.parameters, total_price: price } }
    assert.equal(renderingSet(lying).at(-1)?.[2], "FREE")
    const asked = createRequest({ descriptor: lying, audience: AUDIENCE }, systemEntropy)
    const made = evidenceOf({ "rendering-digest": renderingDigest(lying) }, { request: asked })
    assert.equal(
      await outcome({ evidence: await signEvidence(made, key.signer), request: asked, descriptor: honest, rendering: annotation }),
      "mismatched",
    )
  })

  it("a service that left a field out cannot show that it was seen", async () => {
    const part = { ...descriptor, parameters: { flight_number: descriptor.parameters?.flight_number } } as typeof descriptor
    assert.equal(await outcome({ evidence: await sign({ "rendering-digest": renderingDigest(part) }) }), "unexercised")
  })
})

it("prompt injection: whatever was injected, the person's no stands against it", async () => {
  assert.equal(await outcome({ evidence: await sign({ decision: "denied" }) }), "denied")
})

describe("a relaying agent (variant B)", () => {
  it("that drops the answer leaves it absent, which is no denial", async () => {
    assert.equal(await outcome({ evidence: undefined }), "absent")
  })

  it("that alters the action on the way is found out, whatever the service then signs", async () => {
    const altered = { ...descriptor, parameters: { ...descriptor.parameters, passenger_name: { value: "M. Allory", confirm: true } } }
    const bent = createRequest({ descriptor: altered, audience: AUDIENCE, subject: "user:alice@example.com" }, systemEntropy)
    const same = { ...bent, challenge: request.challenge, "request-id": request["request-id"] }
    const evidence = createEvidence({
      request: same,
      decision: "confirmed",
      confirmedAt: CONFIRMED_AT,
      authContext: { method: "passkey", loa: 4 },
    })
    assert.equal(await outcome({ evidence: await signEvidence(evidence, key.signer) }), "mismatched")
  })

  it("that names itself as the consumer makes it worthless here", async () => {
    assert.equal(await outcome({ evidence: await sign({ audience: "agent:relay.example.com" }) }), "diverted")
  })
})

describe("service compromise", () => {
  it("a key known to be compromised establishes nothing, even for the past", async () => {
    assert.equal(await outcome(registered({ revoked: { at: NOW, reason: "compromised" } })), "unverifiable")
  })

  it("a service outside the verifier's policy is not believed", async () => {
    const rogue = makeKey("rogue", "EdDSA", { iss: "https://rogue.example" })
    const keys = staticKeys({ keys: [key.jwk, rogue.jwk] })
    assert.equal(await outcome({ keys, evidence: await signEvidence(evidenceOf(), rogue.signer) }), "unverifiable")
  })

  it("a service cannot use up another's request ids", async () => {
    const rogue = makeKey("rogue", "EdDSA", { iss: "https://rogue.example" })
    const keys = staticKeys({ keys: [key.jwk, rogue.jwk] })
    const replay = memoryReplayStore()
    const lenient = { ...policy, services: undefined }
    await verifyEvidence(await validInput({ keys, replay, policy: lenient, evidence: await signEvidence(evidenceOf(), rogue.signer) }))
    assert.equal(await outcome({ keys, replay }), "success")
  })
})

it("time shifting: a fast clock gains no more than thirty seconds, a margin takes the rest back", async () => {
  assert.equal(await outcome({ now: CONFIRMED_AT - 31 }), "stale")
  assert.equal(await outcome({ now: CONFIRMED_AT + 271, margin: 30 }), "stale")
  assert.equal(await outcome({ now: CONFIRMED_AT + 270, margin: 30 }), "success")
})

it("key rotation: the old key's evidence holds while and after the keys overlap", async () => {
  const next = makeKey("cs-2", "ES256", { nbf: CONFIRMED_AT - 10 })
  const retired = { ...key.jwk, exp: CONFIRMED_AT + 10, revoked: { at: CONFIRMED_AT + 10, reason: "superseded" } }
  const keys = staticKeys({ keys: [retired, next.jwk] })
  assert.equal(await outcome({ keys }), "success")
  assert.equal(await outcome({ keys, evidence: await signEvidence(evidenceOf(), next.signer) }), "success")
})
