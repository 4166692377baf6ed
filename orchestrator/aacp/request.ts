/** Confirmation requests: an acting agent or an API asks for a person's decision (AACP §6). */
import { toBase64url } from "./base64url.ts"
import { type ActionDescriptor, actionDigest, readDescriptor } from "./descriptor.ts"
import { type Entropy, isChallenge, isDigest, isUuid } from "./identifiers.ts"
import { type Json, parseJson } from "./json.ts"
import { Members } from "./members.ts"

/** What a side channel must offer (variant C). */
export type ChannelRequirements = { readonly "min-loa"?: number; readonly modes?: readonly string[] }

export type ConfirmationRequest = {
  readonly v: 1
  readonly "request-id": string
  readonly "action-digest": string
  /** base64url of at least 16 random octets, made by the party that will verify. */
  readonly challenge: string
  /** Seconds that a confirmation stays acceptable, from confirmed-at. */
  readonly lifetime: number
  /** The acting agent or API that the evidence is for. */
  readonly audience?: string
  /** The person asked, where known. */
  readonly subject?: string
  readonly channel?: ChannelRequirements
  /** Digests of the signed handoff offers that the task came through. */
  readonly handoff?: readonly string[]
  /** Kept, without effect on verification. */
  readonly "rendering-hint"?: Json
  /** The whole descriptor, so that the service can render it; its digest is `action-digest`. */
  readonly "action-descriptor"?: ActionDescriptor
}

const DIGEST_LIST = "must be a list of one or more base64url SHA-256 digests"

export const readHandoff = (members: Members): readonly string[] | undefined => members.optionalTexts("handoff", isDigest, DIGEST_LIST)

/** The members that request and evidence have in common. */
export const readBinding = (members: Members): void => {
  if (members.required("v") !== 1) members.fail("v", "must be 1, the only version there is")
  members.textOf("request-id", isUuid, "must be a UUID in lower case")
  members.textOf("action-digest", isDigest, "must be a base64url SHA-256 digest without padding")
  members.textOf("challenge", isChallenge, "must be base64url of at least 16 octets, without padding")
  members.optionalText("audience")
  members.optionalText("subject")
  readHandoff(members)
}

/**
 * Checks a parsed JSON value; the very object is returned, unknown members included. An `action-descriptor` whose
 * digest is not `action-digest` is refused. Throws `aacp-request-malformed` or `aacp-descriptor-malformed`.
 */
export const readRequest = (value: unknown): ConfirmationRequest => {
  const members = new Members(value, "aacp-request-malformed")
  readBinding(members)
  members.integer("lifetime", 0)
  const channel = members.optionalMembers("channel")
  channel?.optionalInteger("min-loa", 0, 5)
  channel?.optionalTexts("modes")
  if (members.has("action-descriptor")) {
    const descriptor = readDescriptor(members.required("action-descriptor"), "/action-descriptor")
    if (actionDigest(descriptor) !== members.text("action-digest")) members.fail("action-digest", "is not the digest of action-descriptor")
  }
  return value as ConfirmationRequest
}

/** Reads a request's text strictly (`json-…` codes for duplicate members and the like). */
export const parseRequest = (input: string | Uint8Array): ConfirmationRequest => readRequest(parseJson(input))

export type RequestInput = {
  readonly descriptor: ActionDescriptor
  /** Seconds. Default 300. */
  readonly lifetime?: number | undefined
  readonly audience?: string | undefined
  readonly subject?: string | undefined
  readonly channel?: ChannelRequirements | undefined
  readonly handoff?: readonly string[] | undefined
  /** Leave the descriptor out, for a channel that should see as little as possible (AACP §12). Default false. */
  readonly digestOnly?: boolean | undefined
}

export const DEFAULT_LIFETIME = 300

/** A new request with a fresh id and challenge. The caller keeps it: verification compares the evidence with it. */
export const createRequest = (input: RequestInput, entropy: Entropy): ConfirmationRequest => {
  const { descriptor, lifetime = DEFAULT_LIFETIME, audience, subject, channel, handoff, digestOnly = false } = input
  return readRequest({
    v: 1,
    "request-id": entropy.uuid(),
    "action-digest": actionDigest(descriptor),
    challenge: toBase64url(entropy.octets(16)),
    lifetime,
    ...(audience === undefined ? {} : { audience }),
    ...(subject === undefined ? {} : { subject }),
    ...(channel === undefined ? {} : { channel }),
    ...(handoff === undefined ? {} : { handoff }),
    ...(digestOnly ? {} : { "action-descriptor": descriptor }),
  })
}
