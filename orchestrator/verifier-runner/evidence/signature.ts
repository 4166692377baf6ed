/** Whose signature a bundle carries. */
import { type Hex, hexToBigInt, recoverAddress, sliceHex } from "viem"
import type { Contract } from "../../contract/index.ts"
import { isAfgError } from "../../errors.ts"
import type { Problem } from "./problems.ts"
import type { EvidenceBundle } from "./schema.ts"
import { verdictDigest } from "./sign.ts"

/** Half of secp256k1's order: the chain refuses a larger s. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const isCanonical = (signature: Hex): boolean => {
  const v = hexToBigInt(sliceHex(signature, 64, 65))
  return hexToBigInt(sliceHex(signature, 32, 64)) <= HALF_ORDER && (v === 27n || v === 28n)
}

const problem = (code: Problem["code"], detail: string): Problem[] => [{ code, detail }]

/** What is wrong with the verifier's signature under a contract; nothing when it is the right key's. */
export const signatureProblems = async (bundle: EvidenceBundle, contract: Contract): Promise<Problem[]> => {
  const signature = bundle.verifier_sig
  if (signature === null) return problem("signature-missing", "verifier_sig is null")
  if (!isCanonical(signature)) return problem("signature-malformed", "s is in the upper half, or v is neither 27 nor 28")
  let digest: Hex
  try {
    digest = verdictDigest(contract, bundle)
  } catch (error) {
    // A roster that is elsewhere: Terms, and with them what was signed, do not follow from the contract alone.
    if (isAfgError(error)) return problem("signature-not-established", error.message)
    throw error
  }
  const signer = await recoverAddress({ hash: digest, signature }).catch(() => undefined)
  const { verifier } = contract
  const named = [verifier, verifier.fallback].find(({ attestation_key }) => attestation_key.toLowerCase() === signer?.toLowerCase())
  if (named === undefined)
    return problem("signature-wrong", `it is ${signer ?? "no one"}'s, not ${verifier.attestation_key}'s or the fallback's`)
  if (named.verifier_id !== bundle.verifier_id)
    return problem("verifier-mismatch", `${bundle.verifier_id} is named, the key is that of ${named.verifier_id}`)
  return []
}
