/** The human says no, and the agent gets past nothing. */
import { afgResolverAbi } from "../../../deployments/abi/index.ts"
import { contractError, revertData } from "../../../orchestrator/chain/contract-error.ts"
import { type Contract, termsOf } from "../../../orchestrator/contract/index.ts"
import { readSetupRecord } from "../../../orchestrator/setup-record.ts"
import { codeFixWork } from "../../fixtures/code-fix.ts"
import { readBalances } from "../accounts.ts"
import { agree, prepare } from "../agree.ts"
import { openEscrowJob, signAs, writeContract } from "../buyer.ts"
import type { Answer } from "../confirmation.ts"
import { askThePerson, methodOf } from "../funding.ts"
import { expectRefusal, refused } from "../refusals.ts"
import type { Ending, Scene } from "../scene.ts"
import type { Refusal } from "../summary.ts"

/** Evidence that is good, for another job of the same buyer. */
const acceptedElsewhere = async (scene: Scene): Promise<Answer> => {
  const opened = await openEscrowJob(scene.network, scene.buyer)
  const image = readSetupRecord().images[0]
  const other = await writeContract(scene.network, opened, codeFixWork(scene.fixture, image?.runner_image ?? ""))
  await agree(scene, other)
  return askThePerson(scene, other, "accept")
}

/** `bind` sent by the buyer itself, past the orchestrator, with a confirmation that is not there. */
const bindOnChain = async ({ network, buyer }: Scene, contract: Contract): Promise<Refusal> => {
  const signatures = await Promise.all((["buyer", "provider", "mediator"] as const).map((role) => signAs(contract, role)))
  const [byBuyer = "0x", byProvider = "0x", byMediator = "0x"] = signatures
  const { timestamp } = await network.chain.client.getBlock({ blockTag: "pending" })
  const confirmation = { evidenceDigest: `0x${"11".repeat(32)}` as const, notAfter: Number(timestamp) + 300 }
  const forged = await buyer.wallet.signMessage({ account: buyer.wallet.account ?? buyer.address, message: "confirmed, says the agent" })
  try {
    await network.chain.client.simulateContract({
      account: buyer.address,
      address: network.deployment.contracts.AFGResolver.address,
      abi: afgResolverAbi,
      functionName: "bind",
      args: [termsOf(contract), byBuyer, byProvider, byMediator, confirmation, network.confirmation.signer, forged],
    })
  } catch (error) {
    const data = revertData(error)
    if (data === null) throw error
    return expectRefusal("bind on chain", "ConfirmationInvalid", contractError(data).error)
  }
  throw new Error("bind on chain: was not refused")
}

export const refuse = async (scene: Scene): Promise<Ending> => {
  const { narrator, buyer, network } = scene
  const prepared = await prepare(scene)
  const { contract } = prepared
  const jobId = contract.job_id
  const denial = await narrator.step("human", "reads the page and rejects", async () => {
    const answer = await askThePerson(scene, contract, "reject")
    if (answer.decision !== "denied") throw new Error("the person accepted the funding")
    return { ...answer, note: "the denial is signed evidence too" }
  })
  const refusals: Refusal[] = []
  const attempt = async (title: string, act: () => Promise<Refusal>): Promise<void> => {
    await narrator.step("buyer", title, async () => {
      const refusal = await act()
      refusals.push(refusal)
      return { note: `refused: ${refusal.code}` }
    })
  }
  await attempt("tries to fund with no evidence", () =>
    refused("no evidence", "confirmation_required", () => buyer.afg.fund(jobId, "", undefined)),
  )
  await attempt("tries to fund with the denial", () =>
    refused("the denial", "confirmation_denied", () => buyer.afg.fund(jobId, denial.evidence, denial.confirmation)),
  )
  await attempt("tries evidence accepted for another job", async () => {
    const other = await acceptedElsewhere(scene)
    return refused("evidence of another job", "confirmation_mismatch", () => buyer.afg.fund(jobId, other.evidence, other.confirmation))
  })
  await attempt("tries to bind on chain itself", () => bindOnChain(scene, contract))
  await narrator.step("anyone", "looks at job and escrow", async () => {
    const job = await buyer.afg.getJob(jobId)
    const { escrow } = await readBalances(network.chain.client, network.deployment)
    if (job.tx.bind !== null || job.tx.fund !== null || escrow !== "0.00") throw new Error("something was bound or funded")
    return { note: `${job.state}: nothing bound, nothing funded, the escrow holds ${escrow}` }
  })
  return { prepared, answer: denial, outcome: "denied", method: methodOf(denial), refusals, bundle: null, jobId }
}
