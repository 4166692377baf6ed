/** From an agreement to money in escrow: the human is asked, the Terms are bound, the price is locked. */
import type { Hex } from "viem"
import type { FundAnswer } from "../../orchestrator/client/client.ts"
import type { Contract } from "../../orchestrator/contract/index.ts"
import { readBalances } from "./accounts.ts"
import { expectationOf, fundByAuthorization } from "./buyer.ts"
import { type Answer, awaitAnswer, handIn, letPersonDecide } from "./confirmation.ts"
import type { Scene } from "./scene.ts"
import { gasOf } from "./world.ts"

/** Takes the request to the service and waits for the human's decision. */
export const askThePerson = async (
  scene: Scene,
  contract: Contract,
  decision: "accept" | "reject",
): Promise<Answer & { shown: number }> => {
  const { network, buyer, narrator, options } = scene
  const request = await buyer.afg.confirmationRequest(contract.job_id)
  const requestId = await handIn(network, request)
  if (options.interactive) {
    const { makeLink, serviceTime } = await import("../../orchestrator/confirmation-service/admin.ts")
    const dataDir = network.confirmation.dataDir
    const link = makeLink({ dataDir, requestId, now: await serviceTime(dataDir) })
    narrator.aside(`open this link in your browser and decide: ${link.url}`)
    return { ...(await awaitAnswer(network, requestId)), shown: 0 }
  }
  const report = await letPersonDecide(network, requestId, decision, expectationOf(contract))
  return { ...(await awaitAnswer(network, requestId)), shown: Object.keys(report.shown).length }
}

/** Presents the evidence until the bind is on chain. */
const presentEvidence = async (
  { buyer }: Scene,
  jobId: string,
  { evidence, confirmation }: Answer,
): Promise<FundAnswer & { key: string }> => {
  const key = `fund-${jobId}`
  for (;;) {
    const answer = await buyer.afg.fund(jobId, evidence, confirmation, { idempotencyKey: key })
    if (answer.status === "bound") return { ...answer, key }
  }
}

/** Asks, binds and funds, a step each. */
export const fundJob = async (
  scene: Scene,
  contract: Contract,
): Promise<{ answer: Answer; bind: Hex | null; key: string; shown: number }> => {
  const { narrator, network, buyer } = scene
  const asked = await narrator.step("human", "reads the page and accepts", async () => {
    const answer = await askThePerson(scene, contract, "accept")
    if (answer.decision !== "confirmed") throw new Error("the person rejected the funding")
    return {
      ...answer,
      note: answer.shown === 0 ? "confirmed in your browser" : `${answer.shown} fields shown and compared, signed with ES256`,
    }
  })
  const bound = await narrator.step("keeper", "binds the Terms on chain", async () => {
    const answer = await presentEvidence(scene, contract.job_id, asked)
    return {
      ...answer,
      gas: await gasOf(network, answer.bind),
      note: "eight AACP steps; three signatures and the confirmation checked on chain",
    }
  })
  await narrator.step("buyer", "locks 40.00 USDC in the escrow", async () => {
    if (bound.funding === null) throw new Error("the job is bound but no funding call came back")
    const { gas } = await fundByAuthorization(network, buyer, contract.job_id, bound.funding.authorization as never)
    const { escrow } = await readBalances(network.chain.client, network.deployment)
    return { gas, note: `the escrow holds ${escrow}, the resolver nothing` }
  })
  return { answer: asked, bind: bound.bind as Hex | null, key: bound.key, shown: asked.shown }
}

/** How the evidence says that the person was present. */
export const methodOf = ({ evidence }: Answer): string => {
  const payload = JSON.parse(Buffer.from(evidence.split(".")[1] ?? "", "base64url").toString("utf8")) as {
    "auth-context": { method: string }
  }
  return payload["auth-context"].method
}
