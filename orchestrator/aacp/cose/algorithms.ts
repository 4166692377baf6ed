/** COSE's numbers for the algorithms of this protocol (RFC 9053 §2, RFC 9864). */
import type { Algorithm } from "../algorithms.ts"
import type { Cbor } from "../cbor/bytes.ts"

const BY_NUMBER: ReadonlyMap<Cbor | undefined, Algorithm> = new Map([
  [-7, "ES256"],
  // The fully specified names of the same two.
  [-9, "ES256"],
  [-8, "EdDSA"],
  [-19, "EdDSA"],
  [-257, "RS256"],
])

const NUMBERS: Readonly<Record<Algorithm, number>> = { ES256: -7, EdDSA: -8, RS256: -257 }

export const algorithmOf = (number: Cbor | undefined): Algorithm | null => BY_NUMBER.get(number) ?? null
export const numberOf = (algorithm: Algorithm): number => NUMBERS[algorithm]
