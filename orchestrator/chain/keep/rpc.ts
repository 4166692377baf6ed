/** What the keeper asks a node. Each answer is either the node's own, or `chain_unavailable`. */
import { type Client, type Hex, numberToHex } from "viem"
import {
  estimateFeesPerGas,
  call as ethCall,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  sendRawTransaction,
} from "viem/actions"
import { AfgError } from "../../errors.ts"
import type { Address } from "../../types.ts"
import { isRevert, refusal } from "../contract-error.ts"
import type { Call } from "../rails/rail.ts"

export type Receipt = { hash: Hex; success: boolean; gasUsed: bigint; block: number; blockHash: Hex }
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

const unavailable = (cause: unknown): AfgError =>
  new AfgError("chain_unavailable", `the chain does not answer: ${cause instanceof Error ? cause.message.split("\n", 1)[0] : cause}`, {
    cause,
  })

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && (error.name === "TransactionReceiptNotFoundError" || error.name === "TransactionNotFoundError")

const orNull = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked
  } catch (error) {
    if (isNotFound(error)) return null
    throw unavailable(error)
  }
}

const orUnavailable = async <T>(asked: Promise<T>): Promise<T> => {
  try {
    return await asked
  } catch (error) {
    throw unavailable(error)
  }
}

export const receiptOf = async (client: Client, hash: Hex): Promise<Receipt | null> => {
  const receipt = await orNull(getTransactionReceipt(client, { hash }))
  if (receipt === null) return null
  const { status, gasUsed, blockNumber, blockHash } = receipt
  return { hash, success: status === "success", gasUsed, block: Number(blockNumber), blockHash }
}

export const isKnown = async (client: Client, hash: Hex): Promise<boolean> => (await orNull(getTransaction(client, { hash }))) !== null

/** Nonces used up by mined transactions; with "pending" also those the node holds. */
export const nonceOf = (client: Client, address: Address, blockTag: "latest" | "pending"): Promise<number> =>
  orUnavailable(getTransactionCount(client, { address, blockTag }))

/** Gas for the call as it would be mined now. Throws `chain_refused` when it would fail. */
export const estimate = async (client: Client, from: Address, { to, data, value, what }: Call): Promise<bigint> => {
  try {
    const gas = await client.request({
      method: "eth_estimateGas",
      params: [{ from, to, data, value: numberToHex(value) }, "pending"],
    } as Parameters<typeof client.request>[0])
    return BigInt(gas as unknown as Hex)
  } catch (error) {
    throw isRevert(error) ? refusal(error, what) : unavailable(error)
  }
}

/** Why a mined call failed, as far as running it again at that block tells; null: it would not fail any more. */
export const whyReverted = async (client: Client, from: Address, { to, data, what }: Call, receipt: Receipt): Promise<AfgError | null> => {
  try {
    await ethCall(client, { account: from, to, data, blockNumber: BigInt(receipt.block) })
    return null
  } catch (error) {
    return isRevert(error) ? refusal(error, what) : null
  }
}

export const currentFees = async (client: Client): Promise<Fees> => {
  const { maxFeePerGas, maxPriorityFeePerGas } = await orUnavailable(estimateFeesPerGas(client))
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/**
 * Hands a signed transaction to the node. An error says nothing for certain: the node may have it already, may have mined it, may have lost
 * only its reply; whoever sends looks it up afterwards. Answers what was said.
 */
export const broadcast = async (client: Client, raw: Hex): Promise<string | null> => {
  try {
    await sendRawTransaction(client, { serializedTransaction: raw as `0x02${string}` })
    return null
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n", 1)[0] ?? "error") : String(error)
  }
}
