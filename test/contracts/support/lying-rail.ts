/** A resolver on a rail that says and does what the test tells it to. */
import { zeroAddress, zeroHash } from "viem"
import { afgResolverAbi } from "../../../deployments/abi/index.ts"
import { hash, makeJob, openJob, PASS } from "./job.ts"
import { buyer, provider } from "./keys.ts"
import { contractAt, deployDouble, freshWorld, viem } from "./world.ts"

export const STATUS = { Open: 0, Funded: 1, Submitted: 2, Completed: 3, Rejected: 4, Expired: 5 } as const

/** A job bound on the lying rail; with `passed`, submitted and with a PASS. */
export const jobOnLyingRail = async (passed: boolean) => {
  const world = await freshWorld()
  const rail = await deployDouble("LyingEscrow", [world.usdc.address])
  const { address } = await viem.deployContract("ERC8183Resolver", [rail.address])
  const { terms } = await openJob(world)
  const job = makeJob({ ...world, resolver: contractAt(afgResolverAbi, address) }, 1n, terms)
  const claim = (status: keyof typeof STATUS) =>
    rail.write("claim", [
      {
        client: buyer.address,
        provider: provider.address,
        evaluator: address,
        hook: zeroAddress,
        budget: terms.money.price,
        expiredAt: BigInt(terms.clock.expiry),
        status: STATUS[status],
        deliverable: status === "Open" || status === "Funded" ? zeroHash : hash("deliverable-1"),
      },
    ])
  const obey = (afterComplete: keyof typeof STATUS, afterReject: keyof typeof STATUS) =>
    rail.write("obey", [STATUS[afterComplete], STATUS[afterReject]])
  await claim("Open")
  await job.bind()
  if (passed) {
    await claim("Submitted")
    await job.submitOnly()
    await job.verdict(PASS)
  }
  return { job, rail, claim, obey }
}
