/** AACP §8.1, §8.2: what leads to each of the eleven outcomes. */
import assert from "node:assert/strict"
import {
  actionDigest,
  type ConfirmationRequest,
  detachJws,
  evidencePayload,
  memoryDenials,
  memoryReplayStore,
  type Outcome,
  parseAnnotation,
  readPolicy,
  signEvidence,
  signEvidenceCose,
  staticKeys,
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
  signRaw,
  validInput,
  vector,
  verify,
} from "./support.ts"

type Change = Partial<VerificationInput>
export type Row = { cause: string; detail: string; change: () => Change | Promise<Change> }

const payload = () => Buffer.from(evidencePayload(evidenceOf())).toString()
const HEADER = { alg: "ES256", kid: "cs-1" }
const evidence = (changes: Record<string, unknown>) => async () => ({ evidence: await sign(changes) })
const requestWith = (changes: Partial<ConfirmationRequest>): ConfirmationRequest => ({ ...request, ...changes })
const policyWith = (rule: object) => () => ({ policy: readPolicy({ rules: [rule] }) })
const OTHER_DIGEST = "LCa0a2j_xo_5m0U8HTBBNBNCLXBkg7-g-YpeiGJm564"
/** One bit of the signature is wrong. */
export const flipped = (jws: string) => {
  const [head, body, tail = ""] = jws.split(".")
  const bytes = Buffer.from(tail, "base64url")
  bytes[10] = (bytes[10] ?? 0) ^ 1
  return `${head}.${body}.${bytes.toString("base64url")}`
}
/** Three octets of the signature are missing. */
const shortened = (jws: string) => {
  const end = jws.lastIndexOf(".") + 1
  return jws.slice(0, end) + Buffer.from(jws.slice(end), "base64url").subarray(0, 61).toString("base64url")
}

export const failing = () => {
  throw new Error("down")
}
const chain = [OTHER_DIGEST]
const chained = requestWith({ handoff: chain })

