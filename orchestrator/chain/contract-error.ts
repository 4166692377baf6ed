/** What a contract says when it refuses, from whatever shape the RPC wraps it in. */
import { type Abi, decodeErrorResult, type Hex, isHex } from "viem"
import { afgResolverAbi, batcherAbi, erc8183EscrowAbi, testUsdcAbi } from "../../deployments/abi/index.ts"
import { AfgError } from "../errors.ts"

const ABIS: readonly Abi[] = [afgResolverAbi, erc8183EscrowAbi, batcherAbi, testUsdcAbi]

/** `error`: the contract's own name for it, `Error` for a plain reason; `args` are safe to show as JSON. */
export type ContractError = { error: string; args: Record<string, string> }

const dataOf = (value: unknown): Hex | null => {
  if (typeof value === "string" && isHex(value) && value.length >= 10) return value
  if (typeof value === "object" && value !== null && "data" in value) return dataOf(value.data)
  return null
}

/** Revert data of an RPC error, wherever in its chain of causes it is; null: not a revert that says anything. */
export const revertData = (error: unknown): Hex | null => {
  for (let one: unknown = error; typeof one === "object" && one !== null; one = "cause" in one ? one.cause : null) {
    const data = "data" in one ? dataOf(one.data) : null
    if (data !== null) return data
  }
  return null
}

/** Whether the node answered that the call fails, rather than failing to answer. */
export const isRevert = (error: unknown): boolean => {
  if (revertData(error) !== null) return true
  for (let one: unknown = error; one instanceof Error; one = one.cause) if (/revert/i.test(one.message)) return true
  return false
}

const decode = (data: Hex): { name: string; inputs: readonly { name?: string }[]; args: readonly unknown[] } | null => {
  for (const abi of ABIS) {
    try {
      const { abiItem, errorName, args } = decodeErrorResult({ abi, data })
      return { name: errorName, inputs: "inputs" in abiItem ? (abiItem.inputs ?? []) : [], args: args ?? [] }
    } catch {
      // Another contract's error.
    }
  }
  return null
}

/** Names the contract's error; a batch's failure is that of the call that failed. */
export const contractError = (data: Hex): ContractError => {
  const decoded = decode(data)
  if (decoded === null) return { error: "unknown", args: { data } }
  const { name, inputs, args } = decoded
  const [, inner] = args
  if (name === "CallFailed" && typeof inner === "string" && isHex(inner) && inner.length >= 10) return contractError(inner)
  return { error: name, args: Object.fromEntries(args.map((arg, index) => [inputs[index]?.name || String(index), String(arg)])) }
}

/** The refusal as our error. `what`: the call, for people. */
export const refusal = (error: unknown, what: string, details: Record<string, unknown> = {}): AfgError => {
  const data = revertData(error)
  const named = data === null ? { error: "unknown", args: {} } : contractError(data)
  const args = Object.entries(named.args)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")
  return new AfgError("chain_refused", `the chain refuses to ${what}: ${named.error}${args === "" ? "" : ` (${args})`}`, {
    cause: error,
    details: { ...named, ...details },
  })
}
