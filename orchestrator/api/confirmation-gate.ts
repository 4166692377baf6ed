/** Before money can lock: has the buyer's human confirmed exactly this? (AACP §8; `docs/aacp.md`.) */
import { keccak256 } from "viem"
import { createRequest, problemOf, type ReplayStore, systemEntropy, type Verification, verifyEvidence } from "../aacp/index.ts"
import type { Enrolment } from "../config.ts"
import { CONTRACT_MEMBER, fundAction } from "../contract/fund-action.ts"
import { domainOf, messageDigest } from "../contract/index.ts"
import { failpoint } from "../failpoints.ts"
import { fundDescriptor } from "../fund-descriptor.ts"
import type { MessageEvent } from "../state-machine/index.ts"
import { appendEvents, type Connection } from "../store/index.ts"
import { type Hex, type Sha256, toBytes32 } from "../types.ts"
import { denialRegister, outcomeMemory, replayStore, requestLedger, usedBy } from "./confirmation-store.ts"
import type { ApiServices } from "./context.ts"
import type { LoadedJob } from "./job-view.ts"
import { ApiError } from "./problem.ts"
import type { ConfirmationBody } from "./schemas.ts"

/** Seconds that a confirmation stays acceptable: time for the person, the agent and the bind's inclusion. */
const LIFETIME = 300
/** Requests are kept beyond their lifetime, so that late evidence is told to be stale, not unknown. */
const KEEP_REQUESTS = 86_400

export const enrolmentOf = (services: ApiServices, { contract }: LoadedJob): Enrolment => {
  const wallet = contract.buyer.wallet.toLowerCase()
  const found = services.confirmation.enrolments.find(({ buyer }) => buyer.toLowerCase() === wallet)
  if (found === undefined)
    throw new ApiError("confirmation_not_configured", `no confirmation service is enrolled for ${contract.buyer.wallet}`)
  return found
}

const signed = ({ contract, job }: LoadedJob): unknown => ({ ...contract, signatures: { ...contract.signatures, ...job.messages.signed } })

/** Asks: issues a request for this job and throws the `confirmation_required` answer that carries it. */
export const askForConfirmation = async (services: ApiServices, loaded: LoadedJob): Promise<never> => {
  const { publicOrigin, store } = services
  const action = fundAction(loaded.contract, { publicOrigin })
  const now = await services.clocks.confirmation()
  const { operator } = enrolmentOf(services, loaded)
  const request = createRequest(
    { descriptor: fundDescriptor(action), lifetime: LIFETIME, audience: action.audience, subject: operator },
    systemEntropy,
  )
  await requestLedger(store.db, loaded.stored.jobId).issue(request, now + LIFETIME + KEEP_REQUESTS, now)
  throw new ApiError("confirmation_required", "the buyer's human has to confirm this action first", {
    members: { outcome: "absent", request: { ...request, [CONTRACT_MEMBER]: signed(loaded) } },
  })
}

/** The AACP error of an outcome, as this API's problem document. */
const refuse = (result: Verification): never => {
  const answer = problemOf(result)
  if (answer === null || result.error === null) throw new ApiError("internal", "a success is no refusal")
  const { "content-type": _type, ...headers } = answer.headers
  throw new ApiError(result.error, result.detail, { headers, members: { outcome: result.outcome } })
}

/** The `Confirmation` that bind will check: by the contract's confirmer, over these Terms and this evidence. */
const checkOnChainConfirmation = async (
  services: ApiServices,
  { contract, job, stored }: LoadedJob,
  evidenceDigest: Hex,
  confirmation: ConfirmationBody | undefined,
): Promise<ConfirmationBody> => {
  const invalid = (why: string): never => {
    throw new ApiError("confirmation_signature_invalid", why, { path: "/confirmation" })
  }
  if (confirmation === undefined) return invalid("the confirmation that came with the evidence is missing")
  if (confirmation.evidenceDigest.toLowerCase() !== evidenceDigest) return invalid("it is about other evidence")
  if (keccak256(confirmation.signer as Hex) !== job.terms.roles.confirmer) return invalid("it is not signed by the contract's confirmer")
  const digest = messageDigest(domainOf(contract), "Confirmation", {
    termsHash: stored.termsHash,
    evidenceDigest,
    notAfter: confirmation.notAfter,
  })
  const good = await services.confirmation.verifySigner(confirmation.signer as Hex, digest, confirmation.signature as Hex)
  return good ? confirmation : invalid("the signature does not verify")
}

