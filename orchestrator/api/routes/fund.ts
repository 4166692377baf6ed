/** `POST /v1/jobs/{id}/fund` and `…/fund/authorization`: the only operations that move money, behind the human's confirmation. */
import { randomBytes } from "node:crypto"
import { EVIDENCE_HEADER } from "../../aacp/index.ts"
import type { Call } from "../../chain/rails/rail.ts"
import { isAgreed } from "../../state-machine/index.ts"
import { appendEvents, failedActions } from "../../store/index.ts"
import type { Hex } from "../../types.ts"
import { requireParty } from "../auth.ts"
import { jsonBody } from "../body.ts"
import { acceptConfirmation, askForConfirmation, enrolmentOf } from "../confirmation-gate.ts"
import type { ApiContext, ApiServices } from "../context.ts"
import { readIdempotencyKey } from "../idempotency.ts"
import { missingInputs, openedInputs } from "../inputs.ts"
import { awaitJob, jobView, type LoadedJob, requireJob } from "../job-view.ts"
import { ApiError } from "../problem.ts"
import { type ActAnswer, type FundAnswer, fundAuthorizationBody, fundBody } from "../schemas.ts"

/** How long a call waits for the bind's inclusion before it answers "binding". */
const BIND_WAIT_MS = 20_000
/** A signed authorization to pay is not left lying about longer than funding takes. */
const AUTHORIZATION_SECONDS = 3_600

export const transactionOf = ({ to, data, value, what }: Call) => ({ to, data, value: value.toString(), what })

/** Whether funding can go on at all. Throws `wrong_state`, `window_closed`, `inputs_missing` or `artifact_not_sealed`. */
const checkFundable = async (services: ApiServices, loaded: LoadedJob): Promise<void> => {
  const { contract, job } = loaded
  if (!isAgreed(job)) throw new ApiError("wrong_state", "buyer, provider and mediator must have signed first")
  if (job.facts.fundedAt !== null) throw new ApiError("wrong_state", "the job is funded")
  const now = await services.clocks.chain()
  if (now > job.rules.clock.fundBy) throw new ApiError("window_closed", `it had to be funded by ${contract.escrow.fund_by}`)
  const missing = await missingInputs(services.store, contract)
  if (missing.length > 0) throw new ApiError("inputs_missing", `not stored: ${missing.join(", ")}`, { members: { inputs: missing } })
  const opened = await openedInputs(services.store, contract)
  if (opened.length > 0)
    throw new ApiError("artifact_not_sealed", `sealed by the contract, stored openly: ${opened.join(", ")}`, {
      members: { inputs: opened },
    })
}

const answer = async (services: ApiServices, loaded: LoadedJob): Promise<FundAnswer> => {
  const { job } = loaded
  const bound = job.facts.boundAt !== null
  const now = await services.clocks.chain()
  const window = { validAfter: 0, validBefore: Math.min(now + AUTHORIZATION_SECONDS, job.rules.clock.fundBy) }
  const salt: Hex = `0x${randomBytes(32).toString("hex")}`
  const calls = bound ? services.rail.fundingCalls(job.terms, salt, window) : null
  return {
    status: bound ? "bound" : "binding",
    bind: job.tx.bound ?? null,
    funding:
      calls === null
        ? null
        : { transactions: calls.transactions.map(transactionOf), authorization: { typed_data: calls.authorization, salt, ...window } },
    job: await jobView(services, loaded),
  }
}

/** A bind that the chain refused is told at once, not after the wait. */
const refusedBind = async (services: ApiServices, { stored, job }: LoadedJob): Promise<void> => {
  const key = `relay-bind:${job.messages.confirmed?.requestId}`
  const failure = (await failedActions(services.store.db, stored.jobId)).find((failed) => failed.key === key)
  if (failure?.code === "chain_refused") throw new ApiError("chain_refused", failure.message)
}

/** From the header or the body; both must be the same. Null: none was presented. */
const evidenceOf = (c: ApiContext, inBody: string | undefined): string | null => {
  const inHeader = c.req.header(EVIDENCE_HEADER)?.trim()
  if (inHeader && inBody && inHeader !== inBody)
    throw new ApiError("body_invalid", `the evidence here and in ${EVIDENCE_HEADER} differ`, { path: "/evidence" })
  return inHeader || inBody || null
}

export const fund = async (services: ApiServices, c: ApiContext, jobId: string): Promise<FundAnswer> => {
  const loaded = await requireJob(services, jobId)
  requireParty(c, loaded.contract.buyer.wallet, "buyer")
  enrolmentOf(services, loaded)
  const body = jsonBody(c, fundBody)
  const evidence = evidenceOf(c, body.evidence)
  const idempotencyKey = readIdempotencyKey(c.req.header("Idempotency-Key"))
  if (evidence === null) {
    await checkFundable(services, loaded)
    return askForConfirmation(services, loaded)
  }
  // Evidence is judged whatever the job's state: that it was used before must be told even when the job has long been funded.
  await acceptConfirmation(services, loaded, { evidence, confirmation: body.confirmation, idempotencyKey }, () =>
    checkFundable(services, loaded),
  )
  await services.poke(jobId)
  const after = await awaitJob(services, jobId, (job) => job.facts.boundAt !== null, BIND_WAIT_MS)
  if (after.job.facts.boundAt === null) await refusedBind(services, after)
  return answer(services, after)
}

export const authorizeFunding = async (services: ApiServices, c: ApiContext, jobId: string): Promise<ActAnswer> => {
  const loaded = await requireJob(services, jobId)
  const { contract, job } = loaded
  requireParty(c, contract.buyer.wallet, "buyer")
  const body = jsonBody(c, fundAuthorizationBody)
  const authorization = { ...body, salt: body.salt.toLowerCase() as Hex, signature: body.signature as Hex }
  const call = job.facts.fundedAt === null ? transactionOf(services.rail.fund(job.terms, authorization)) : null
  const deadline = Math.min(job.rules.clock.fundBy, body.validBefore - 1)
  const taken = job.messages.fundingAuthorized
  const answered = async (): Promise<ActAnswer> => {
    await services.poke(jobId)
    return { job: await jobView(services, await requireJob(services, jobId)), transaction: call, deadline }
  }
  // The answer to the first such call was lost: what it left stands.
  if (taken?.salt === authorization.salt && taken.signature === authorization.signature) return answered()
  if (job.facts.boundAt === null) throw new ApiError("wrong_state", "the job is not bound: money sent now could only be refunded")
  await checkFundable(services, loaded)
  const at = await services.clocks.chain()
  if (body.validBefore <= at) throw new ApiError("window_closed", "the authorization has ended", { path: "/validBefore" })
  if (!(await services.rail.checkFunding(job.terms, authorization)))
    throw new ApiError("act_signature_invalid", "this is not the buyer's authorization of the price for this job", { path: "/signature" })
  const [fresh] = await appendEvents(services.store.db, jobId, [{ source: "message", type: "fundingAuthorized", at, ...authorization }])
  if (fresh === undefined) throw new ApiError("body_invalid", "this salt was used by another authorization", { path: "/salt" })
  return answered()
}
