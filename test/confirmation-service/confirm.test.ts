import assert from "node:assert/strict"
import { hash } from "node:crypto"
import { describe, test } from "node:test"
import { p256 } from "@noble/curves/nist.js"
import { compactVerify, importJWK, type JWK } from "jose"
import { hexToBytes, keccak256 } from "viem"
import { memoryReplayStore, parseRequest, staticKeys, verifyEvidence } from "../../orchestrator/aacp/index.ts"
import type { OnChainConfirmation } from "../../orchestrator/confirmation-service/signing/answers.ts"
import { CONTRACT_MEMBER, fundAction } from "../../orchestrator/contract/fund-action.ts"
import { afgDomain, type Contract, fromUnix, hashTerms, messageDigest, termsOf } from "../../orchestrator/contract/index.ts"
import { fundDescriptor } from "../../orchestrator/fund-descriptor.ts"
import { canonicalize } from "../../orchestrator/json/index.ts"
import { createBrowser, decisionForm } from "./support/browser.ts"
import {
  API_ORIGIN,
  type Asked,
  ask,
  CHAIN_ID,
  contractFor,
  enrol,
  fetchAnswer,
  RESOLVER,
  requestFor,
  START,
  signedByBuyer,
  startWorld,
  type World,
} from "./support/world.ts"

type Signed = { evidence: string; confirmation: OnChainConfirmation | null }

const decideAs = async (world: World, request: Asked, decision: "confirmed" | "denied"): Promise<Signed> => {
  assert.equal((await ask(world.service, request)).status, 202)
  const browser = createBrowser(world.service, await enrol(world))
  const shown = await browser.open(`/confirm/${request["request-id"]}`)
  const done = await browser.send(decisionForm(shown), decision)
  assert.equal(done.page.state, decision)
  const { status, body } = await fetchAnswer(world.service, request["request-id"])
  assert.equal(status, 200)
  return body as unknown as Signed
}

const payloadOf = (jws: string): Record<string, unknown> => JSON.parse(Buffer.from(jws.split(".")[1] ?? "", "base64url").toString("utf8"))

const jwks = async (world: World): Promise<{ keys: (JWK & { erc7913: unknown; iss: string })[] }> =>
  (await fetch(world.service.jwks)).json() as Promise<{ keys: (JWK & { erc7913: unknown; iss: string })[] }>

const HALF_N = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n

