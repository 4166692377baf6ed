/** Evidence as presented, JWS or COSE, taken apart into what step 2 needs. */
import { isUtf8 } from "node:buffer"
import { hash } from "node:crypto"
import { AfgError } from "../../errors.ts"
import type { Algorithm } from "../algorithms.ts"
import { isDetachedCose, openCose } from "../cose/evidence.ts"
import { type ConfirmationEvidence, readEvidence } from "../evidence.ts"
import { canonicalText, parseCanonical, parseJson } from "../json.ts"
import { attachPayload, isDetached, openJws } from "../jws.ts"
import { readQuickly } from "../quick-evidence.ts"

export type Envelope = {
  readonly kid: string
  /** What the message says of itself; it must be what the key is registered for. Null: it says nothing. */
  readonly alg: Algorithm | null
  readonly signed: Uint8Array
  readonly signature: Uint8Array
  /** Reads the payload. Throws when it is no evidence in canonical form. */
  readonly read: () => ConfirmationEvidence
  /** sha256, lower hex, of the compact JWS with its payload attached, or of the COSE message. */
  readonly digest: () => string
}

/** sha256 of a compact JWS, lower hex: how evidence is referred to elsewhere. */
export const evidenceDigest = (compact: string): string => hash("sha256", compact, "hex")

/** A detached payload may come in any JSON spelling: what was signed is its canonical form. */
const canonicalPayload = (payload: Uint8Array): Uint8Array => Buffer.from(canonicalText(parseJson(payload)), "utf8")

const malformed = (message: string): AfgError => new AfgError("aacp-evidence-malformed", message)

const readPayload = (payload: Uint8Array): ConfirmationEvidence => {
  // A decoder that replaces what is not UTF-8 would let two payloads read the same.
  if (!isUtf8(payload)) throw malformed("the payload is not UTF-8")
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("utf8")
  const usual = readQuickly(text)
  if (usual !== null) return usual
  const value = parseCanonical(text)
  if (value === null) throw malformed("the payload is not in canonical form (RFC 8785)")
  return readEvidence(value)
}

const openCompact = (compact: string, given: Uint8Array | undefined): Envelope => {
  const opened = openJws(compact, given === undefined ? undefined : canonicalPayload(given))
  const { header, payload, signed, signature } = opened
  return {
    kid: header.kid,
    alg: header.alg,
    signed,
    signature,
    read: () => readPayload(payload),
    digest: () => evidenceDigest(isDetached(compact) ? attachPayload(compact, payload) : compact),
  }
}

/** Throws when the presentation is malformed. */
export const openEnvelope = (evidence: string | Uint8Array, payload?: Uint8Array): Envelope =>
  typeof evidence === "string" ? openCompact(evidence, payload) : openCose(evidence, payload)

/** Whether the presentation leaves its payload out. */
export const needsPayload = (evidence: string | Uint8Array): boolean =>
  typeof evidence === "string" ? isDetached(evidence) : isDetachedCose(evidence)
