/** Keys that sign in these tests. */
import { p256 } from "@noble/curves/p256"
import { type Address, bytesToHex, concat, type Hex, hexToBytes, keccak256 } from "viem"
import { localAccount } from "../../../orchestrator/local-accounts.ts"

export const buyer = localAccount("buyer").account
export const provider = localAccount("provider").account
export const verifier = localAccount("verifier").account
export const fallback = localAccount("fallback").account
export const mediator = localAccount("mediator").account
export const treasury = localAccount("treasury").account
export const stranger = localAccount("panelist-1").account

const N = p256.CURVE.n

/** A confirmation service's key: ERC-7913 signer bytes, and raw-digest signatures as its `ES256` key makes them. */
export const p256Confirmer = (p256Verifier: Address, secret: Hex = keccak256("0x01")) => {
  const key = hexToBytes(secret)
  const point = p256.getPublicKey(key, false)
  const signer = concat([p256Verifier, bytesToHex(point.slice(1))])
  const sign = (digest: Hex): Hex => {
    const signature = p256.sign(hexToBytes(digest), key, { prehash: false, lowS: true })
    return `0x${signature.toCompactHex()}`
  }
  return { signer, id: keccak256(signer), sign }
}

/** The other signature over the same message: P-256 with s in the upper half. */
export const highS = (signature: Hex): Hex => {
  const parsed = p256.Signature.fromCompact(signature.slice(2))
  return `0x${new p256.Signature(parsed.r, N - parsed.s).toCompactHex()}`
}

const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other ECDSA signature over the same message: s in the upper half, v flipped. */
export const malleate = (signature: Hex): Hex => {
  const s = SECP256K1_N - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130) === "1b" ? "1c" : "1b"
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, "0")}${v}` as Hex
}
