/** AACP §8.1, §8.2: each of the eleven outcomes, by at least three causes each, with its error's name and detail. */
import assert from "node:assert/strict"
import { generateKeyPairSync, sign as signRsa } from "node:crypto"
import { describe, it } from "node:test"
import {
  createRequest,
  descriptorOf,
  errorOf,
  evidencePayload,
  keySigner,
  OUTCOMES,
  parseAnnotation,
  renderingDigest,
  signEvidence,
  staticKeys,
  verifyEvidence,
} from "../../orchestrator/aacp/index.ts"
import { CAUSES } from "./outcome-causes.ts"
import { AUDIENCE, countingEntropy, evidenceOf, key, signRaw, validInput, vector, verify } from "./support.ts"

describe("every outcome, by its causes", () => {
  for (const outcome of OUTCOMES) {
    describe(outcome, () => {
      it("has three causes or more here", () => assert.ok(CAUSES[outcome].length >= 3))
      for (const { cause, detail, change } of CAUSES[outcome]) {
        it(cause, async () => {
          const input = await validInput(await change())
          const result = await verifyEvidence(input)
          assert.deepEqual([result.outcome, result.detail, result.error], [outcome, detail, errorOf(outcome)], String(result.cause))
        })
      }
    })
  }
})

it("RS256 is verified where a key is registered for it", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "rsa", alg: "RS256", iss: "https://cs.example.com" }
  const signer = { kid: "rsa", alg: "ES256" as const, sign: (bytes: Uint8Array) => signRsa("sha256", bytes, privateKey) }
  const jws = await signRaw({ alg: "RS256", kid: "rsa" }, Buffer.from(evidencePayload(evidenceOf())).toString(), signer)
  assert.equal((await verify({ evidence: jws, keys: staticKeys({ keys: [jwk] }) })).outcome, "success")
  assert.throws(() => keySigner("rsa", "ES256", privateKey), { code: "aacp-key-unusable" })
})

it("the request's own descriptor and the annotated operation agree end to end", async () => {
  const annotation = parseAnnotation(vector("x-aacp.json"))
  const fields = JSON.parse(vector("operation.json"))
  const mapped = descriptorOf(annotation, { location: "https://api.airlines.example.com/bookings", fields })
  const asked = createRequest({ descriptor: mapped, audience: AUDIENCE }, countingEntropy())
  const made = evidenceOf({ "rendering-digest": renderingDigest(mapped, annotation) }, { request: asked })
  const result = await verify({ descriptor: mapped, request: asked, rendering: annotation, evidence: await signEvidence(made, key.signer) })
  assert.equal(result.outcome, "success")
})
