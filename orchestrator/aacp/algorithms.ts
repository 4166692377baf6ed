/**
 * The signature algorithms (AACP §7.2, §11): ES256 and EdDSA both ways, RS256 for verification only. Which one applies
 * is always the key's registration, never what a message says of itself.
 */
import { constants, type KeyObject, sign, verify } from "node:crypto"

export const ALGORITHMS = ["ES256", "EdDSA", "RS256"] as const
export type Algorithm = (typeof ALGORITHMS)[number]
export type SigningAlgorithm = Exclude<Algorithm, "RS256">

export const isAlgorithm = (text: unknown): text is Algorithm => ALGORITHMS.some((name) => name === text)

/**
 * Whether `signature` over `bytes` is good. ES256 signatures are the raw r‖s of JOSE and COSE, 64 bytes; both values of s
 * are accepted, as JOSE does. Total: a signature of the wrong length is false, not an exception.
 */
export const verifySignature = (algorithm: Algorithm, key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean => {
  switch (algorithm) {
    case "ES256":
      return signature.length === 64 && verify("sha256", bytes, { key, dsaEncoding: "ieee-p1363" }, signature)
    case "EdDSA":
      return signature.length === 64 && verify(null, bytes, key, signature)
    case "RS256":
      return verify("sha256", bytes, { key, padding: constants.RSA_PKCS1_PADDING }, signature)
  }
}

export const createSignature = (algorithm: SigningAlgorithm, key: KeyObject, bytes: Uint8Array): Uint8Array =>
  algorithm === "ES256" ? sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" }) : sign(null, bytes, key)

/** Why `key` cannot serve `algorithm`, or null when it can. */
export const unfit = (algorithm: Algorithm, key: KeyObject): string | null => {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (algorithm === "ES256") return type === "ec" && details?.namedCurve === "prime256v1" ? null : "ES256 needs a P-256 key"
  if (algorithm === "EdDSA") return type === "ed25519" ? null : "EdDSA needs an Ed25519 key"
  return type === "rsa" && (details?.modulusLength ?? 0) >= 2048 ? null : "RS256 needs an RSA key of 2048 bits or more"
}

/** The algorithm that a key of this type has when its registration names none; null for types we do not use. */
export const naturalAlgorithm = (key: KeyObject): Algorithm | null => ALGORITHMS.find((name) => unfit(name, key) === null) ?? null
