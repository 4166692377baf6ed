/** Confirmation evidence: what a service signs about a person's decision (AACP §7.1). */

import { isDigest } from "./identifiers.ts"
import { parseJson } from "./json.ts"
import { Members } from "./members.ts"
import { type ConfirmationRequest, readBinding } from "./request.ts"
import { formatTime, parseTime } from "./time.ts"

export type Decision = "confirmed" | "denied"

/** How the person authenticated to the service when deciding: a claim of the service, no more (AACP §7.3). */
export type AuthContext = {
  /** `passkey`, `device-unlock`, `knowledge-proof`, `oauth-session`, … */
  readonly method: string
  /** 0 to 5, on the deployment's own scale. */
  readonly loa: number
  /** The authorization server, where the service is part of an OAuth deployment. */
  readonly as?: string
}

export type ConfirmationEvidence = {
  readonly v: 1
  readonly "request-id": string
  readonly "action-digest": string
  readonly challenge: string
  readonly decision: Decision
  readonly audience?: string
  readonly subject?: string
  /** RFC 3339. */
  readonly "confirmed-at": string
  readonly "auth-context": AuthContext
  readonly "rendering-digest"?: string
  readonly handoff?: readonly string[]
  /** The turn in which the person allowed to be asked again after a denial of the same action (`docs/aacp.md`). */
  readonly dialog_turn?: string
}

/** Checks a parsed JSON value; unknown members stay. Throws `aacp-evidence-malformed`. */
export const readEvidence = (value: unknown): ConfirmationEvidence => {
  const members = new Members(value, "aacp-evidence-malformed")
  readBinding(members)
  members.oneOf("decision", ["confirmed", "denied"])
  members.textOf("confirmed-at", (text) => parseTime(text) !== null, "must be an RFC 3339 time")
  const context = members.members("auth-context")
  context.text("method")
  context.integer("loa", 0, 5)
  context.optionalText("as")
  if (members.has("rendering-digest")) {
    members.textOf("rendering-digest", isDigest, "must be a base64url SHA-256 digest without padding")
  }
  members.optionalText("dialog_turn")
  return value as ConfirmationEvidence
}

/** Reads evidence from its JSON text. Signed evidence goes through `verifyEvidence` or `openJws`. */
export const parseEvidence = (input: string | Uint8Array): ConfirmationEvidence => readEvidence(parseJson(input))

export type EvidenceInput = {
  readonly request: ConfirmationRequest
  readonly decision: Decision
  /** Unix seconds; written as whole seconds in UTC. */
  readonly confirmedAt: number
  readonly authContext: AuthContext
  /** Digest of the rows that were shown. */
  readonly renderingDigest?: string | undefined
  /** Who decided, where the request names nobody. */
  readonly subject?: string | undefined
  readonly dialogTurn?: string | undefined
}

/** The evidence for one request: what the request binds is copied, the rest says what happened. */
export const createEvidence = (input: EvidenceInput): ConfirmationEvidence => {
  const { request, renderingDigest, dialogTurn } = input
  const subject = request.subject ?? input.subject
  return readEvidence({
    v: 1,
    "request-id": request["request-id"],
    "action-digest": request["action-digest"],
    challenge: request.challenge,
    decision: input.decision,
    ...(request.audience === undefined ? {} : { audience: request.audience }),
    ...(subject === undefined ? {} : { subject }),
    "confirmed-at": formatTime(input.confirmedAt),
    "auth-context": input.authContext,
    ...(renderingDigest === undefined ? {} : { "rendering-digest": renderingDigest }),
    ...(request.handoff === undefined ? {} : { handoff: request.handoff }),
    ...(dialogTurn === undefined ? {} : { dialog_turn: dialogTurn }),
  })
}
