/** Whether the signatures under a contract are those of its roles. Judged as the chain judges them. */
import {
  compactSignatureToSignature,
  encodeFunctionData,
  type Hex,
  type PublicClient,
  parseAbi,
  parseCompactSignature,
  recoverAddress,
} from "viem"
import { AfgError } from "../errors.ts"
import type { Address, Sha256 } from "../types.ts"
import { isRevert } from "./chain-errors.ts"
import { contractHash } from "./hash.ts"
import { termsDigest } from "./messages.ts"
import type { Contract } from "./schema/contract.ts"
import { SIGNING_ROLES, type SigningRole, signerOf } from "./sign.ts"
import { staticCall } from "./static-call.ts"
import { domainOf, type TermsOptions, termsOf } from "./terms.ts"

export type SignatureStatus = {
  address: Address
  /** null: could not be established (no signature, or only a contract wallet's answer could tell and nobody was asked). */
  valid: boolean | null
  /** `eoa`: judged by ECDSA; `erc1271`: by the wallet's contract; `none`: there is no signature. */
  kind: "eoa" | "erc1271" | "none"
}

export type SignatureReport = { contract_hash: Sha256 } & Record<SigningRole, SignatureStatus>

/** The part of a viem client that verification needs. */
export type CodeReader = Pick<PublicClient, "getCode" | "call" | "getChainId">

export type VerifyOptions = TermsOptions & {
  /** A client of the price's chain. Without it signatures of contract wallets stay unestablished. */
  client?: CodeReader | undefined
}

/**
 * Verifies the signatures of buyer, provider and mediator over the contract's Terms.
 *
 * ECDSA counts first, whatever the code at the address: 65 bytes, low s, v 27 or 28. The parties may have contract wallets
 * (ERC-1271); the mediator has a key. Throws what `termsOf` throws, `rpc-wrong-chain`, `rpc-unreachable`.
 */
export const verifySignatures = async (contract: Contract, options: VerifyOptions = {}): Promise<SignatureReport> => {
  const digest = termsDigest(domainOf(contract), termsOf(contract, options))
  if (options.client !== undefined) await requireChain(options.client, contract.price.chain_id)
  const [buyer, provider, mediator] = await Promise.all(
    SIGNING_ROLES.map((role) =>
      signatureStatus(signerOf(contract, role), digest, contract.signatures?.[role], role !== "mediator", options.client),
    ),
  )
  if (!buyer || !provider || !mediator) throw new TypeError("three roles sign")
  return { contract_hash: contractHash(contract), buyer, provider, mediator }
}

/** Throws when the client cannot be reached, or answers for another chain. */
export const requireChain = async (client: Pick<PublicClient, "getChainId">, chainId: number): Promise<void> => {
  const actual = await client.getChainId().catch((cause: unknown) => {
    throw new AfgError("rpc-unreachable", "the chain's RPC does not answer", { cause })
  })
  if (actual !== chainId)
    throw new AfgError("rpc-wrong-chain", `the RPC is of chain ${actual}, the price is on chain ${chainId}`, { path: "/price/chain_id" })
}

/** One signature over one digest, judged as the chain judges it: by key first, then by the wallet's contract where that may be. */
export const signatureStatus = async (
  address: Address,
  digest: Hex,
  signature: Hex | undefined,
  mayBeContract: boolean,
  client: CodeReader | undefined,
): Promise<SignatureStatus> => {
  if (signature === undefined || signature === "0x") return { address, valid: null, kind: "none" }
  const ecdsa = await byKey(address, digest, signature)
  if (ecdsa !== null || !mayBeContract) return { address, valid: ecdsa === true, kind: "eoa" }
  if (client === undefined) return { address, valid: null, kind: "erc1271" }
  return byContract(address, digest, signature, client)
}

const LOW_S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const FULL = 2 + 2 * 65
/** EIP-2098: v inside s. */
const COMPACT = 2 + 2 * 64

/** true: the key signed, as the chain accepts it. false: it signed, in a form that the chain refuses. null: it did not. */
const byKey = async (address: Address, digest: Hex, signature: Hex): Promise<boolean | null> => {
  if (signature.length !== FULL && signature.length !== COMPACT) return null
  const recovered = await recover(digest, signature)
  if (recovered?.toLowerCase() !== address.toLowerCase()) return null
  const v = signature.slice(COMPACT).toLowerCase()
  return BigInt(`0x${signature.slice(66, COMPACT)}`) <= LOW_S_MAX && (v === "1b" || v === "1c")
}

const recover = async (hash: Hex, signature: Hex): Promise<Address | null> => {
  try {
    const full = signature.length === FULL ? signature : compactSignatureToSignature(parseCompactSignature(signature))
    return await recoverAddress({ hash, signature: full })
  } catch {
    return null
  }
}

const ERC1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
const ERC1271_ACCEPTS = `0x1626ba7e${"0".repeat(56)}`

const byContract = async (address: Address, digest: Hex, signature: Hex, client: CodeReader): Promise<SignatureStatus> => {
  try {
    const code = await client.getCode({ address })
    if (code === undefined || code === "0x") return { address, valid: false, kind: "eoa" }
    const data = encodeFunctionData({ abi: ERC1271, functionName: "isValidSignature", args: [digest, signature] })
    const answer = await staticCall(client, address, data)
    return { address, valid: answer.slice(0, 66) === ERC1271_ACCEPTS, kind: "erc1271" }
  } catch (error) {
    // A wallet that reverts has refused; a dropped line or a busy node says nothing.
    return { address, valid: isRevert(error) ? false : null, kind: "erc1271" }
  }
}
