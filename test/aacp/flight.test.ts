/** The flight example of AACP Appendix B, against the vectors and against other implementations of JOSE. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { compactVerify, createLocalJWKSet } from "jose"
import {
  actionDigest,
  descriptorOf,
  detachJws,
  evidenceDigest,
  evidencePayload,
  fromCbor,
  jwkSigner,
  operationOf,
  parseAnnotation,
  parseDescriptor,
  parseEvidence,
  parseRequest,
  parseStatus,
  renderingDigest,
  renderingSet,
  signEvidence,
  signEvidenceCose,
  staticKeys,
  toCbor,
  verifyEvidence,
} from "../../orchestrator/aacp/index.ts"
import type { JsonObject } from "../../orchestrator/aacp/json.ts"
import { AUDIENCE, descriptor, NOW, policy, request, vector, vectorJson } from "./support.ts"

const keys = (vectorJson("private-keys.json").keys as unknown as JsonObject[]).map((jwk) => jwkSigner(jwk))
const eddsa = keys.find((signer) => signer.alg === "EdDSA")
assert.ok(eddsa)
const digests = vectorJson("digests.json")
const evidence = parseEvidence(vector("evidence.json"))
const shared = { keys: staticKeys(vectorJson("jwks.json")), descriptor, request, audience: AUDIENCE, policy, now: NOW }

describe("the flight example", () => {
  it("has the action digest and the rendering digest that are agreed", () => {
    assert.equal(actionDigest(descriptor), "z2pBt4Sw5_dsyaHIBHngxWx11deQ5q3VuUIs-C40rd8")
    assert.equal(renderingDigest(descriptor), "FrHKtVXyBWpO6HGKfAPOEfLgh80tDXzm9xPrMCrBdlw")
    assert.equal(digests.action_digest, actionDigest(descriptor))
    assert.equal(digests.rendering_digest, renderingDigest(descriptor))
  })

  it("shows the five confirmed fields in the order of names, and not the seat", () => {
    assert.deepEqual(renderingSet(descriptor), JSON.parse(vector("rendering.json")))
    assert.deepEqual(
      renderingSet(descriptor).map(([field]) => field),
      ["departure_date", "fare_class", "flight_number", "passenger_name", "total_price"],
    )
  })

  it("has one canonical payload", () => {
    assert.equal(Buffer.from(evidencePayload(evidence)).toString(), digests.payload)
  })

  it("is signed the same each time under EdDSA, attached, detached and as COSE", async () => {
    assert.equal(await signEvidence(evidence, eddsa), vector("evidence.eddsa.jws"))
    assert.equal(await signEvidence(evidence, eddsa, { detached: true }), vector("evidence.eddsa.detached.jws"))
    assert.equal(detachJws(vector("evidence.eddsa.jws")), vector("evidence.eddsa.detached.jws"))
    assert.equal(Buffer.from(await signEvidenceCose(evidence, eddsa)).toString("hex"), vector("evidence.eddsa.cose.hex"))
    assert.equal(evidenceDigest(vector("evidence.eddsa.jws")), digests.eddsa_evidence_sha256)
  })

  for (const name of ["evidence.es256.jws", "evidence.eddsa.jws"]) {
    it(`${name} is accepted, by us and by jose`, async () => {
      assert.equal((await verifyEvidence({ ...shared, evidence: vector(name) })).outcome, "success")
      const { payload } = await compactVerify(vector(name), createLocalJWKSet(vectorJson("jwks.json") as never))
      assert.equal(Buffer.from(payload).toString(), digests.payload)
    })
  }

  for (const name of ["evidence.es256.cose.hex", "evidence.eddsa.cose.hex"]) {
    it(`${name} is accepted`, async () => {
      const message = new Uint8Array(Buffer.from(vector(name), "hex"))
      assert.equal((await verifyEvidence({ ...shared, evidence: message })).outcome, "success")
    })
  }

  it("the denial is evidence, with the same structure", async () => {
    const result = await verifyEvidence({ ...shared, evidence: vector("denied.es256.jws") })
    assert.deepEqual([result.outcome, result.evidence], ["denied", parseEvidence(vector("denied.json"))])
  })

  it("the objects survive CBOR, both ways", () => {
    const readers = { descriptor: parseDescriptor, request: parseRequest, evidence: parseEvidence, status: parseStatus }
    for (const [type, read] of Object.entries(readers) as [keyof typeof readers, (text: string) => unknown][]) {
      const value = read(vector(`${type}.json`))
      assert.equal(Buffer.from(toCbor(type, value)).toString("hex"), vector(`${type}.cbor.hex`))
      assert.deepEqual(fromCbor(type, new Uint8Array(Buffer.from(vector(`${type}.cbor.hex`), "hex"))), value)
    }
  })

  it("the annotation of §10 maps the call to its descriptor and back", () => {
    const annotation = parseAnnotation(vector("x-aacp.json"))
    const operation = { location: "https://api.airlines.example.com/bookings", fields: vectorJson("operation.json") }
    const mapped = descriptorOf(annotation, operation)
    assert.deepEqual(mapped, JSON.parse(vector("mapped-descriptor.json")))
    assert.equal(actionDigest(mapped), digests.mapped_action_digest)
    assert.equal(renderingDigest(mapped, annotation), digests.mapped_rendering_digest)
    assert.deepEqual(operationOf(annotation, mapped), operation)
    assert.deepEqual(
      renderingSet(mapped, annotation).map(([field]) => field),
      annotation["confirm-parameters"],
    )
  })
})
