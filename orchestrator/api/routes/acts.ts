/** `POST /v1/jobs/{id}/submit` and `…/concede`: signed acts of the parties, relayed by the keeper or by anyone. */
import { hashTypedData, keccak256, stringToHex } from "viem"
import type { Call } from "../../chain/rails/rail.ts"
import { domainOf, messageDigest } from "../../contract/index.ts"
import { assess, eventKey, type Job, type MessageEvent } from "../../state-machine/index.ts"
import { appendEvents } from "../../store/index.ts"
import { type Hex, type Sha256, toBytes32 } from "../../types.ts"
import { requireAgent, requireParty } from "../auth.ts"
import { jsonBody } from "../body.ts"
import type { ApiContext, ApiServices } from "../context.ts"
import { findArtifact } from "../inputs.ts"
import { jobView, type LoadedJob, requireJob } from "../job-view.ts"
import { ApiError } from "../problem.ts"
import { type ActAnswer, type ConcedeBody, concedeBody, type SubmitBody, submitBody } from "../schemas.ts"
import { transactionOf } from "./fund.ts"

type MessageOf<T extends MessageEvent["type"]> = Extract<MessageEvent, { type: T }>

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

/** The deliverable must be here, under its hash, small enough, and sealed where it holds health data, before a submission is used up. */
const requireDeliverable = async (services: ApiServices, { contract }: LoadedJob, sha256: string): Promise<void> => {
  const { max_size_bytes: limit, phi } = contract.deliverable
  const artifact = await findArtifact(services.store, sha256)
  if (artifact === null) throw new ApiError("deliverable_missing", `no artifact is stored under ${sha256}`, { path: "/sha256" })
  if (artifact.size > limit) throw new ApiError("deliverable_too_large", `${artifact.size} bytes; the contract allows ${limit}`)
  if (phi && !artifact.sealed)
    throw new ApiError("artifact_not_sealed", "the contract's deliverable holds health data: it must be uploaded sealed", {
      path: "/sha256",
    })
}

/** The rail's own hand-in would fail with it, and the submission with the rail: so it is checked before anything is kept. */
const requireRailAuthorization = async (services: ApiServices, { contract, job }: LoadedJob, body: SubmitBody): Promise<void> => {
  const document = body.n === 1 && !job.railSubmitted ? services.rail.railSubmission(job.terms, body.sha256 as Sha256) : null
  if (document === null) return
  const { railAuthorization } = body
  const digest = hashTypedData(document as unknown as Parameters<typeof hashTypedData>[0])
  if (
    railAuthorization === undefined ||
    !(await services.verifyDigest(contract.provider.wallet as Hex, digest, railAuthorization as Hex, true))
  )
    throw new ApiError("act_signature_invalid", "the provider's authorization to hand in on the escrow is missing or not its signature", {
      path: "/railAuthorization",
    })
}

/** What the act did, and the act itself for whoever wants to send it; null when it is on chain already. */
const answerOf = async (services: ApiServices, jobId: string, call: Call | null, deadline: number | null): Promise<ActAnswer> => {
  await services.poke(jobId)
  return {
    job: await jobView(services, await requireJob(services, jobId)),
    transaction: call === null ? null : transactionOf(call),
    deadline,
  }
}

export const submit = async (services: ApiServices, c: ApiContext, jobId: string): Promise<ActAnswer> => {
  const loaded = await requireJob(services, jobId)
  const { contract, job } = loaded
  requireParty(c, contract.provider.wallet, "provider")
  const body = jsonBody(c, submitBody)
  const { n, uri, sha256, signature, railAuthorization } = body
  // The answer to the first such call was lost, or is waited for elsewhere: it stands as it was taken.
  const taken = job.messages.submissions.find((one) => one.n === n && one.sha256 === sha256 && one.uri === uri)
  if (taken !== undefined) return answerOf(services, jobId, job.facts.n >= n ? null : services.rail.submit(job, taken), null)
  const deadline = await requireTurn(services, job, "provider", "submit")
  if (n !== job.facts.n + 1) throw new ApiError("submission_out_of_turn", `the next submission is ${job.facts.n + 1}`, { path: "/n" })
  await requireDeliverable(services, loaded, sha256)
  const deliverableHash = toBytes32(sha256 as Sha256)
  const digest = digestOf(loaded, "Submission", { n, deliverableHash, uriHash: keccak256(stringToHex(uri)) })
  await requireSignature(services, contract.provider.wallet, digest, signature)
  await requireRailAuthorization(services, loaded, body)
  const event: MessageOf<"submissionReceived"> = {
    source: "message",
    type: "submissionReceived",
    at: await services.clocks.chain(),
    n,
    uri,
    sha256: sha256 as Sha256,
    signature: signature as Hex,
    railAuthorization: (railAuthorization ?? null) as Hex | null,
  }
  const [fresh] = await appendEvents(services.store.db, jobId, [event])
  if (fresh === undefined)
    throw new ApiError("submission_out_of_turn", `submission ${n} of these bytes was taken under another URI`, { path: "/uri" })
  return answerOf(services, jobId, services.rail.submit(job, event), deadline)
}

const NOTHING = `0x${"00".repeat(32)}`

/** A concession names what it reacts to; the resolver compares. */
const requireCurrent = ({ facts }: Job, { n, merkleRoot, rulingDigest }: ConcedeBody): void => {
  const compare = (path: string, given: string | number, current: string | number): void => {
    if (given !== current) throw new ApiError("act_outdated", `it stands at ${current}`, { path })
  }
  compare("/n", n, facts.n)
  compare("/merkleRoot", merkleRoot.toLowerCase(), (facts.merkleRoot ?? NOTHING).toLowerCase())
  compare("/rulingDigest", rulingDigest.toLowerCase(), (facts.rulingDigest ?? NOTHING).toLowerCase())
}

export const concede = async (services: ApiServices, c: ApiContext, jobId: string): Promise<ActAnswer> => {
  const loaded = await requireJob(services, jobId)
  const { contract, job } = loaded
  const agent = requireAgent(c)
  const by = agent === contract.buyer.wallet.toLowerCase() ? "buyer" : agent === contract.provider.wallet.toLowerCase() ? "provider" : null
  if (by === null) throw new ApiError("wrong_party", "only the buyer or the provider may give in")
  const body = jsonBody(c, concedeBody)
  const event: MessageOf<"concessionReceived"> = {
    source: "message",
    type: "concessionReceived",
    at: await services.clocks.chain(),
    by,
    n: body.n,
    merkleRoot: body.merkleRoot.toLowerCase() as Hex,
    rulingDigest: body.rulingDigest.toLowerCase() as Hex,
    signature: body.signature as Hex,
  }
  const call = job.tx.conceded === undefined ? services.rail.concede(job, event) : null
  if (job.messages.acts.some((act) => eventKey(act) === eventKey(event))) return answerOf(services, jobId, call, null)
  const deadline = await requireTurn(services, job, by, by === "buyer" ? "accept" : "concede")
  requireCurrent(job, body)
  const { n, merkleRoot, rulingDigest } = event
  await requireSignature(services, contract[by].wallet, digestOf(loaded, "Concession", { n, merkleRoot, rulingDigest }), body.signature)
  await appendEvents(services.store.db, jobId, [event])
  return answerOf(services, jobId, call, deadline)
}