describe("an accepted request", () => {
  test("yields evidence that passes all eight steps of AACP §8.1 with the published key", async (t) => {
    const world = await startWorld(t)
    const contract = await signedByBuyer(contractFor(world.service, world.clock.now))
    const request = requestFor(contract)
    const { evidence } = await decideAs(world, request, "confirmed")
    const action = fundAction(contract, { publicOrigin: API_ORIGIN })
    const { [CONTRACT_MEMBER]: _contract, ...plain } = request
    const verification = await verifyEvidence({
      evidence,
      keys: staticKeys(await jwks(world)),
      descriptor: fundDescriptor(action),
      rendering: action.xAacp,
      audience: action.audience,
      request: parseRequest(canonicalize(plain)),
      replay: memoryReplayStore(),
      policy: {
        services: [world.service.url],
        known_methods: ["scripted-demo", "one-time-link"],
        rules: [{ effect: "transfer", methods: ["scripted-demo"], min_loa: 0, require_rendering: true }],
      },
      now: START,
    })
    assert.equal(verification.outcome, "success", JSON.stringify(verification))
  })

  test("says exactly what happened, and what was asked", async (t) => {
    const world = await startWorld(t)
    const request = requestFor(contractFor(world.service, world.clock.now))
    const { evidence } = await decideAs(world, request, "confirmed")
    const payload = payloadOf(evidence)
    const { "rendering-digest": rendering, ...rest } = payload
    assert.match(String(rendering), /^[\w-]{43}$/)
    assert.deepEqual(rest, {
      v: 1,
      "request-id": request["request-id"],
      "action-digest": request["action-digest"],
      challenge: request.challenge,
      audience: request.audience,
      subject: request.subject,
      decision: "confirmed",
      "confirmed-at": fromUnix(START),
      "auth-context": { method: "scripted-demo", loa: 0 },
    })
    assert.equal(Buffer.from(evidence.split(".")[1] ?? "", "base64url").toString("utf8"), canonicalize(payload))
  })

  test("verifies with an independent JOSE library, given the JWK Set alone", async (t) => {
    const world = await startWorld(t)
    const { evidence } = await decideAs(world, requestFor(contractFor(world.service, world.clock.now)), "confirmed")
    const [key] = (await jwks(world)).keys
    assert.ok(key)
    const { protectedHeader } = await compactVerify(evidence, await importJWK(key, "ES256"))
    assert.deepEqual(protectedHeader, { alg: "ES256", kid: world.service.kid })
  })

  test("yields a Confirmation that the contract's confirmer signed, raw, with low s", async (t) => {
    const world = await startWorld(t)
    const contract = contractFor(world.service, world.clock.now)
    const { evidence, confirmation } = await decideAs(world, requestFor(contract), "confirmed")
    assert.ok(confirmation)
    assert.equal(confirmation.evidenceDigest, `0x${hash("sha256", evidence, "hex")}`)
    assert.equal(confirmation.notAfter, START + 300)
    const terms = termsOf(contract)
    assert.equal(keccak256(confirmation.signer), terms.roles.confirmer)
    const digest = messageDigest(afgDomain(CHAIN_ID, RESOLVER), "Confirmation", {
      termsHash: hashTerms(terms),
      evidenceDigest: confirmation.evidenceDigest,
      notAfter: confirmation.notAfter,
    })
    const signature = hexToBytes(confirmation.signature)
    assert.equal(signature.length, 64)
    assert.ok(BigInt(`0x${Buffer.from(signature.subarray(32)).toString("hex")}`) <= HALF_N)
    // The last 64 bytes of the signer are x and y: an uncompressed point without its prefix.
    const publicKey = Buffer.concat([Buffer.from([4]), hexToBytes(confirmation.signer).subarray(20)])
    assert.ok(p256.verify(signature, hexToBytes(digest), publicKey, { prehash: false, lowS: true }))
  })

  test("never outlives the job's own deadline for funding", async (t) => {
    const world = await startWorld(t)
    const contract = contractFor(world.service, world.clock.now, (example) => ({
      ...example,
      escrow: { ...example.escrow, fund_by: fromUnix(START + 100) },
    }))
    const { confirmation } = await decideAs(world, requestFor(contract), "confirmed")
    assert.equal(confirmation?.notAfter, START + 100)
  })
})

describe("a rejected request", () => {
  test("yields signed evidence of the denial and nothing that binds", async (t) => {
    const world = await startWorld(t)
    const { evidence, confirmation } = await decideAs(world, requestFor(contractFor(world.service, world.clock.now)), "denied")
    assert.equal(confirmation, null)
    assert.equal(payloadOf(evidence).decision, "denied")
  })
})

describe("the published key set", () => {
  test("has one ES256 key, no private member, and the signer bytes for each chain", async (t) => {
    const world = await startWorld(t)
    const { keys } = await jwks(world)
    const [key] = keys
    assert.equal(keys.length, 1)
    assert.ok(key)
    assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "erc7913", "iss", "kid", "kty", "nbf", "use", "x", "y"])
    assert.equal(key.iss, world.service.url)
    assert.equal(key.kid, world.service.kid)
    assert.deepEqual(key.erc7913, [{ chain_id: CHAIN_ID, signer: world.service.signer }])
    assert.equal(world.service.signer.length, 2 + 2 * (20 + 64))
  })
})

describe("what the page says of who asks", () => {
  const kickerOf = async (world: World, contract: Contract): Promise<string> => {
    const request = requestFor(contract)
    await ask(world.service, request)
    return (await createBrowser(world.service, await enrol(world)).open(`/confirm/${request["request-id"]}`)).html
  }

  test("the agent asks when its wallet has signed the contract", async (t) => {
    const world = await startWorld(t)
    const html = await kickerOf(world, await signedByBuyer(contractFor(world.service, world.clock.now)))
    assert.match(html, /Its wallet has signed this contract/)
    assert.doesNotMatch(html, /may come from someone else/)
  })

  test("somebody asks in its name when no signature, or another's, is there", async (t) => {
    const world = await startWorld(t)
    const contract = contractFor(world.service, world.clock.now)
    const foreign = await signedByBuyer({ ...contract, deadline: { ...contract.deadline, max_submissions: 9 } })
    for (const candidate of [contract, { ...contract, job_id: "afg:job:01M0AFGC0DEF1X000000000009", signatures: foreign.signatures }]) {
      assert.match(await kickerOf(world, candidate), /may come from someone else/)
    }
  })
})
