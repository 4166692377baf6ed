/** Whether the chain has a bundle's root: what `settle` wrote down for the job. */
import { createPublicClient, http, parseAbi } from "viem"
import { type Contract, hashTerms, termsOf } from "../../contract/index.ts"
import { AfgError } from "../../errors.ts"
import { type Sha256, toBytes32 } from "../../types.ts"

const ABI = parseAbi([
  "event Settled(bytes32 indexed ref, bytes32 indexed termsHash, uint8 outcome, uint8 cause, bytes32 root, bytes32 documentHash)",
])

/**
 * True when the job was settled with this root, false with another one, null when it is not settled yet.
 *
 * Throws `rpc-unreachable`, `rpc-wrong-chain`, `terms-underivable`.
 */
export const readAnchor = async (rpc: string, contract: Contract, root: Sha256): Promise<boolean | null> => {
  const termsHash = hashTerms(termsOf(contract))
  const client = createPublicClient({ transport: http(rpc, { retryCount: 1, timeout: 10_000 }) })
  const reach = <T>(asked: Promise<T>): Promise<T> =>
    asked.catch((cause: unknown) => {
      throw new AfgError("rpc-unreachable", `${rpc} does not answer: ${cause instanceof Error ? cause.message.split("\n")[0] : cause}`, {
        cause,
      })
    })
  const chain = await reach(client.getChainId())
  if (chain !== contract.price.chain_id)
    throw new AfgError("rpc-wrong-chain", `${rpc} is chain ${chain}, the contract's is ${contract.price.chain_id}`)
  const logs = await reach(
    client.getContractEvents({
      address: contract.escrow.resolver,
      abi: ABI,
      eventName: "Settled",
      args: { termsHash },
      fromBlock: 0n,
      strict: true,
    }),
  )
  const [settled] = logs
  return settled === undefined ? null : settled.args.root.toLowerCase() === toBytes32(root)
}
