/** Nobody delivers: the buyer has everything back. */
import { termsOf } from "../../../orchestrator/contract/index.ts"
import { readBalances } from "../accounts.ts"
import { prepare } from "../agree.ts"
import { fundJob, methodOf } from "../funding.ts"
import type { Ending, Scene } from "../scene.ts"
import { passTime } from "../time.ts"
import { gasOf } from "../world.ts"

export const deadline = async (scene: Scene): Promise<Ending> => {
  const { narrator, network, buyer } = scene
  const prepared = await prepare(scene)
  const { contract } = prepared
  const jobId = contract.job_id
  const funded = await fundJob(scene, contract)
  const { deliveryBy } = termsOf(contract).clock
  await narrator.step("time", "passes: nothing is submitted by the deadline", async () => {
    const { timestamp } = await network.chain.client.getBlock({ blockTag: "pending" })
    await passTime(scene, jobId, deliveryBy - Number(timestamp) + 1)
    const job = await buyer.afg.getJob(jobId)
    const { buyer: back } = await readBalances(network.chain.client, network.deployment)
    return { gas: await gasOf(network, job.tx.settle), note: `${job.state} (${job.cause}): the buyer has ${back} again` }
  })
  return { prepared, answer: funded.answer, outcome: "success", method: methodOf(funded.answer), refusals: [], bundle: null, jobId }
}
