/** Reads from the chain what the chain rules judge. Reading and judging are apart, so that a rule is a pure function of facts. */
import { keccak256, type PublicClient, parseAbi, TransactionReceiptNotFoundError } from "viem"
import { AfgError } from "../../../errors.ts"
import type { Address, Hex } from "../../../types.ts"
import { isRevert } from "../../chain-errors.ts"
import type { Contract } from "../../schema/contract.ts"
import { railRef } from "../../terms.ts"
import type { AdmittedEscrow, KnownContracts } from "./known.ts"

/** A job on our escrow. */
export type RailJob = {
  client: Address
  provider: Address
  evaluator: Address
  hook: Address
  budget: bigint
  expiredAt: bigint
  /** 0 Open, 1 Funded, 2 Submitted, 3 Completed, 4 Rejected, 5 Expired. */
  status: number
}

export type ChainFacts = {
  /** Our record of the escrow at this address with this code. */
  admitted: AdmittedEscrow | undefined
  escrowHasCode: boolean
  /** Why the escrow's code can be replaced, or undefined. */
  upgradeableBy: string | undefined
  resolverIsKnown: boolean
  /** What our escrow says of itself and of the job; undefined for other escrows, null where there is no such job. */
  ours: { token: Address; feeBps: number; job: RailJob | null } | undefined
  tokenDecimals: number | undefined
  /** Did the transaction that drew the mediator succeed? undefined: none is named. */
  drawSucceeded: boolean | undefined
}

export type FactsReader = Pick<PublicClient, "getCode" | "getStorageAt" | "readContract" | "getTransactionReceipt" | "getChainId">

/** EIP-1967 implementation, beacon and admin; EIP-1822. */
const PROXY_SLOTS: readonly [string, Hex][] = [
  ["an EIP-1967 implementation slot", "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"],
  ["an EIP-1967 beacon slot", "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"],
  ["an EIP-1967 admin slot", "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"],
  ["an EIP-1822 logic slot", "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"],
]
/** EIP-7702: an account that points at code, as long as it likes. */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/

const ESCROW = parseAbi([
  "struct Job { address client; address provider; address evaluator; address hook; uint256 budget; uint256 expiredAt; uint8 status; bytes32 deliverable; }",
  "function getJob(uint256 jobId) view returns (Job)",
  "function token() view returns (address)",
  "function feeBps() view returns (uint16)",
])
const TOKEN = parseAbi(["function decimals() view returns (uint8)"])

/** Throws `rpc-unreachable` when the chain does not answer. */
export const readFacts = async (contract: Contract, client: FactsReader, known: KnownContracts): Promise<ChainFacts> => {
  try {
    return await read(contract, client, known)
  } catch (cause) {
    throw cause instanceof AfgError ? cause : new AfgError("rpc-unreachable", "the chain's RPC does not answer", { cause })
  }
}

const read = async (contract: Contract, client: FactsReader, known: KnownContracts): Promise<ChainFacts> => {
  const { escrow, price, mediator } = contract
  const [code, resolverCode, tokenCode] = await Promise.all(
    [escrow.contract, escrow.resolver, price.token_address].map((address) => client.getCode({ address })),
  )
  const admitted = known.escrows.find(
    ({ rail, address, code_hash }) =>
      rail === escrow.rail && same(address, escrow.contract) && code !== undefined && keccak256(code) === code_hash,
  )
  return {
    admitted,
    escrowHasCode: hasCode(code),
    upgradeableBy: hasCode(code) ? await upgradeableBy(client, escrow.contract, code) : undefined,
    resolverIsKnown: known.resolvers.some(
      ({ address, code_hash }) => same(address, escrow.resolver) && resolverCode !== undefined && keccak256(resolverCode) === code_hash,
    ),
    ours: admitted?.ours === true && escrow.rail === "erc8183" ? await readOurs(client, escrow) : undefined,
    tokenDecimals: hasCode(tokenCode)
      ? await orUndefined(client.readContract({ address: price.token_address, abi: TOKEN, functionName: "decimals" }))
      : undefined,
    drawSucceeded: mediator.selection_proof === undefined ? undefined : await succeeded(client, mediator.selection_proof.draw_tx),
  }
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const hasCode = (code: Hex | undefined): code is Hex => code !== undefined && code !== "0x"

/**
 * By what the escrow's code can be replaced. A minimal clone (EIP-1167) has no slot to change; code that delegates in another
 * way is not found here, and is refused because no admitted escrow has its hash.
 */
const upgradeableBy = async (client: FactsReader, address: Address, code: Hex): Promise<string | undefined> => {
  if (DELEGATED.test(code)) return "an EIP-7702 delegation"
  const values = await Promise.all(PROXY_SLOTS.map(([, slot]) => client.getStorageAt({ address, slot })))
  return PROXY_SLOTS[values.findIndex((value) => value !== undefined && BigInt(value) !== 0n)]?.[0]
}

const readOurs = async (client: FactsReader, escrow: Contract["escrow"]): Promise<NonNullable<ChainFacts["ours"]>> => {
  const ref = jobId(escrow)
  const [token, feeBps, job] = await Promise.all([
    client.readContract({ address: escrow.contract, abi: ESCROW, functionName: "token" }),
    client.readContract({ address: escrow.contract, abi: ESCROW, functionName: "feeBps" }),
    ref === undefined
      ? undefined
      : orUndefined(client.readContract({ address: escrow.contract, abi: ESCROW, functionName: "getJob", args: [ref] })),
  ])
  return { token, feeBps, job: job ?? null }
}

const jobId = (escrow: Contract["escrow"]): bigint | undefined => {
  try {
    return BigInt(railRef(escrow))
  } catch {
    // `terms-underivable` reports it.
    return undefined
  }
}

/** A contract that reverts has answered: it has no such thing. */
const orUndefined = async <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (isRevert(error)) return undefined
    throw error
  })

const succeeded = async (client: FactsReader, hash: Hex): Promise<boolean> => {
  try {
    return (await client.getTransactionReceipt({ hash })).status === "success"
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return false
    throw error
  }
}
