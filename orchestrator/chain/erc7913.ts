/** ERC-7913 signers: a wallet, or a verifier contract with a key. Asked as the resolver asks. */
import { type PublicClient, parseAbi, size, slice } from "viem"
import { readContract } from "viem/actions"
import { signatureStatus } from "../contract/index.ts"
import type { Hex } from "../types.ts"

const ABI = parseAbi(["function verify(bytes key, bytes32 hash, bytes signature) view returns (bytes4)"])
const ACCEPTED = "0x024ad318"
const ADDRESS_BYTES = 20

/** Whether the signer accepts the signature over `digest`. A verifier that reverts or is not there does not. */
export const verifySigner = async (client: PublicClient, signer: Hex, digest: Hex, signature: Hex): Promise<boolean> => {
  if (size(signer) < ADDRESS_BYTES) return false
  const address = slice(signer, 0, ADDRESS_BYTES)
  if (size(signer) === ADDRESS_BYTES) return (await signatureStatus(address, digest, signature, true, client)).valid === true
  const args = [slice(signer, ADDRESS_BYTES), digest, signature] as const
  const answer = await readContract(client, { address, abi: ABI, functionName: "verify", args }).catch(() => null)
  return answer === ACCEPTED
}
