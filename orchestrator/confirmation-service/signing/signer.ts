/**
 * Signatures with the service's P-256 key. Deterministic (RFC 6979), low s: the same decision always gives the same bytes, so
 * that signing again after a crash is not a second signature.
 */
import { hash } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import { bytesToHex, concat, hexToBytes } from "viem"
import type { EvidenceSigner } from "../../aacp/index.ts"
import type { Address, Hex } from "../../types.ts"
import type { ServiceKey } from "./service-key.ts"

const signDigest = (key: ServiceKey, digest: Uint8Array): Uint8Array =>
  p256.sign(digest, key.secret, { prehash: false, lowS: true }).toCompactRawBytes()

/** ES256 for evidence. */
export const evidenceSigner = (key: ServiceKey): EvidenceSigner => ({
  kid: key.kid,
  alg: "ES256",
  sign: (bytes) => signDigest(key, hash("sha256", bytes, "buffer")),
})

/** A 32-byte digest as it is, r‖s: what OpenZeppelin's ERC7913P256Verifier takes. */
export const signRaw = (key: ServiceKey, digest: Hex): Hex => bytesToHex(signDigest(key, hexToBytes(digest)))

/** ERC-7913 signer bytes: the verifier contract's address, then x and y. This is `buyer.confirmer` of a contract. */
export const erc7913Signer = (key: ServiceKey, verifier: Address): Hex =>
  concat([verifier, bytesToHex(key.x), bytesToHex(key.y)]).toLowerCase() as Hex
