/** COSE_Key (RFC 9052 §7, RFC 9053 §7) and JWK as a key for COSE_Sign1. */
import { ECDH, type KeyObject } from "node:crypto"
import { AfgError, isAfgError } from "../../errors.ts"
import { type Algorithm, isAlgorithm, naturalAlgorithm, unfit } from "../algorithms.ts"
import { toBase64url } from "../base64url.ts"
import { type Cbor, decodeCbor, isBytes, isMap } from "../cbor/bytes.ts"
import { isJsonObject, type Json, type JsonObject } from "../json.ts"
import { importPublicJwk } from "../keys/service-key.ts"
import { algorithmOf } from "./algorithms.ts"

export type VerificationKey = { readonly kid: string | null; readonly alg: Algorithm; readonly publicKey: KeyObject }

const unusable = (message: string): AfgError => new AfgError("aacp-key-unusable", message)

/** The algorithm that the key is registered for, or the only one its type has. */
const withAlgorithm = (kid: string | null, publicKey: KeyObject, registered: Algorithm | null): VerificationKey => {
  const alg = registered ?? naturalAlgorithm(publicKey)
  if (alg === null) throw unusable("this type of key has no algorithm here")
  const problem = unfit(alg, publicKey)
  if (problem !== null) throw unusable(problem)
  return { kid, alg, publicKey }
}

/** A public (or private) JWK. `alg` follows from the type where it is absent. Throws `aacp-key-unusable`. */
export const keyFromJwk = (jwk: JsonObject): VerificationKey => {
  if (jwk.alg !== undefined && !isAlgorithm(jwk.alg)) throw unusable("alg must be ES256, EdDSA or RS256")
  const kid = typeof jwk.kid === "string" ? jwk.kid : null
  return withAlgorithm(kid, importPublicJwk(jwk), isAlgorithm(jwk.alg) ? jwk.alg : null)
}

const EC2 = 2
const OKP = 1
const P256 = 1
const ED25519 = 6

const coordinate = (value: Cbor | undefined, name: string): string => {
  if (!isBytes(value) || value.length !== 32) throw unusable(`${name} must be 32 octets`)
  return toBase64url(value)
}

/** Both coordinates of a P-256 point, also when y is given by its sign alone. */
const pointOf = (x: Cbor | undefined, y: Cbor | undefined): { x: string; y: string } => {
  if (typeof y !== "boolean") return { x: coordinate(x, "x"), y: coordinate(y, "y") }
  const compressed = Buffer.concat([Buffer.from([y ? 3 : 2]), Buffer.from(coordinate(x, "x"), "base64url")])
  try {
    const point = ECDH.convertKey(compressed, "prime256v1", undefined, undefined, "uncompressed") as Buffer
    return { x: toBase64url(point.subarray(1, 33)), y: toBase64url(point.subarray(33)) }
  } catch {
    throw unusable("x is on no point of P-256")
  }
}

const jwkOf = (key: ReadonlyMap<Cbor, Cbor>): JsonObject => {
  const [kty, crv] = [key.get(1), key.get(-1)]
  if (kty === EC2 && crv === P256) return { kty: "EC", crv: "P-256", ...pointOf(key.get(-2), key.get(-3)) }
  if (kty === OKP && crv === ED25519) return { kty: "OKP", crv: "Ed25519", x: coordinate(key.get(-2), "x") }
  throw unusable("a COSE_Key for P-256 or Ed25519 is needed")
}

/** A COSE_Key's bytes. Throws `aacp-key-unusable` or `aacp-cbor-malformed`. */
export const keyFromCose = (bytes: Uint8Array): VerificationKey => {
  const key = decodeCbor(bytes, [])
  if (!isMap(key)) throw unusable("a COSE_Key is a map")
  const registered = algorithmOf(key.get(3))
  if (key.has(3) && registered === null) throw unusable("the COSE_Key is registered for another algorithm")
  const operations = key.get(4)
  if (Array.isArray(operations) && !operations.includes(2)) throw unusable("the COSE_Key is not for verifying")
  const kid = key.get(2)
  return withAlgorithm(isBytes(kid) ? Buffer.from(kid).toString("utf8") : null, importPublicJwk(jwkOf(key)), registered)
}

/** The keys of a JWK or a JWK Set; in a set, those that cannot be used are left out. */
export const keysFromJson = (value: Json): VerificationKey[] => {
  if (!isJsonObject(value)) throw unusable("a JWK is an object")
  if (!Array.isArray(value.keys)) return [keyFromJwk(value)]
  return value.keys.flatMap((jwk: Json) => {
    try {
      return isJsonObject(jwk) ? [keyFromJwk(jwk)] : []
    } catch (error) {
      if (isAfgError(error)) return []
      throw error
    }
  })
}
