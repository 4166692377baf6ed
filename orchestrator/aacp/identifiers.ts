/** Shapes shared by request, evidence and status: ids, digests, challenges, and where randomness comes from. */
import { randomBytes, randomUUID } from "node:crypto"
import { isBase64urlOf } from "./base64url.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID in RFC 9562's written form, lower case: one spelling per id, since replay state is keyed by it. */
export const isUuid = (text: string): boolean => UUID.test(text)

/** SHA-256 as base64url without padding. */
export const isDigest = (text: string): boolean => text.length === 43 && isBase64urlOf(text, 32)

/** At least 16 random octets as base64url without padding (AACP §6). */
export const isChallenge = (text: string): boolean => isBase64urlOf(text, 16, true)

/** Randomness, passed in so that vectors can be made and tests repeated. */
export type Entropy = { readonly uuid: () => string; readonly octets: (length: number) => Uint8Array }

export const systemEntropy: Entropy = { uuid: () => randomUUID(), octets: (length) => randomBytes(length) }
