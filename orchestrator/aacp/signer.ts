/** What signs evidence: a key in memory here; an HSM or a KMS by the same interface. */
import { createPrivateKey, type KeyObject } from "node:crypto"
import { AfgError } from "../errors.ts"
import { createSignature, type SigningAlgorithm, unfit } from "./algorithms.ts"
import { isJsonObject, type JsonObject } from "./json.ts"

export interface EvidenceSigner {
  readonly kid: string
  readonly alg: SigningAlgorithm
  /** ES256: raw r‖s, 64 bytes, over SHA-256 of `bytes`. EdDSA: Ed25519 over `bytes`. */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** A signer from a private key. Throws `aacp-key-unusable` when the key does not fit the algorithm. */
export const keySigner = (kid: string, alg: SigningAlgorithm, key: KeyObject): EvidenceSigner => {
  const problem = key.type === "private" ? unfit(alg, key) : "a private key is needed"
  if (problem !== null) throw new AfgError("aacp-key-unusable", problem)
  return { kid, alg, sign: (bytes) => createSignature(alg, key, bytes) }
}

/** A signer from a private JWK with `kid`; `alg` follows from the curve where it is not given. */
export const jwkSigner = (jwk: JsonObject): EvidenceSigner => {
  if (!isJsonObject(jwk) || typeof jwk.kid !== "string") throw new AfgError("aacp-key-unusable", "a private JWK with a kid is needed")
  const { kid } = jwk
  const alg = jwk.alg ?? (jwk.kty === "OKP" ? "EdDSA" : "ES256")
  if (alg !== "ES256" && alg !== "EdDSA") throw new AfgError("aacp-key-unusable", "evidence is signed with ES256 or EdDSA")
  try {
    return keySigner(kid, alg, createPrivateKey({ key: jwk, format: "jwk" }))
  } catch (cause) {
    throw cause instanceof AfgError ? cause : new AfgError("aacp-key-unusable", "the JWK is no valid private key", { cause })
  }
}
