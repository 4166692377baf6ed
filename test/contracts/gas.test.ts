/** What a job costs on chain outside the rail's own calls, beside the bare rail calls of the same run. */
import assert from "node:assert/strict"
import { before, describe, it } from "node:test"
import { encodeFunctionData, type Hex } from "viem"
import { jobIn, REASON } from "./support/escrow.ts"
import { FAIL, hash, type Job, openJob, PASS } from "./support/job.ts"
import { buyer, provider } from "./support/keys.ts"
import { deployWorld, gasOf, networkHelpers, time, type World } from "./support/world.ts"

const rows: Record<string, bigint> = {}
let world: World

const batch = (...calls: { target: Hex; data: Hex }[]): Promise<bigint> => world.batcher.write.batch([calls]).then(gasOf)

const funding = async (job: Job): Promise<{ target: Hex; data: Hex }> => ({
  target: world.escrow.address,
  data: encodeFunctionData({ abi: world.escrow.abi, functionName: "fundWithAuthorization", args: [...(await job.fundArgs())] }),
})

const railSubmission = async (job: Job, deliverable: Hex): Promise<{ target: Hex; data: Hex }> => ({
  target: world.escrow.address,
  data: encodeFunctionData({
    abi: world.escrow.abi,
    functionName: "submitWithAuthorization",
    args: [...(await job.railSubmitArgs(deliverable))],
  }),
})

before(async () => {
  world = await networkHelpers.loadFixture(deployWorld)
  const { usdc, escrow, resolver } = world
  // Accounts and counters that exist already, as on a chain in use.
  for (const { address } of [buyer, provider]) await usdc.write.mint([address, 1_000_000_000n])
  await jobIn(world, "Completed")
  const deliverable = hash("patch")

  const complete = await jobIn(world, "Submitted")
  rows["bare complete"] = await gasOf(await complete.asEvaluator.write.complete([complete.id, REASON, "0x"]))
  const reject = await jobIn(world, "Submitted")
  rows["bare reject"] = await gasOf(await reject.asEvaluator.write.reject([reject.id, REASON, "0x"]))

  const alone = await openJob(world)
  rows["bare fund"] = await escrow.write.fundWithAuthorization([...(await alone.fundArgs())]).then(gasOf)
  rows["bare submit"] = await escrow.write.submitWithAuthorization([...(await alone.railSubmitArgs(deliverable))]).then(gasOf)

  const job = await openJob(world)
  const bind = encodeFunctionData({ abi: resolver.abi, functionName: "bind", args: [...(await job.bindArgs())] })
  rows["bind, with fund"] = (await batch({ target: resolver.address, data: bind }, await funding(job))) - rows["bare fund"]
  const submit = encodeFunctionData({ abi: resolver.abi, functionName: "submit", args: [...(await job.submitArgs(1, deliverable))] })
  rows["submit, with the rail's"] =
    (await batch(await railSubmission(job, deliverable), { target: resolver.address, data: submit })) - rows["bare submit"]
  job.n = 1
  job.record = { ...job.record, deliverableHash: deliverable }
  rows.verdict = await gasOf(await job.verdict(PASS))
  await time.increase(job.terms.clock.buyerReview + 1)
  rows["settle over complete"] = (await gasOf(await job.settle())) - rows["bare complete"]

  const failed = await openJob(world)
  await failed.bind()
  await failed.fund()
  await failed.submit()
  await failed.verdict(FAIL)
  await time.increaseTo(failed.terms.clock.deliveryBy + failed.terms.clock.providerDispute)
  rows["settle over reject"] = (await gasOf(await failed.settle())) - rows["bare reject"]
  rows["undisputed job"] = ["bind, with fund", "submit, with the rail's", "verdict", "settle over complete"].reduce(
    (sum, name) => sum + (rows[name] ?? 0n),
    0n,
  )
})

describe("gas", () => {
  for (const [name, goal] of [
    ["settle over complete", 25_000n],
    ["settle over reject", 25_000n],
    ["undisputed job", 240_000n],
  ] as const)
    it(`${name} is at most ${goal}`, (context) => {
      context.diagnostic(`${name}: ${rows[name]}`)
      assert.ok((rows[name] ?? goal + 1n) <= goal, `${rows[name]}`)
    })
})
