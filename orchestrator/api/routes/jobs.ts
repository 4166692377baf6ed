/** `POST /v1/jobs`, `GET /v1/jobs/{id}`, `POST /v1/jobs/{id}/sign`: from a draft to an agreement (AFG §4, §5). */
import { sql } from "kysely"
import { type Contract, parseContract, SIGNING_ROLES, type SigningRole, signerOf, termsOf, termsToSign } from "../../contract/index.ts"
import { canonicalize, type JsonValue } from "../../json/index.ts"
import type { MessageEvent } from "../../state-machine/index.ts"
import { appendEvents, countOpenJobs, findJob, insertJob } from "../../store/index.ts"
import type { Hex } from "../../types.ts"
import { requireAgent, requireParty } from "../auth.ts"
import { jsonBody } from "../body.ts"
import type { ApiContext, ApiServices } from "../context.ts"
import { jobView, type LoadedJob, requireJob } from "../job-view.ts"
import { ApiError } from "../problem.ts"
import { type JobAnswer, signBody } from "../schemas.ts"

const signedEvent = (role: SigningRole, signature: Hex, at: number): MessageEvent => ({
  source: "message",
  type: "signed",
  role,
  signature,
  at,
})

/** Throws `act_signature_invalid` unless the role's own wallet signed these Terms. */
const checkSignature = async (services: ApiServices, contract: Contract, role: SigningRole, signature: Hex): Promise<void> => {
  const signer = signerOf(contract, role)
  const good = await services.verifyDigest(signer, termsToSign(contract).digest, signature, role !== "mediator")
  if (!good)
    throw new ApiError("act_signature_invalid", `this is not ${signer}'s signature over the job's Terms`, { path: `/signatures/${role}` })
}

/** What must hold before anyone signs. Throws `contract_rejected` or `check_unavailable`. */
const examine = async (services: ApiServices, body: Uint8Array): Promise<Contract> => {
  const report = await services.lint(body, { chain: true })
  if (!report.acceptable) {
    const [first] = report.rejects
    throw new ApiError("contract_rejected", first?.message ?? "the linter rejects it", {
      ...(first === undefined ? {} : { path: first.path }),
      members: { rejects: report.rejects, warnings: report.warnings },
    })
  }
  const contract = parseContract(body)
  const index = contract.acceptance.checks.findIndex(({ type }) => !services.runnableChecks.has(type))
  const check = contract.acceptance.checks[index]
  if (check !== undefined)
    throw new ApiError("check_unavailable", `${check.check_id}: ${check.type} cannot be run here`, {
      path: `/acceptance/checks/${index}/type`,
    })
  return contract
}

/** First half of the advisory lock's key ("AFGp" in ASCII). */
const POST_LOCK = 0x41464770

/** The job that an equal request made before its answer was lost. */
const madeEarlier = async (services: ApiServices, c: ApiContext): Promise<LoadedJob | null> => {
  if (!c.get("repeated")) return null
  const contract = parseContract(c.get("body"))
  requireParty(c, contract.buyer.wallet, "buyer")
  const stored = await findJob(services.store.db, contract.job_id)
  return stored?.contract === canonicalize(contract as unknown as JsonValue) ? requireJob(services, contract.job_id) : null
}

export const postJob = async (services: ApiServices, c: ApiContext): Promise<JobAnswer> => {
  const { store, limits, rail } = services
  const agent = requireAgent(c)
  const made = await madeEarlier(services, c)
  if (made !== null) {
    await services.poke(made.stored.jobId)
    return jobView(services, made)
  }
  const contract = await examine(services, c.get("body"))
  requireParty(c, contract.buyer.wallet, "buyer")
  for (const role of SIGNING_ROLES) {
    const signature = contract.signatures?.[role]
    if (signature !== undefined) await checkSignature(services, contract, role, signature)
  }
  const terms = termsOf(contract)
  const { terms_hash: termsHash } = termsToSign(contract)
  const at = await services.clocks.chain()
  const events: MessageEvent[] = [{ source: "message", type: "posted", at }]
  for (const role of SIGNING_ROLES) {
    const signature = contract.signatures?.[role]
    if (signature !== undefined) events.push(signedEvent(role, signature, at))
  }
  await store.db.transaction().execute(async (transaction) => {
    // One post per wallet at a time: two at once must not both find the last free place.
    await sql`select pg_advisory_xact_lock(${POST_LOCK}, hashtext(${agent}))`.execute(transaction)
    if ((await countOpenJobs(transaction, agent)) >= limits.maxOpenJobs)
      throw new ApiError("too_many_jobs", `${limits.maxOpenJobs} jobs are open`)
    const inserted = await insertJob(transaction, {
      jobId: contract.job_id,
      railRef: rail.refOf(terms),
      contractHash: terms.contractHash.slice(2),
      termsHash,
      buyer: agent,
      contract: canonicalize(contract as unknown as JsonValue),
      createdAt: at,
      wakeAt: terms.clock.fundBy + 1,
    })
    if (!inserted) throw new ApiError("job_exists", `a job ${contract.job_id}, or one with this escrow reference, is posted already`)
    await appendEvents(transaction, contract.job_id, events)
  })
  await services.poke(contract.job_id)
  return jobView(services, await requireJob(services, contract.job_id))
}

export const getJob = async (services: ApiServices, jobId: string): Promise<JobAnswer> =>
  jobView(services, await requireJob(services, jobId))

export const signJob = async (services: ApiServices, c: ApiContext, jobId: string): Promise<JobAnswer> => {
  const { role, signature } = jsonBody(c, signBody)
  const loaded = await requireJob(services, jobId)
  const { contract, job } = loaded
  if (role !== "mediator") requireParty(c, contract[role].wallet, role)
  else requireParty(c, contract.mediator.key, role)
  const now = await services.clocks.chain()
  if (now > job.rules.clock.fundBy) throw new ApiError("window_closed", `it had to be funded by ${contract.escrow.fund_by}`)
  await checkSignature(services, contract, role, signature as Hex)
  await appendEvents(services.store.db, jobId, [signedEvent(role, signature as Hex, now)])
  await services.poke(jobId)
  return jobView(services, await requireJob(services, jobId))
}
