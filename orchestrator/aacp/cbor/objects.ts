/** The CBOR forms of descriptor, request, evidence and status (AACP Appendix A). */
import { AfgError } from "../../errors.ts"
import { readDescriptor } from "../descriptor.ts"
import { readEvidence } from "../evidence.ts"
import type { Json } from "../json.ts"
import { readRequest } from "../request.ts"
import { readStatus } from "../status.ts"
import { decodeCbor, encodeCbor, isDeterministic, TAG } from "./bytes.ts"
import { type Codec, listOf, octets, record, time, uri, uuid } from "./codec.ts"

export const CBOR_TYPES = ["descriptor", "request", "evidence", "status"] as const
export type CborType = (typeof CBOR_TYPES)[number]

const digest = octets(32)
const binding = { "request-id": uuid, "action-digest": digest, challenge: octets(16), handoff: listOf(digest) }
const descriptor = record({ type: uri, locations: listOf(uri), expires: time })

const CODECS: Readonly<Record<CborType, Codec>> = {
  descriptor,
  request: record({ ...binding, "action-descriptor": descriptor }),
  evidence: record({ ...binding, "confirmed-at": time, "rendering-digest": digest, "auth-context": record({ as: uri }) }),
  status: record({ "request-id": uuid, "reported-at": time }),
}

/** Checks the JSON form; evidence must name its subject, which the CDDL asks for and the JSON form leaves open. */
const READERS: Readonly<Record<CborType, (value: unknown) => unknown>> = {
  descriptor: (value) => readDescriptor(value),
  request: readRequest,
  evidence: (value) => {
    const evidence = readEvidence(value)
    if (evidence.subject === undefined)
      throw new AfgError("aacp-cbor-inexpressible", "evidence in CBOR names its subject", { path: "/subject" })
    return evidence
  },
  status: readStatus,
}

/**
 * The deterministic CBOR of an object. Throws the object's own code when it is malformed, and `aacp-cbor-inexpressible` when CBOR
 * could not say the same: a challenge that is not 16 octets, a time with a fraction or an offset.
 */
export const toCbor = (type: CborType, value: unknown): Uint8Array => {
  READERS[type](value)
  return encodeCbor(CODECS[type].toCbor(value as Json, ""))
}

export type DecodedCbor = {
  readonly value: Json
  /** Whether the bytes are the deterministic encoding of what they say. */
  readonly deterministic: boolean
}

/** The JSON form of CBOR bytes, and whether they were the deterministic ones. Throws `aacp-cbor-malformed` or the object's own code. */
export const readCbor = (type: CborType, bytes: Uint8Array): DecodedCbor => {
  const decoded = decodeCbor(bytes, [TAG.epochTime, TAG.uri])
  const value = CODECS[type].toJson(decoded, "")
  READERS[type](value)
  return { value, deterministic: isDeterministic(decoded, bytes) }
}

/** The JSON form; what came in with tags and sorted keys comes out again byte for byte. */
export const fromCbor = (type: CborType, bytes: Uint8Array): Json => readCbor(type, bytes).value
