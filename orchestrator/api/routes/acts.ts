/** `POST /v1/jobs/{id}/submit` and `…/concede`: signed acts of the parties, relayed by the keeper or by anyone. */
import { keccak256, stringToHex } from "viem"
import { domainOf, messageDigest } from "../../contract/index.ts"
import { assess, type Job, type MessageEvent } from "../../state-machine/index.ts"
import { appendEvents } from "../../store/index.ts"
import { type Hex, type Sha256, toBytes32 } from "../../types.ts"
import { requireAgent, requireParty } from "../auth.ts"
import { jsonBody } from "../body.ts"
import type { ApiContext, ApiServices } from "../context.ts"
import { jobView, type LoadedJob, requireJob } from "../job-view.ts"
import { ApiError } from "../problem.ts"
import { type ActAnswer, concedeBody, submitBody } from "../schemas.ts"
import { transactionOf } from "./fund.ts"

/** Until when `who` may do `action`. Throws `wrong_state`, or `window_closed` when that is why. */
const requireTurn = async (services: ApiServices, job: Job, who: string, action: string): Promise<number | null> => {
  const now = await services.clocks.chain()
  const { can, state, decision } = assess(job, now)
  const turn = can.find((one) => one.who === who && one.action === action)
  if (turn !== undefined) return turn.until
  if (job.facts.fundedAt !== null && decision !== null) throw new ApiError("window_closed", `the job is decided: ${decision}`)
  throw new ApiError("wrong_state", `the ${who} cannot ${action} while the job is ${state}`)
}

const requireSignature = async (services: ApiServices, signer: string, digest: Hex, signature: string): Promise<void> => {
  if (!(await services.verifyDigest(signer as Hex, digest, signature as Hex, true)))
    throw new ApiError("act_signature_invalid", `this is not ${signer}'s signature over that act for this job`, { path: "/signature" })
}

const digestOf = ({ contract, stored }: LoadedJob, name: "Submission" | "Concession", message: Record<string, unknown>): Hex =>
  messageDigest(domainOf(contract), name, { termsHash: stored.termsHash, ...message })

/** The deliverable must be here, under its hash and small enough, before a submission is used up. */
const requireDeliverable = async (services: ApiServices, { contract }: LoadedJob, sha256: string): Promise<void> => {
  if (!(await services.store.blobs.has(sha256))) throw new ApiError("deliverable_missing", `no artifact is stored under ${sha256}`)
  const { length } = await services.store.blobs.get(sha256)
  const limit = contract.deliverable.max_size_bytes
  if (length > limit) throw new ApiError("deliverable_too_large", `${length} bytes; the contract allows ${limit}`)
}

export const submit = async (services: ApiServices, c: ApiContext, jobId: string): Promise<ActAnswer> => {
  const loaded = await requireJob(services, jobId)
  const { contract, job } = loaded
  requireParty(c, contract.provider.wallet, "provider")
  const { n, uri, sha256, signature, railAuthorization } = jsonBody(c, submitBody)
  const deadline = await requireTurn(services, job, "provider", "submit")
  if (n !== job.facts.n + 1) throw new ApiError("submission_out_of_turn", `the next submission is ${job.facts.n + 1}`, { path: "/n" })
  await requireDeliverable(services, loaded, sha256)
  const deliverableHash = toBytes32(sha256 as Sha256)
  const digest = digestOf(loaded, "Submission", { n, deliverableHash, uriHash: keccak256(stringToHex(uri)) })
  await requireSignature(services, contract.provider.wallet, digest, signature)
  const event: Extract<MessageEvent, { type: "submissionReceived" }> = {
    source: "message",
    type: "submissionReceived",
    at: await services.clocks.chain(),
    n,
    uri,
    sha256: sha256 as Sha256,
    signature: signature as Hex,
    railAuthorization: (railAuthorization ?? null) as Hex | null,
  }
  await appendEvents(services.store.db, jobId, [event])
  await services.poke(jobId)
  return {
    job: await jobView(services, await requireJob(services, jobId)),
    transaction: transactionOf(services.rail.submit(job, event)),
    deadline,
  }
}

export const concede = async (services: ApiServices, c: ApiContext, jobId: string): Promise<ActAnswer> => {
  const loaded = await requireJob(services, jobId)
  const { contract, job } = loaded
  const agent = requireAgent(c)
  const by = agent === contract.buyer.wallet.toLowerCase() ? "buyer" : agent === contract.provider.wallet.toLowerCase() ? "provider" : null
  if (by === null) throw new ApiError("wrong_party", "only the buyer or the provider may give in")
  const { n, merkleRoot, rulingDigest, signature } = jsonBody(c, concedeBody)
  const deadline = await requireTurn(services, job, by, by === "buyer" ? "accept" : "concede")
  const digest = digestOf(loaded, "Concession", { n, merkleRoot, rulingDigest })
  await requireSignature(services, contract[by].wallet, digest, signature)
  const event: Extract<MessageEvent, { type: "concessionReceived" }> = {
    source: "message",
    type: "concessionReceived",
    at: await services.clocks.chain(),
    by,
    n,
    merkleRoot: merkleRoot as Hex,
    rulingDigest: rulingDigest as Hex,
    signature: signature as Hex,
  }
  await appendEvents(services.store.db, jobId, [event])
  await services.poke(jobId)
  return {
    job: await jobView(services, await requireJob(services, jobId)),
    transaction: transactionOf(services.rail.concede(job, { n, by, signature: signature as Hex })),
    deadline,
  }
}
