/** COSE_Sign1 (RFC 9052 §4.2): one payload, one signature. Key and algorithm come from outside the message. */
import type { KeyObject } from "node:crypto"
import { AfgError } from "../../errors.ts"
import { type Algorithm, verifySignature } from "../algorithms.ts"
import { type Cbor, decodeCbor, encodeCbor, isBytes, isMap, TAG, Tagged } from "../cbor/bytes.ts"
import type { EvidenceSigner } from "../signer.ts"
import { algorithmOf, numberOf } from "./algorithms.ts"

/** Header labels (RFC 9052 §3.1). */
const LABEL = { alg: 1, crit: 2, contentType: 3, kid: 4 } as const

export type Sign1 = {
  /** The protected header's bytes as they were. */
  readonly protectedBytes: Uint8Array
  /** What the message says of its algorithm: null when nothing, `unknown` for one that we do not have. */
  readonly alg: Algorithm | "unknown" | null
  readonly kid: Uint8Array | null
  /** Null: detached. */
  readonly payload: Uint8Array | null
  readonly signature: Uint8Array
}

const malformed = (message: string): AfgError => new AfgError("aacp-cose-malformed", message)
const EMPTY = new Uint8Array(0)

const readProtected = (bytes: Uint8Array): ReadonlyMap<Cbor, Cbor> => {
  if (bytes.length === 0) return new Map()
  const header = decodeCbor(bytes, [])
  if (!isMap(header)) throw malformed("the protected header is no map")
  return header
}

/** One map of both headers; a label in both, or a critical one, is refused. */
const readHeaders = (inside: ReadonlyMap<Cbor, Cbor>, outside: ReadonlyMap<Cbor, Cbor>): ReadonlyMap<Cbor, Cbor> => {
  const all = new Map(inside)
  for (const [label, value] of outside) {
    if (all.has(label)) throw malformed("a label stands in both headers")
    all.set(label, value)
  }
  for (const label of all.keys()) {
    if (typeof label !== "string" && !Number.isInteger(label)) throw malformed("a label is neither a number nor a text")
  }
  if (all.has(LABEL.crit)) throw malformed("critical headers are refused in this profile")
  return all
}

/** Takes a COSE_Sign1 apart: tag 18, or the bare array. Throws `aacp-cose-malformed` or `aacp-cbor-malformed`. */
export const openSign1 = (message: Uint8Array): Sign1 => {
  const decoded = decodeCbor(message, [TAG.sign1])
  const parts = decoded instanceof Tagged ? (decoded.value as Cbor) : decoded
  if (!Array.isArray(parts) || parts.length !== 4) throw malformed("a COSE_Sign1 is an array of four")
  const [protectedBytes, outside, payload, signature] = parts as Cbor[]
  if (!isBytes(protectedBytes) || !isMap(outside) || !isBytes(signature) || !(payload === null || isBytes(payload))) {
    throw malformed("a COSE_Sign1 is [bytes, map, bytes or null, bytes]")
  }
  const headers = readHeaders(readProtected(protectedBytes), outside)
  const kid = headers.get(LABEL.kid)
  if (kid !== undefined && !isBytes(kid)) throw malformed("kid is no byte string")
  const alg = headers.has(LABEL.alg) ? (algorithmOf(headers.get(LABEL.alg)) ?? "unknown") : null
  return { protectedBytes, alg, kid: kid ?? null, payload: payload ?? null, signature }
}

/** What is signed (RFC 9052 §4.4). An empty protected header counts as no bytes at all, however it was written. */
export const toBeSigned = (protectedBytes: Uint8Array, payload: Uint8Array, external: Uint8Array = EMPTY): Uint8Array => {
  const empty = protectedBytes.length === 1 && protectedBytes[0] === 0xa0
  return encodeCbor(["Signature1", empty ? EMPTY : protectedBytes, external, payload])
}

export type Sign1Options = {
  /** External authenticated data. */
  readonly external?: Uint8Array | undefined
  /** The payload of a detached message. */
  readonly payload?: Uint8Array | undefined
}

/** The bytes that the signature is over, or null when the payload is detached and not given. */
export const signedBytes = (message: Sign1, { external, payload }: Sign1Options = {}): Uint8Array | null => {
  if (message.payload !== null && payload !== undefined && Buffer.compare(message.payload, payload) !== 0) {
    throw malformed("carries another payload than the one given")
  }
  const content = message.payload ?? payload
  return content === undefined ? null : toBeSigned(message.protectedBytes, content, external)
}

/**
 * Whether the signature is good under a key registered for `alg`. What the message says of its algorithm must agree.
 * Null: the payload is detached and was not given.
 */
export const verifySign1 = (message: Sign1, key: { alg: Algorithm; publicKey: KeyObject }, options: Sign1Options = {}): boolean | null => {
  const bytes = signedBytes(message, options)
  if (bytes === null) return null
  if (message.alg !== null && message.alg !== key.alg) return false
  return verifySignature(key.alg, key.publicKey, bytes, message.signature)
}

/** Signs `payload` as a tagged COSE_Sign1 with `alg` and `kid` in the protected header. */
export const sign1 = async (
  payload: Uint8Array,
  signer: EvidenceSigner,
  options: { external?: Uint8Array; detached?: boolean; contentType?: string } = {},
): Promise<Uint8Array> => {
  const header = new Map<Cbor, Cbor>([
    [LABEL.alg, numberOf(signer.alg)],
    ...(options.contentType === undefined ? [] : [[LABEL.contentType, options.contentType] as const]),
    [LABEL.kid, new TextEncoder().encode(signer.kid)],
  ])
  const protectedBytes = encodeCbor(header)
  const signature = await signer.sign(toBeSigned(protectedBytes, payload, options.external))
  const parts: Cbor[] = [protectedBytes, new Map(), options.detached === true ? null : payload, new Uint8Array(signature)]
  return encodeCbor(new Tagged(TAG.sign1, parts))
}