const confirmedEvent = (verification: Verification, confirmation: ConfirmationBody, at: number): MessageEvent => {
  const { evidence } = verification
  if (evidence === undefined) throw new ApiError("internal", "accepted evidence is there")
  return {
    source: "message",
    type: "confirmed",
    at,
    requestId: evidence["request-id"],
    evidenceDigest: confirmation.evidenceDigest as Hex,
    notAfter: confirmation.notAfter,
    signer: confirmation.signer as Hex,
    signature: confirmation.signature as Hex,
    method: evidence["auth-context"].method,
    loa: evidence["auth-context"].loa,
  }
}

export type Presentation = { evidence: string; confirmation: ConfirmationBody | undefined; idempotencyKey: string | null }

/** Judges the evidence with everything on one connection: an open transaction keeps every other connection of an embedded store out. */
const judge = async (
  services: ApiServices,
  loaded: LoadedJob,
  { evidence }: Presentation,
  db: Connection,
  replay: ReplayStore,
): Promise<Verification> => {
  const action = fundAction(loaded.contract, { publicOrigin: services.publicOrigin })
  return verifyEvidence({
    evidence,
    keys: services.confirmation.keysFor(enrolmentOf(services, loaded)),
    descriptor: fundDescriptor(action),
    rendering: action.xAacp,
    request: (id) => requestLedger(db, loaded.stored.jobId).find(id),
    audience: action.audience,
    policy: services.confirmation.policy,
    replay,
    outcomes: outcomeMemory(db),
    denials: denialRegister(db),
    now: await services.clocks.confirmation(),
  })
}

/** Sees what is used up and uses nothing up. */
const onlyLooking = (store: ReplayStore): ReplayStore => ({ seen: (key) => store.seen(key), consume: () => true })

/** The same evidence with the same key on the same job asks how its action stands; it is not used a second time. Without a key nothing is the same. */
const isRepetition = async (
  db: Connection,
  { outcome, evidence, service, evidenceDigest }: Verification,
  loaded: LoadedJob,
  { idempotencyKey }: Presentation,
): Promise<boolean> => {
  if (outcome !== "replay" || idempotencyKey === null || evidence === undefined || service === undefined) return false
  const used = await usedBy(db, { service, requestId: evidence["request-id"] })
  return (
    used !== null && used.jobId === loaded.stored.jobId && used.idempotencyKey === idempotencyKey && used.evidenceDigest === evidenceDigest
  )
}

/**
 * Verifies the evidence in eight steps, uses its request id up and records that the bind is to be relayed, in one transaction: both or
 * neither, whatever kills us. `beforeUse` may throw: then nothing is used up. Throws the outcome's own code.
 */
export const acceptConfirmation = async (
  services: ApiServices,
  loaded: LoadedJob,
  presentation: Presentation,
  beforeUse: () => Promise<void>,
): Promise<void> => {
  const { db } = services.store
  const { jobId } = loaded.stored
  const storeOn = (connection: Connection): ReplayStore => replayStore(connection, jobId, presentation.idempotencyKey ?? "")

  // Looked at once before it is used: a bad on-chain confirmation must not use good evidence up.
  const looked = await judge(services, loaded, presentation, db, onlyLooking(storeOn(db)))
  const { evidenceDigest } = looked
  if (await isRepetition(db, looked, loaded, presentation)) return
  if (looked.outcome !== "success" || evidenceDigest === undefined) return refuse(looked)
  await beforeUse()
  const confirmation = await checkOnChainConfirmation(services, loaded, toBytes32(evidenceDigest as Sha256), presentation.confirmation)
  const at = await services.clocks.chain()
  if (confirmation.notAfter < at)
    throw new ApiError("confirmation_signature_invalid", "its time has passed: bind would refuse it", { path: "/confirmation/notAfter" })

  const result = await db.transaction().execute(async (transaction) => {
    const verified = await judge(services, loaded, presentation, transaction, storeOn(transaction))
    if (verified.outcome === "success") await appendEvents(transaction, jobId, [confirmedEvent(verified, confirmation, at)])
    failpoint("fund.consumed")
    return verified
  })
  // Two equal calls at once: the one that came second asks how the first one's action stands.
  if (result.outcome !== "success" && !(await isRepetition(db, result, loaded, presentation))) refuse(result)
}