/** For each outcome, ways to come to it from a presentation that would succeed. */
export const CAUSES: Record<Outcome, Row[]> = {
  absent: [
    { cause: "nothing was presented", detail: "no_evidence", change: () => ({ evidence: undefined }) },
    { cause: "null was presented", detail: "no_evidence", change: () => ({ evidence: null }) },
    { cause: "an empty header was presented", detail: "no_evidence", change: () => ({ evidence: "" }) },
    { cause: "no bytes were presented", detail: "no_evidence", change: () => ({ evidence: new Uint8Array(0) }) },
  ],
  invalid: [
    { cause: "two parts", detail: "aacp-jws-malformed", change: () => ({ evidence: "e30.e30" }) },
    { cause: "four parts", detail: "aacp-jws-malformed", change: async () => ({ evidence: `${await sign()}.e30` }) },
    { cause: "padding", detail: "aacp-jws-malformed", change: async () => ({ evidence: `${await sign()}==` }) },
    { cause: "blanks around", detail: "aacp-jws-malformed", change: async () => ({ evidence: ` ${await sign()}` }) },
    { cause: "a signature bit flipped", detail: "signature_wrong", change: async () => ({ evidence: flipped(await sign()) }) },
    { cause: "a signature cut short", detail: "signature_wrong", change: async () => ({ evidence: shortened(await sign()) }) },
    {
      cause: "alg none",
      detail: "aacp-jws-malformed",
      change: async () => ({ evidence: await signRaw({ ...HEADER, alg: "none" }, payload()) }),
    },
    {
      cause: "HS256",
      detail: "aacp-jws-malformed",
      change: async () => ({ evidence: await signRaw({ ...HEADER, alg: "HS256" }, payload()) }),
    },
    {
      cause: "an algorithm the key is not registered for",
      detail: "algorithm_not_registered",
      change: async () => ({ evidence: await signRaw({ ...HEADER, alg: "EdDSA" }, payload()) }),
    },
    { cause: "no kid", detail: "aacp-jws-malformed", change: async () => ({ evidence: await signRaw({ alg: "ES256" }, payload()) }) },
    {
      cause: "crit",
      detail: "aacp-jws-malformed",
      change: async () => ({ evidence: await signRaw({ ...HEADER, crit: ["exp"], exp: 1 }, payload()) }),
    },
    { cause: "b64", detail: "aacp-jws-malformed", change: async () => ({ evidence: await signRaw({ ...HEADER, b64: false }, payload()) }) },
    {
      cause: "a key in the header",
      detail: "aacp-jws-malformed",
      change: async () => ({ evidence: await signRaw({ ...HEADER, jwk: key.jwk }, payload()) }),
    },
    {
      cause: "a key address in the header",
      detail: "aacp-jws-malformed",
      change: async () => ({ evidence: await signRaw({ ...HEADER, jku: "https://evil.example" }, payload()) }),
    },
    {
      cause: "a duplicate header member",
      detail: "json-duplicate-key",
      change: async () => ({ evidence: await signRaw('{"alg":"ES256","alg":"ES256","kid":"cs-1"}', payload()) }),
    },
    {
      cause: "a payload that is not canonical",
      detail: "malformed:",
      change: async () => ({ evidence: await signRaw(HEADER, JSON.stringify(evidenceOf(), null, 1)) }),
    },
    {
      cause: "a duplicate member",
      detail: "malformed:/v",
      change: async () => ({ evidence: await signRaw(HEADER, payload().replace('"v":1', '"v":1,"v":1')) }),
    },
    { cause: "no JSON", detail: "malformed:", change: async () => ({ evidence: await signRaw(HEADER, "yes") }) },
    {
      cause: "an unknown version",
      detail: "malformed:/v",
      change: async () => ({ evidence: await signRaw(HEADER, payload().replace('"v":1', '"v":2')) }),
    },
    {
      cause: "no version",
      detail: "malformed:/v",
      change: async () => ({ evidence: await signRaw(HEADER, payload().replace(',"v":1', "")) }),
    },
    {
      cause: "no challenge",
      detail: "malformed:/challenge",
      change: async () => ({ evidence: await signRaw(HEADER, payload().replace(/"challenge":"[^"]*",/, "")) }),
    },
    {
      cause: "a loa of 6",
      detail: "malformed:/auth-context/loa",
      change: async () => ({ evidence: await signRaw(HEADER, payload().replace('"loa":4', '"loa":6')) }),
    },
    {
      cause: "a decision of its own",
      detail: "malformed:/decision",
      change: async () => ({ evidence: await signRaw(HEADER, payload().replace('confirmed"', 'maybe"')) }),
    },
    {
      cause: "a time that does not exist",
      detail: "malformed:/confirmed-at",
      change: async () => ({ evidence: await signRaw(HEADER, payload().replace("2026-10-31T", "2026-02-30T")) }),
    },
    { cause: "a key that began later", detail: "key_not_valid_when_confirmed", change: () => registered({ nbf: CONFIRMED_AT + 1 }) },
    { cause: "a key that had ended", detail: "key_not_valid_when_confirmed", change: () => registered({ exp: CONFIRMED_AT - 1 }) },
    {
      cause: "a key superseded before",
      detail: "key_not_valid_when_confirmed",
      change: () => registered({ revoked: { at: CONFIRMED_AT - 1, reason: "superseded" } }),
    },
    { cause: "COSE that is no COSE", detail: "aacp-cbor-malformed", change: () => ({ evidence: new Uint8Array([0xd2, 0x84, 0x40]) }) },
  ],
  unverifiable: [
    { cause: "an unknown key id", detail: "key_unknown", change: () => ({ keys: staticKeys({ keys: [makeKey("other").jwk] }) }) },
    { cause: "a key without a service", detail: "key_unknown", change: () => registered({ iss: undefined }) },
    { cause: "the key set unreachable", detail: "keys_unreachable", change: () => ({ keys: { keysFor: failing } }) },
    {
      cause: "the key set unreachable later",
      detail: "keys_unreachable",
      change: () => ({ keys: { keysFor: () => Promise.reject(new Error("down")) } }),
    },
    {
      cause: "a compromised key",
      detail: "key_compromised",
      change: () => registered({ revoked: { at: NOW + 3600, reason: "compromised" } }),
    },
    {
      cause: "a service not accepted",
      detail: "service_not_accepted",
      change: () => ({ policy: { ...policy, services: ["https://other.example"] } }),
    },
    { cause: "a method not known", detail: "method_unknown", change: evidence({ "auth-context": { method: "telepathy", loa: 5 } }) },
    { cause: "a detached payload not given", detail: "not_checked:signature", change: async () => ({ evidence: detachJws(await sign()) }) },
    { cause: "no descriptor", detail: "not_checked:action_digest", change: () => ({ descriptor: undefined }) },
    { cause: "no name of its own", detail: "not_checked:audience", change: () => ({ audience: undefined }) },
    { cause: "no clock", detail: "not_checked:freshness", change: () => ({ now: Number.NaN }) },
    { cause: "no policy", detail: "not_checked:policy", change: () => ({ policy: undefined }) },
    { cause: "requests that cannot be found out", detail: "failed:request", change: () => ({ request: failing }) },
    {
      cause: "a replay store that is down",
      detail: "failed:freshness",
      change: () => ({ replay: { seen: failing, consume: () => true } }),
    },
    {
      cause: "a replay store that fails at the end",
      detail: "failed:replay",
      change: () => ({ replay: { seen: () => false, consume: failing } }),
    },
    {
      cause: "a memory that is down",
      detail: "failed:memory",
      change: () => ({ outcomes: { recall: failing, remember: () => undefined } }),
    },
    {
      cause: "a denial register that is down",
      detail: "failed:decision",
      change: () => ({ denials: { latest: failing, record: () => undefined } }),
    },
    {
      cause: "a descriptor that has no canonical form",
      detail: "failed:action_digest",
      change: () => ({ descriptor: { ...descriptor, parameters: { a: { value: Number.NaN } } } }),
    },
    {
      cause: "a display that has no canonical form",
      detail: "failed:exercise",
      change: () => ({ rendering: { render: { seat_preference: { label: "\ud800" } }, "confirm-parameters": ["seat_preference"] } }),
    },
    {
      cause: "a delegation chain nobody knows",
      detail: "chain_unknown",
      change: async () => ({
        evidence: await signEvidence(evidenceOf({}, { request: chained }), key.signer),
        request: chained,
        policy: readPolicy({ rules: [{ known_chains: [actionDigest(descriptor)] }] }),
      }),
    },
    { cause: "no chain where one is demanded", detail: "chain_missing", change: policyWith({ known_chains: chain }) },
    {
      cause: "a display that cannot be recomputed though demanded",
      detail: "rendering_not_recomputable",
      change: () => ({ rendering: null }),
    },
  ],
  mismatched: [
    {
      cause: "another price",
      detail: "action_digest_differs",
      change: () => ({
        descriptor: {
          ...descriptor,
          parameters: { ...descriptor.parameters, total_price: { value: { currency: "USD", amount: "4120.00" } } },
        },
      }),
    },
    {
      cause: "another endpoint",
      detail: "action_digest_differs",
      change: () => ({ descriptor: { ...descriptor, locations: ["https://api.airlines.example.com/cancellations"] } }),
    },
    {
      cause: "a member more",
      detail: "action_digest_differs",
      change: () => ({ descriptor: { ...descriptor, note: "x" } as typeof descriptor }),
    },
    {
      cause: "a label changed",
      detail: "action_digest_differs",
      change: () => ({
        descriptor: {
          ...descriptor,
          parameters: { ...descriptor.parameters, fare_class: { value: "economy", confirm: true, render: { label: "First class" } } },
        },
      }),
    },
    { cause: "evidence for another action", detail: "action_digest_differs", change: evidence({ "action-digest": OTHER_DIGEST }) },
    {
      cause: "the request was for another action",
      detail: "request_action_differs",
      change: () => ({ request: requestWith({ "action-digest": OTHER_DIGEST }) }),
    },
  ],
  diverted: [
    { cause: "another verifier", detail: "audience_differs", change: () => ({ audience: "agent:other.example" }) },
    { cause: "a name that only begins alike", detail: "audience_differs", change: () => ({ audience: `${AUDIENCE}.evil.example` }) },
    { cause: "none of several names", detail: "audience_differs", change: () => ({ audience: ["agent:a", "agent:b"] }) },
    { cause: "no audience in the evidence", detail: "audience_missing", change: evidence({ audience: undefined }) },
    {
      cause: "the request named another",
      detail: "request_audience_differs",
      change: () => ({ request: requestWith({ audience: "agent:other.example" }) }),
    },
    { cause: "another person", detail: "subject_differs", change: evidence({ subject: "user:mallory@example.com" }) },
    { cause: "no person though one was asked", detail: "subject_differs", change: evidence({ subject: undefined }) },
    { cause: "another delegation path", detail: "handoff_differs", change: () => ({ request: chained }) },
    { cause: "a delegation path that was not asked for", detail: "handoff_differs", change: evidence({ handoff: chain }) },
  ],
  denied: [
    { cause: "the person said no", detail: "denied_by_user", change: evidence({ decision: "denied" }) },
    {
      cause: "a no that is also stale",
      detail: "denied_by_user",
      change: async () => ({ evidence: await sign({ decision: "denied" }), now: NOW + 86_400 }),
    },
    {
      cause: "a no of low assurance",
      detail: "denied_by_user",
      change: evidence({ decision: "denied", "auth-context": { method: "passkey", loa: 0 } }),
    },
    {
      cause: "a yes after a no, without a new turn",
      detail: "denied_before",
      change: async () => {
        const denials = memoryDenials()
        await verify({ evidence: await sign({ decision: "denied", "confirmed-at": "2026-10-31T11:02:00Z" }), denials })
        return { denials }
      },
    },
    {
      cause: "a turn from before the no",
      detail: "denied_before",
      change: async () => {
        const denials = memoryDenials()
        await verify({ evidence: await sign({ decision: "denied", "confirmed-at": "2026-10-31T11:03:30Z" }), denials })
        return { denials, evidence: await sign({ dialog_turn: "turn-2" }) }
      },
    },
  ],
  stale: [
    { cause: "the lifetime passed", detail: "lifetime_passed", change: () => ({ now: CONFIRMED_AT + 301 }) },
    { cause: "the margin passed", detail: "lifetime_passed", change: () => ({ now: CONFIRMED_AT + 291, margin: 10 }) },
    { cause: "the policy's cap passed", detail: "lifetime_passed", change: () => ({ policy: { ...policy, max_lifetime: 59 } }) },
    {
      cause: "without a request, the default cap passed",
      detail: "lifetime_passed",
      change: () => ({ request: undefined, policy: readPolicy({}), now: CONFIRMED_AT + 301 }),
    },
    { cause: "confirmed in the future", detail: "confirmed_in_the_future", change: () => ({ now: CONFIRMED_AT - 31 }) },
    {
      cause: "the descriptor expired",
      detail: "descriptor_expired",
      change: async () => ({ evidence: await sign({ "confirmed-at": "2026-10-31T11:58:00Z" }), now: CONFIRMED_AT + 3404 }),
    },
    {
      cause: "another challenge",
      detail: "challenge_differs",
      change: () => ({ request: requestWith({ challenge: "AQIDBAUGBwgJCgsMDQ4PEA" }) }),
    },
    {
      cause: "another request id",
      detail: "request_id_differs",
      change: () => ({ request: requestWith({ "request-id": "00000000-0000-4000-8000-000000000000" }) }),
    },
    { cause: "a request that was never made", detail: "request_unknown", change: () => ({ request: () => null }) },
  ],
  replay: [
    {
      cause: "the same evidence again",
      detail: "request_id_used",
      change: async () => {
        const input = await validInput()
        assert.equal((await verifyEvidence(input)).outcome, "success")
        return { replay: input.replay, evidence: input.evidence }
      },
    },
    {
      cause: "a second signature over the same request",
      detail: "request_id_used",
      change: async () => {
        const replay = memoryReplayStore()
        await verify({ replay })
        return { replay, evidence: await sign({ "confirmed-at": "2026-10-31T11:03:18Z" }) }
      },
    },
    {
      cause: "the same evidence as COSE",
      detail: "request_id_used",
      change: async () => {
        const replay = memoryReplayStore()
        await verify({ replay })
        return { replay, evidence: await signEvidenceCose(evidenceOf(), key.signer) }
      },
    },
    {
      cause: "someone else was first by a moment",
      detail: "request_id_used",
      change: () => ({ replay: { seen: () => false, consume: () => Promise.resolve(false) } }),
    },
    {
      cause: "a used id under a policy that would refuse it too",
      detail: "request_id_used",
      change: () => ({ replay: { seen: () => true, consume: () => true }, ...policyWith({ min_loa: 5 })() }),
    },
  ],
  "insufficient-assurance": [
    { cause: "a level below the rule's", detail: "loa_below_policy", change: policyWith({ min_loa: 5 }) },
    { cause: "a method that is not enough", detail: "method_not_enough", change: policyWith({ methods: ["device-unlock"] }) },
    {
      cause: "a level below the request's channel",
      detail: "loa_below_request",
      change: async () => ({ request: requestWith({ channel: { "min-loa": 5 } }) }),
    },
    {
      cause: "a rule for the effect",
      detail: "loa_below_policy",
      change: () => ({
        policy: readPolicy({
          rules: [
            { effect: "delete", min_loa: 0 },
            { effect: "create", min_loa: 5 },
          ],
        }),
      }),
    },
    {
      cause: "a rule for what cannot be undone",
      detail: "loa_below_policy",
      change: () => ({
        policy: readPolicy({
          rules: [
            { reversible: true, min_loa: 0 },
            { reversible: false, min_loa: 5 },
          ],
        }),
      }),
    },
  ],
  unexercised: [
    {
      cause: "no rendering digest where one is demanded",
      detail: "rendering_missing",
      change: evidence({ "rendering-digest": undefined }),
    },
    { cause: "another rendering", detail: "rendering_mismatch", change: evidence({ "rendering-digest": OTHER_DIGEST }) },
    {
      cause: "shown in another order than the annotation's",
      detail: "rendering_mismatch",
      change: () => ({ rendering: parseAnnotation(vector("x-aacp.json")) }),
    },
    {
      cause: "a wrong rendering that no rule demands",
      detail: "rendering_mismatch",
      change: async () => ({ ...policyWith({})(), evidence: await sign({ "rendering-digest": OTHER_DIGEST }) }),
    },
    {
      cause: "a field the annotation demands was not shown",
      detail: "rendering_mismatch",
      change: () => ({ rendering: { "confirm-parameters": ["seat_preference"] } }),
    },
  ],
  success: [
    { cause: "all is well", detail: "accepted", change: () => ({}) },
    { cause: "at the last second", detail: "accepted", change: () => ({ now: CONFIRMED_AT + 300 }) },
    { cause: "a clock 30 seconds behind", detail: "accepted", change: () => ({ now: CONFIRMED_AT - 30 }) },
    {
      cause: "a key retired since",
      detail: "accepted",
      change: () => registered({ exp: CONFIRMED_AT, revoked: { at: CONFIRMED_AT, reason: "superseded" } }),
    },
    { cause: "one of several names", detail: "accepted", change: () => ({ audience: ["agent:a", AUDIENCE] }) },
    {
      cause: "a verifier that issued the request",
      detail: "accepted",
      change: () => ({ request: async (id) => (id === request["request-id"] ? request : null) }),
    },
    { cause: "a verifier without the request, within the cap", detail: "accepted", change: () => ({ request: undefined }) },
    {
      cause: "detached, with its payload in any spelling",
      detail: "accepted",
      change: async () => ({ evidence: detachJws(await sign()), payload: Buffer.from(JSON.stringify(evidenceOf(), null, 2)) }),
    },
    { cause: "COSE", detail: "accepted", change: async () => ({ evidence: await signEvidenceCose(evidenceOf(), key.signer) }) },
    {
      cause: "EdDSA",
      detail: "accepted",
      change: async () => {
        const other = makeKey("ed", "EdDSA")
        return { evidence: await signEvidence(evidenceOf(), other.signer), keys: staticKeys({ keys: [key.jwk, other.jwk] }) }
      },
    },
    {
      cause: "no rule applies, so nothing more is demanded",
      detail: "accepted",
      change: async () => ({ ...policyWith({ effect: "delete", min_loa: 5 })(), evidence: await sign({ "rendering-digest": undefined }) }),
    },
    {
      cause: "a known delegation chain",
      detail: "accepted",
      change: async () => ({
        ...policyWith({ known_chains: chain })(),
        request: chained,
        evidence: await signEvidence(evidenceOf({}, { request: chained }), key.signer),
      }),
    },
    {
      cause: "asked again in a new turn after a no",
      detail: "accepted",
      change: async () => {
        const denials = memoryDenials()
        await verify({ evidence: await sign({ decision: "denied", "confirmed-at": "2026-10-31T11:02:00Z" }), denials })
        return { denials, evidence: await sign({ dialog_turn: "turn-2" }) }
      },
    },
    { cause: "members that nobody knows", detail: "accepted", change: evidence({ extensions: { a: 1 }, "x-more": null }) },
  ],
}
