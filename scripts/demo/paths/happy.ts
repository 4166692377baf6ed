/** The work is done, checked and paid for. */
import { join } from "node:path"
import { encodeFunctionData } from "viem"
import { erc8183EscrowAbi } from "../../../deployments/abi/index.ts"
import { readBalances } from "../accounts.ts"
import { prepare } from "../agree.ts"
import { fetchBundle, verifyAsAnyone } from "../bundle.ts"
import { fundJob, methodOf } from "../funding.ts"
import { deliver } from "../provider.ts"
import { refused } from "../refusals.ts"
import { type Ending, hours, type Scene, short } from "../scene.ts"
import { passTime } from "../time.ts"
import { gasOf } from "../world.ts"

const collectFees = async ({ network, buyer }: Scene): Promise<bigint> => {
  const data = encodeFunctionData({ abi: erc8183EscrowAbi, functionName: "collectFees" })
  return (await buyer.send({ to: network.deployment.contracts.ERC8183Escrow.address, data })).gas
}

export const happy = async (scene: Scene): Promise<Ending> => {
  const { narrator, network, provider, buyer, fixture } = scene
  const prepared = await prepare(scene)
  const { contract } = prepared
  const jobId = contract.job_id
  const funded = await fundJob(scene, contract)
  const again = await narrator.step("buyer", "presents the same evidence a second time", async () => {
    const { evidence, confirmation } = funded.answer
    const refusal = await refused("same evidence again", "confirmation_replay", () =>
      buyer.afg.fund(jobId, evidence, confirmation, { idempotencyKey: "another-key" }),
    )
    return { ...refusal, note: `refused: ${refusal.code}` }
  })
  await narrator.step("provider", "fixes the bug and submits the patch", async () => {
    const delivered = await deliver(network, provider, contract, fixture.patch)
    return { gas: delivered.gas, note: `patch ${short(delivered.sha256)} (${delivered.size} bytes), on the escrow and on the resolver` }
  })
  const checked = await narrator.step("verifier", "checks the patch in containers", async () => {
    const job = await buyer.afg.until(jobId, ({ tx }) => tx.verdict.length > 0)
    const [submission] = job.submissions
    const { tests, hidden_tests } = fixture.counts
    return {
      job,
      submission,
      gas: await gasOf(network, job.tx.verdict[0] ?? null),
      note: `${submission?.verdict}: target fails before and passes after, ${tests} + ${hidden_tests} tests; root ${short(submission?.merkle_root ?? "")} on chain`,
    }
  })
  if (checked.submission?.bundle === undefined) throw new Error("the verdict has no evidence bundle")
  const bundleUri = checked.submission.bundle
  const review = contract.windows.buyer_review_s
  await narrator.step("time", `passes: the buyer is silent for ${hours(review)}`, async () => {
    await passTime(scene, jobId, review + 1)
    const job = await buyer.afg.getJob(jobId)
    return { gas: await gasOf(network, job.tx.settle), note: `${job.state} (${job.cause}): anyone may settle; the keeper did` }
  })
  await narrator.step("treasury", "pulls its fee", async () => {
    const gas = await collectFees(scene)
    const { provider: paid, treasury, escrow } = await readBalances(network.chain.client, network.deployment)
    return { gas, note: `provider ${paid}, treasury ${treasury}, escrow ${escrow}` }
  })
  const bundle = await narrator.step("anyone", "fetches and verifies the evidence", async () => {
    const job = await buyer.afg.getJob(jobId)
    const directory = await fetchBundle(buyer.afg, job, bundleUri, join(network.dataDir, "bundle"))
    return { directory, note: await verifyAsAnyone(directory, network.chain.rpc) }
  })
  return {
    prepared,
    answer: funded.answer,
    outcome: "success",
    method: methodOf(funded.answer),
    refusals: [{ attempt: again.attempt, code: again.code }],
    bundle: bundle.directory,
    jobId,
  }
}
