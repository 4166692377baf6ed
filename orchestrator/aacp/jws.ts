/** Evidence as a compact JWS, attached or detached (AACP §7.2, RFC 7515). */
import { AfgError } from "../errors.ts"
import { type Algorithm, isAlgorithm } from "./algorithms.ts"
import { fromBase64url, toBase64url } from "./base64url.ts"
import { type ConfirmationEvidence, readEvidence } from "./evidence.ts"
import { canonicalText, parseJson } from "./json.ts"
import { Members } from "./members.ts"
import type { EvidenceSigner } from "./signer.ts"

/** Longest compact JWS that is looked at. Evidence is under 2 KiB. */
export const MAX_JWS_LENGTH = 32_768

/**
 * Header members that would bring a key, another payload encoding or an extension that must be understood. None has a
 * place here; other unknown members are ignored, as RFC 7515 §4 says.
 */
const REFUSED = ["crit", "b64", "jwk", "jku", "x5c", "x5u", "zip", "enc"] as const

export type JwsHeader = { readonly alg: Algorithm; readonly kid: string }

export type OpenedJws = {
  readonly header: JwsHeader
  readonly payload: Uint8Array
  /** The bytes that the signature is over. */
  readonly signed: Uint8Array
  readonly signature: Uint8Array
}

const malformed = (message: string, path?: string): AfgError => new AfgError("aacp-jws-malformed", message, { path })

/** Headers that were read before: a service's messages under one key all have the same. Only good ones are kept. */
const knownHeaders = new Map<string, JwsHeader>()
const MAX_KNOWN_HEADERS = 256

const headerOf = (encoded: string): JwsHeader => {
  const known = knownHeaders.get(encoded)
  if (known !== undefined) return known
  const header = readHeader(encoded)
  if (knownHeaders.size >= MAX_KNOWN_HEADERS) knownHeaders.clear()
  knownHeaders.set(encoded, header)
  return header
}

const readHeader = (encoded: string): JwsHeader => {
  const bytes = fromBase64url(encoded)
  if (bytes === null) throw malformed("the header is not base64url without padding")
  const header = new Members(parseJson(bytes), "aacp-jws-malformed")
  for (const name of REFUSED) if (header.has(name)) header.fail(name, "is refused in this profile")
  const alg = header.required("alg")
  if (!isAlgorithm(alg)) return header.fail("alg", "must be ES256, EdDSA or RS256")
  return { alg, kid: header.text("kid") }
}

/**
 * Takes a compact JWS apart, without judging the signature. A detached one (empty second part, RFC 7515 App. F) needs `payload`;
 * an attached one must not get another. Throws `aacp-jws-malformed` or a `json-…` code.
 */
export const openJws = (compact: string, payload?: Uint8Array): OpenedJws => {
  if (compact.length > MAX_JWS_LENGTH) throw malformed(`longer than ${MAX_JWS_LENGTH} characters`)
  const parts = compact.split(".", 4)
  if (parts.length !== 3) throw malformed("a compact JWS has three parts")
  const [head = "", body = "", tail = ""] = parts
  if (body === "" && payload === undefined) throw malformed("the payload is detached and was not given")
  const header = headerOf(head)
  const attached = body === "" ? payload : fromBase64url(body)
  if (attached === null || attached === undefined) throw malformed("the payload is not base64url without padding")
  if (body !== "" && payload !== undefined && !attachedEquals(attached, payload))
    throw malformed("carries another payload than the one given")
  const signature = fromBase64url(tail)
  if (signature === null || signature.length === 0) throw malformed("the signature is not base64url without padding")
  const signed = Buffer.from(body === "" ? `${head}.${toBase64url(attached)}` : compact.slice(0, head.length + 1 + body.length), "latin1")
  return { header, payload: attached, signed, signature }
}

const attachedEquals = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** Whether the middle part is empty. */
export const isDetached = (compact: string): boolean => compact.includes("..")

/** The same JWS without its payload, and back. */
export const detachJws = (compact: string): string => compact.replace(/\.[^.]*\./, "..")
export const attachPayload = (compact: string, payload: Uint8Array): string => compact.replace("..", `.${toBase64url(payload)}.`)

/** The bytes that are signed: JCS in UTF-8. */
export const evidencePayload = (evidence: ConfirmationEvidence): Uint8Array => Buffer.from(canonicalText(evidence), "utf8")

/** Signs evidence as a compact JWS. `detached` leaves the payload out, for a receiver that has it. */
export const signEvidence = async (
  evidence: ConfirmationEvidence,
  signer: EvidenceSigner,
  options: { detached?: boolean } = {},
): Promise<string> => {
  const header = toBase64url(Buffer.from(canonicalText({ alg: signer.alg, kid: signer.kid }), "utf8"))
  const body = toBase64url(evidencePayload(readEvidence(evidence)))
  const signature = await signer.sign(Buffer.from(`${header}.${body}`, "latin1"))
  return `${header}.${options.detached === true ? "" : body}.${toBase64url(signature)}`
}
