import type { ErrorTable } from "../errors.ts"

/**
 * Codes of this folder. The ten `confirmation_*` codes are the draft's own names (AACP §8.2); the others say that an
 * object or a local input could not be read at all.
 */
export const ERRORS = {
  confirmation_required: {
    status: 428,
    what: "The operation needs a person's confirmation and none was presented.",
    recovery: "Take `request` from this answer to the person's confirmation service, then repeat the call with the evidence.",
  },
  confirmation_invalid: {
    status: 400,
    what: "The evidence is malformed, or its signature does not verify under the service's registered key.",
    recovery: "Do not repeat it unchanged; find out who produced it.",
  },
  confirmation_unavailable: {
    status: 503,
    what: "Whether the person confirmed could not be established, or the person could not be asked.",
    recovery: "Repeat after Retry-After, once keys or the confirmation service are back.",
  },
  confirmation_mismatch: {
    status: 409,
    what: "The evidence confirms another action than the one at hand.",
    recovery: "Build a new request for the action as it is now.",
  },
  confirmation_diverted: {
    status: 403,
    what: "The evidence was issued for another verifier, person or delegation.",
    recovery: "Use evidence that names this verifier; ask for a confirmation of your own.",
  },
  confirmation_denied: {
    status: 403,
    what: "The person decided against this action.",
    recovery: "Stop. Only a new turn that the person starts may ask again.",
  },
  confirmation_stale: {
    status: 410,
    what: "The confirmation is too old, or belongs to another request.",
    recovery: "Ask for a new confirmation.",
  },
  confirmation_replay: {
    status: 409,
    what: "This confirmation was already used.",
    recovery: "Investigate; do not repeat automatically.",
  },
  confirmation_low_assurance: {
    status: 401,
    what: "The person was not authenticated strongly enough for this action.",
    recovery: "Let the person authenticate at the level named in WWW-Authenticate and confirm again.",
  },
  confirmation_unexercised: {
    status: 422,
    what: "It is not shown that the person saw every field that needs confirmation.",
    recovery: "Have the service render all required fields and confirm again.",
  },
  "aacp-descriptor-malformed": {
    status: 400,
    what: "An action descriptor breaks AACP §5.1.",
    recovery: "Correct the member at `path`.",
  },
  "aacp-request-malformed": {
    status: 400,
    what: "A confirmation request breaks AACP §6.",
    recovery: "Correct the member at `path`.",
  },
  "aacp-evidence-malformed": {
    status: 400,
    what: "Confirmation evidence breaks AACP §7.1.",
    recovery: "Correct the member at `path`.",
  },
  "aacp-status-malformed": {
    status: 400,
    what: "A confirmation status breaks AACP §9.3.",
    recovery: "Correct the member at `path`.",
  },
  "aacp-annotation-malformed": {
    status: 500,
    what: "An `x-aacp` annotation breaks AACP §10.",
    recovery: "Correct the API's metadata at `path`.",
  },
  "aacp-mapping-impossible": {
    status: 400,
    what: "An operation and a descriptor cannot be mapped onto each other by the annotation.",
    recovery: "Send every parameter that the annotation requires, in the descriptor's form.",
  },
  "aacp-policy-malformed": {
    status: 500,
    what: "A verification policy has an unknown or wrong member.",
    recovery: "Correct the member at `path`.",
  },
  "aacp-jwks-malformed": {
    status: 500,
    what: "A JWK Set of confirmation services cannot be read.",
    recovery: "Publish a JWK Set whose keys carry kid, alg and iss.",
  },
  "aacp-keys-unreachable": {
    status: 503,
    what: "A confirmation service's key set could not be fetched.",
    recovery: "Repeat when the service's key set is reachable.",
  },
  "aacp-key-unusable": {
    status: 500,
    what: "A key is not one that this protocol can sign or verify with.",
    recovery: "Use a P-256 key for ES256 or an Ed25519 key for EdDSA.",
  },
  "aacp-jws-malformed": {
    status: 400,
    what: "A compact JWS breaks RFC 7515 or this profile.",
    recovery: "Send three base64url parts without padding and a header with alg and kid.",
  },
  "aacp-cbor-malformed": {
    status: 400,
    what: "Bytes are not the CBOR form of the object that was named.",
    recovery: "Encode by the CDDL of AACP Appendix A, deterministically.",
  },
  "aacp-cbor-inexpressible": {
    status: 400,
    what: "A JSON object has no lossless CBOR form.",
    recovery: "Use whole seconds in UTC for times and 16 octets for the challenge.",
  },
  "aacp-cose-malformed": {
    status: 400,
    what: "Bytes are not a COSE_Sign1 that this profile accepts.",
    recovery: "Send tag 18, or the bare array of four, with a registered algorithm.",
  },
  "aacp-service-unreachable": {
    status: 503,
    what: "A confirmation service does not answer.",
    recovery: "Ask again by the same request id; nothing was decided.",
  },
  "aacp-service-refused": {
    status: 502,
    what: "A confirmation service refuses the request.",
    recovery: "Read `details`: the service's own code says what is wrong with the request.",
  },
  "aacp-seen-unreadable": {
    status: 500,
    what: "A file of consumed request ids cannot be read or locked.",
    recovery: "Give a JSON array of [service, request-id] pairs that no other process holds.",
  },
} as const satisfies ErrorTable

export type AacpErrorCode = keyof typeof ERRORS
