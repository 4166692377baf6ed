/** Codes of the HTTP interface. The AACP outcomes have their own table in `aacp/`; contract codes in `contract/`. */
import { ERRORS as CHAIN_ERRORS } from "../chain/errors.ts"
import type { ErrorTable } from "../errors.ts"

export const ERRORS = {
  not_found: { status: 404, what: "No such route, job, artifact or event.", recovery: "Check the path and the id." },
  method_not_allowed: { status: 405, what: "The route exists, with another method.", recovery: "See the Allow header and /openapi.json." },
  body_too_large: {
    status: 413,
    what: "The request's body exceeds the limit.",
    recovery: "Send less, or raise the contract's max_size_bytes where it applies.",
  },
  body_invalid: {
    status: 400,
    what: "The body does not have the shape this route takes.",
    recovery: "Compare with /openapi.json; `path` names the member.",
  },
  signature_missing: {
    status: 401,
    what: "The request carries no agent signature.",
    recovery: "Send AFG-Address, AFG-Nonce, AFG-Timestamp and AFG-Signature.",
  },
  signature_invalid: {
    status: 401,
    what: "The request's signature does not verify for AFG-Address.",
    recovery: "Sign the JCS of the request description with that wallet (EIP-191).",
  },
  signature_expired: { status: 401, what: "AFG-Timestamp is outside the accepted window.", recovery: "Correct the clock and sign again." },
  nonce_reused: {
    status: 409,
    what: "This address used this nonce before.",
    recovery: "Sign again with a fresh nonce; nothing was executed.",
  },
  idempotency_conflict: {
    status: 409,
    what: "The Idempotency-Key was used with another request.",
    recovery: "Use a new key for a new request.",
  },
  wrong_party: {
    status: 403,
    what: "The signing address does not play the role this act needs.",
    recovery: "Sign with the wallet that the contract names for the role.",
  },
  job_exists: {
    status: 409,
    what: "A job with this id or escrow reference is already posted.",
    recovery: "Use a fresh job_id and escrow reference.",
  },
  too_many_jobs: { status: 429, what: "The wallet has as many open jobs as it may.", recovery: "Finish or let lapse an open job first." },
  rate_limited: { status: 429, what: "Too many requests of this kind in a minute.", recovery: "Wait as Retry-After says." },
  contract_rejected: { status: 422, what: "The linter rejects the contract.", recovery: "Fix what `rejects` lists and post again." },
  wrong_state: {
    status: 409,
    what: "The job's state does not admit this act.",
    recovery: "Read the job: `can` lists who may do what until when.",
  },
  window_closed: { status: 409, what: "The time for this act has passed.", recovery: "Read the job's deadlines; nothing was changed." },
  inputs_missing: {
    status: 409,
    what: "An input that a check needs is not stored under its hash.",
    recovery: "Upload the named inputs, then try again.",
  },
  check_unavailable: {
    status: 422,
    what: "A check of the contract cannot be run by this verifier.",
    recovery: "Use the check types that `speccheck` reports as runnable.",
  },
  deliverable_missing: {
    status: 409,
    what: "The deliverable is not stored under the submitted hash.",
    recovery: "Upload it as an artifact first.",
  },
  deliverable_too_large: {
    status: 413,
    what: "The deliverable exceeds max_size_bytes.",
    recovery: "Submit a smaller one; no submission was used up.",
  },
  submission_out_of_turn: {
    status: 409,
    what: "This submission number is not the next one.",
    recovery: "Read the job's submissions and use the next number.",
  },
  act_outdated: {
    status: 409,
    what: "The act names a submission, an evidence root or a ruling that is not the current one; the chain would refuse it.",
    recovery: "Read the job again and sign what stands now.",
  },
  act_signature_invalid: {
    status: 400,
    what: "The act's EIP-712 signature is not the role's.",
    recovery: "Sign the typed data for this job with the role's key.",
  },
  confirmation_signature_invalid: {
    status: 400,
    what: "The on-chain Confirmation is missing or not signed by the contract's confirmer.",
    recovery: "Send the confirmation that the service returned with the evidence.",
  },
  confirmation_not_configured: {
    status: 503,
    what: "No confirmation service is enrolled for this buyer.",
    recovery: "The buyer's operator enrols one in the configuration.",
  },
  artifact_sealed: { status: 403, what: "Sealed artifacts are never served.", recovery: "Only the verifier reads them, at verification." },
  artifact_not_sealed: {
    status: 409,
    what: "Bytes that must stay sealed are stored so that anyone can read them.",
    recovery: "What was readable cannot be sealed again: use other bytes, and upload them with sealed=true.",
  },
  artifact_mismatch: {
    status: 422,
    what: "The bytes do not have the announced hash.",
    recovery: "Compute the hash over the exact bytes sent.",
  },
  chain_refused: CHAIN_ERRORS.chain_refused,
  chain_unavailable: CHAIN_ERRORS.chain_unavailable,
  internal: {
    status: 500,
    what: "An unexpected failure of ours.",
    recovery: "Retry with the same Idempotency-Key; report it with the request id.",
  },
} as const satisfies ErrorTable

export type ApiErrorCode = keyof typeof ERRORS
