/** Evidence in the CBOR profile: COSE_Sign1 over its deterministic CBOR (AACP §7.2, Appendix A). */
import { hash } from "node:crypto"
import { AfgError } from "../../errors.ts"
import { readCbor, toCbor } from "../cbor/objects.ts"
import { type ConfirmationEvidence, readEvidence } from "../evidence.ts"
import { MEDIA_TYPES } from "../media-types.ts"
import type { EvidenceSigner } from "../signer.ts"
import type { Envelope } from "../verify/envelope.ts"
import { openSign1, sign1, signedBytes } from "./sign1.ts"

/** Signs evidence as a COSE_Sign1. Throws `aacp-cbor-inexpressible` for evidence that CBOR cannot say. */
export const signEvidenceCose = (
  evidence: ConfirmationEvidence,
  signer: EvidenceSigner,
  options: { detached?: boolean } = {},
): Promise<Uint8Array> => sign1(toCbor("evidence", evidence), signer, { ...options, contentType: MEDIA_TYPES.cbor })

const malformed = (message: string): AfgError => new AfgError("aacp-cose-malformed", message)

const readPayload = (bytes: Uint8Array): ConfirmationEvidence => {
  const { value, deterministic } = readCbor("evidence", bytes)
  if (!deterministic) throw malformed("the payload is not deterministic CBOR")
  return readEvidence(value)
}

/** Whether a COSE message leaves its payload out. Malformed messages do not. */
export const isDetachedCose = (message: Uint8Array): boolean => {
  try {
    return openSign1(message).payload === null
  } catch {
    return false
  }
}

/** Opens COSE evidence for the verifier's second step. Throws when it is malformed. */
export const openCose = (message: Uint8Array, payload?: Uint8Array): Envelope => {
  const opened = openSign1(message)
  if (opened.kid === null) throw malformed("kid is missing")
  if (opened.alg === "unknown") throw malformed("alg must be ES256, EdDSA or RS256")
  const signed = signedBytes(opened, { payload })
  const content = opened.payload ?? payload
  if (signed === null || content === undefined) throw malformed("the payload is detached and was not given")
  return {
    kid: Buffer.from(opened.kid).toString("utf8"),
    alg: opened.alg,
    signed,
    signature: opened.signature,
    read: () => readPayload(content),
    digest: () => hash("sha256", message, "hex"),
  }
}
