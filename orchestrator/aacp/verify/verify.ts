/**
 * The verifier (AACP §8): eight steps in order, the first that does not pass decides, and exactly one outcome comes out,
 * whatever went in.
 */
import { hash } from "node:crypto"
import { isAfgError } from "../../errors.ts"
import type { ConfirmationEvidence } from "../evidence.ts"
import type { Consumption } from "../replay/store.ts"
import { type Envelope, needsPayload, openEnvelope } from "./envelope.ts"
import type { Case, VerificationInput } from "./input.ts"
import { type ConfirmationError, errorOf, type Finding, failed, notChecked, type Outcome } from "./outcome.ts"
import { checkSignature, isFinding, type SignedBy } from "./signature.ts"
import { attempt, type Sooner, whenKnown } from "./sooner.ts"
import { checkAction, checkAudience, checkDecision, checkExercise, checkFreshness, checkPolicy, lifetimeOf } from "./steps.ts"

export type Verification = {
  readonly outcome: Outcome
  /** The draft's error name; null for success alone. */
  readonly error: ConfirmationError | null
  /** A stable word for the cause; `accepted` for success. */
  readonly detail: string
  /** Present once the signature was found good, whatever came after. */
  readonly evidence?: ConfirmationEvidence
  /** The service that signed it, with its key's id. */
  readonly service?: string
  readonly kid?: string
  /** sha256 of the compact JWS, lower hex; of the message for COSE. */
  readonly evidenceDigest?: string
  readonly requirement?: Finding["requirement"]
  /** What kept a step from being done, for logs. */
  readonly cause?: unknown
}

/** Marks are kept this long after the evidence has expired, in seconds, for clocks that are set back. */
const KEEP_AFTER_EXPIRY = 86_400

const open = (evidence: string | Uint8Array, payload: Uint8Array | undefined): Envelope | Finding => {
  try {
    return openEnvelope(evidence, payload)
  } catch (cause) {
    return { outcome: "invalid", detail: isAfgError(cause) ? cause.code : "malformed", cause }
  }
}

/** What to mark as used when the evidence is accepted. */
export const consumptionOf = (found: Case, digest: string): Consumption => ({
  service: found.service,
  requestId: found.evidence["request-id"],
  evidenceDigest: digest,
  now: found.input.now,
  keepUntil: Math.max(lifetimeOf(found).expiresAt, found.input.now) + KEEP_AFTER_EXPIRY,
})

/** The next step, if this one passed. */
const andThen = (finding: Sooner<Finding | null>, next: () => Sooner<Finding | null>): Sooner<Finding | null> =>
  whenKnown(finding, (found) => found ?? next())

/** Steps 3 to 8, in their order; the first that does not pass decides. */
const runSteps = (found: Case): Sooner<Finding | null> =>
  checkAction(found) ??
  checkAudience(found) ??
  andThen(checkDecision(found), () => andThen(checkFreshness(found), () => checkPolicy(found) ?? checkExercise(found)))

/** The last act, after every step: the id is used up by exactly one presentation. */
const consume = (found: Case, digest: string): Sooner<Finding | null> => {
  const { replay } = found.input
  if (replay === undefined) return null
  return attempt<Finding | null>(
    () =>
      whenKnown(replay.consume(consumptionOf(found, digest)), (first) => (first ? null : { outcome: "replay", detail: "request_id_used" })),
    (cause) => failed("replay", cause),
  )
}

/** What is known of a presentation whose signature is good. */
type Signed = { readonly found: Case; readonly digest: string; readonly memoryKey: string | undefined }
type Refused = { readonly finding: Finding } & Partial<Signed>
type Judged = ({ readonly finding: null } & Signed) | Refused

/** What was decided about this presentation before, if it is over. */
const recall = ({ outcomes }: VerificationInput, key: string | undefined): Sooner<Finding | null> =>
  outcomes === undefined || key === undefined
    ? null
    : attempt<Finding | null>(
        () => outcomes.recall(key),
        (cause) => failed("memory", cause),
      )

/** Step 1, and the opening of step 2: is there evidence, and can it be taken apart? */
const present = ({ evidence, payload }: VerificationInput): Envelope | Finding => {
  if (evidence === null || evidence === undefined || evidence.length === 0) return { outcome: "absent", detail: "no_evidence" }
  if (needsPayload(evidence) && payload === undefined) return notChecked("signature")
  return open(evidence, payload)
}

