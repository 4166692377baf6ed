/** An example contract as it is on a world's chain: its rail job created, unfunded, and everything named as deployed. */

import { keccak256, zeroAddress } from "viem"
import { getCode } from "viem/actions"
import { type Contract, fromUnix, type KnownContracts, toUnix } from "../../../orchestrator/contract/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import { escrowAs } from "../../contracts/support/escrow.ts"
import { time, viem, type World } from "../../contracts/support/world.ts"
import { fixtureContract } from "./examples.ts"

export const client = await viem.getPublicClient()

/** Example A as if it had been written now, by the chain's clock. */
const startedNow = async (): Promise<Contract> => {
  const contract = fixtureContract("code-fix")
  const shift = (await time.latest()) - toUnix(contract.created_at)
  const later = (text: string): string => fromUnix(toUnix(text) + shift)
  return {
    ...contract,
    created_at: later(contract.created_at),
    escrow: { ...contract.escrow, fund_by: later(contract.escrow.fund_by), expiry: later(contract.escrow.expiry) },
    deadline: { ...contract.deadline, delivery_by: later(contract.deadline.delivery_by) },
  }
}

/** Creates the job of example A on the world's escrow and returns the contract that names it. */
export const contractOnChain = async (world: World, budget = 40_000_000n): Promise<Contract> => {
  const contract = await startedNow()
  const expiry = toUnix(contract.escrow.expiry)
  const asBuyer = await escrowAs(world, localAccount("buyer").address)
  await asBuyer.write.createJobWithBudget([contract.provider.wallet, world.resolver.address, BigInt(expiry), "", zeroAddress, budget])
  return {
    ...contract,
    price: { ...contract.price, token_address: world.usdc.address },
    escrow: {
      ...contract.escrow,
      contract: world.escrow.address,
      resolver: world.resolver.address,
      escrow_ref: (await world.escrow.read.jobCount()).toString(),
    },
  }
}

/** What the world's deployment admits. */
export const knownOf = async (world: World): Promise<KnownContracts> => {
  const hashOf = async (address: `0x${string}`): Promise<`0x${string}`> => keccak256((await getCode(client, { address })) ?? "0x")
  return {
    escrows: [{ rail: "erc8183", address: world.escrow.address, code_hash: await hashOf(world.escrow.address), ours: true }],
    resolvers: [{ address: world.resolver.address, code_hash: await hashOf(world.resolver.address) }],
  }
}
