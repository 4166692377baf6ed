/** An escrow job made by plain transactions, as any ERC-8183 client makes them. */
import { type Address, zeroAddress } from "viem"
import { erc8183EscrowAbi } from "../../../deployments/abi/index.ts"
import { hash } from "./job.ts"
import { buyer, mediator, provider } from "./keys.ts"
import { contractAt, time, USDC, type World, walletOf } from "./world.ts"

export const PRICE = 40n * USDC
export const STATUS = { Open: 0, Funded: 1, Submitted: 2, Completed: 3, Rejected: 4, Expired: 5 } as const
export type Status = keyof typeof STATUS
/** Who completes and rejects in these tests. */
export const evaluator = mediator
export const REASON = hash("reason")
export const DELIVERABLE = hash("deliverable")

/** The escrow as `who` calls it. */
export const escrowAs = async (world: World, who: Address) => contractAt(erc8183EscrowAbi, world.escrow.address, await walletOf(who))

export type EscrowJob = {
  id: bigint
  expiredAt: number
  asClient: Awaited<ReturnType<typeof escrowAs>>
  asProvider: Awaited<ReturnType<typeof escrowAs>>
  asEvaluator: Awaited<ReturnType<typeof escrowAs>>
}

/** Open with a budget, then on to `status`. */
export const jobIn = async (world: World, status: Status, options: { evaluator?: Address } = {}): Promise<EscrowJob> => {
  const { usdc, escrow } = world
  const asClient = await escrowAs(world, buyer.address)
  const asProvider = await escrowAs(world, provider.address)
  const asEvaluator = await escrowAs(world, evaluator.address)
  const expiredAt = (await time.latest()) + 86_400
  await asClient.write.createJobWithBudget([
    provider.address,
    options.evaluator ?? evaluator.address,
    BigInt(expiredAt),
    "",
    zeroAddress,
    PRICE,
  ])
  const id = await escrow.read.jobCount()
  const job = { id, expiredAt, asClient, asProvider, asEvaluator }
  if (status === "Open") return job
  await usdc.write.mint([buyer.address, PRICE])
  const token = contractAt(usdc.abi, usdc.address, await walletOf(buyer.address))
  await token.write.approve([escrow.address, PRICE])
  await asClient.write.fund([id, PRICE, "0x"])
  if (status === "Funded") return job
  if (status === "Rejected") return asEvaluator.write.reject([id, REASON, "0x"]).then(() => job)
  if (status === "Expired") {
    await time.increaseTo(expiredAt)
    return asClient.write.claimRefund([id]).then(() => job)
  }
  await asProvider.write.submit([id, DELIVERABLE, "0x"])
  if (status === "Submitted") return job
  await asEvaluator.write.complete([id, REASON, "0x"])
  return job
}

export const ALL_STATUSES = Object.keys(STATUS) as Status[]