const findRequest = ({ request }: VerificationInput, id: string): Sooner<Case["request"] | Finding> =>
  typeof request === "function"
    ? attempt<Case["request"] | Finding>(
        () => request(id),
        (cause) => failed("request", cause),
      )
    : request

const isFailure = (request: Case["request"] | Finding): request is Finding => request != null && "outcome" in request

/** Steps 3 to 8, and the use of the id. */
const judgeContent = (signed: Signed): Sooner<Judged> => {
  const { found, digest, memoryKey } = signed
  return whenKnown(findRequest(found.input, found.evidence["request-id"]), (request) => {
    if (isFailure(request)) return { finding: request, ...signed }
    const asked = { ...found, request }
    const finding = andThen(runSteps(asked), () => consume(asked, digest))
    return whenKnown(finding, (end): Judged => ({ finding: end, found: asked, digest, memoryKey }))
  })
}

const judgeSigned = (envelope: Envelope, { key, evidence, confirmedAt }: SignedBy, input: VerificationInput): Sooner<Judged> => {
  const found: Case = { input, evidence, service: key.iss, kid: key.kid, confirmedAt, request: undefined }
  // Ends are remembered by what was signed, so that another spelling of the same signature is the same evidence.
  const memoryKey = input.outcomes === undefined ? undefined : hash("sha256", envelope.signed, "hex")
  const signed: Signed = { found, digest: envelope.digest(), memoryKey }
  return whenKnown(recall(input, memoryKey), (remembered) =>
    remembered === null ? judgeContent(signed) : { finding: remembered, ...signed },
  )
}

/** What cannot be shown to be signed is remembered by all of it: nobody must be able to end good evidence by a forged copy. */
const judgeUnsigned = (envelope: Envelope, finding: Finding, input: VerificationInput): Sooner<Judged> => {
  const digest = envelope.digest()
  return whenKnown(recall(input, digest), (remembered) => ({ finding: remembered ?? finding, digest, memoryKey: digest }))
}

const judge = (input: VerificationInput): Sooner<Judged> => {
  const envelope = present(input)
  if (isFinding(envelope)) return { finding: envelope }
  return whenKnown(checkSignature(envelope, input), (signed) =>
    isFinding(signed) ? judgeUnsigned(envelope, signed, input) : judgeSigned(envelope, signed, input),
  )
}

/** Keeps what has ended. An id used up is the replay store's to remember. */
const remember = async ({ finding, found, memoryKey }: Refused, { outcomes, denials, now }: VerificationInput): Promise<void> => {
  if (finding.outcome === "unverifiable") return
  if (found !== undefined && finding.detail === "denied_by_user") {
    const { service, confirmedAt, evidence } = found
    await denials?.record({ service, actionDigest: evidence["action-digest"], requestId: evidence["request-id"], deniedAt: confirmedAt })
  }
  if (memoryKey === undefined) return
  const { outcome, detail, requirement } = finding
  await outcomes?.remember(memoryKey, { outcome, detail, ...(requirement === undefined ? {} : { requirement }) }, now)
}

const accepted = ({ found: { evidence, service, kid }, digest }: Signed): Verification => ({
  outcome: "success",
  error: null,
  detail: "accepted",
  evidence,
  service,
  kid,
  evidenceDigest: digest,
})

const refused = ({ finding, found, digest }: Refused): Verification => ({
  outcome: finding.outcome,
  error: errorOf(finding.outcome),
  detail: finding.detail,
  ...(found === undefined ? {} : { evidence: found.evidence, service: found.service, kid: found.kid }),
  ...(digest === undefined ? {} : { evidenceDigest: digest }),
  ...(finding.requirement === undefined ? {} : { requirement: finding.requirement }),
  ...(finding.cause === undefined ? {} : { cause: finding.cause }),
})

/**
 * Judges one presentation of evidence and, when every step passes, uses it up. Never throws for what was presented; a
 * source or store that fails makes the outcome `unverifiable`, with the failure as `cause`.
 *
 * ```ts
 * const { outcome, error, detail } = await verifyEvidence({
 *   evidence: header, keys: staticKeys(jwks), descriptor, request, audience: "agent:me", policy, replay, now: Date.now() / 1000,
 * })
 * ```
 */
export const verifyEvidence = async (input: VerificationInput): Promise<Verification> => {
  const answer = judge(input)
  const judged = answer instanceof Promise ? await answer : answer
  if (judged.finding === null) return accepted(judged)
  const result = refused(judged)
  try {
    await remember(judged, input)
    return result
  } catch (cause) {
    // An end that cannot be recorded is still that end: what was refused stays refused now.
    return { ...result, cause }
  }
}
