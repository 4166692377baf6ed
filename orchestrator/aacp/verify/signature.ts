/** Step 2: a resolvable key of an accepted service made this signature, at a time when the key counted. */
import { isAfgError } from "../../errors.ts"
import { verifySignature } from "../algorithms.ts"
import type { ConfirmationEvidence } from "../evidence.ts"
import { type ServiceKey, standingAt } from "../keys/service-key.ts"
import { parseTime } from "../time.ts"
import type { Envelope } from "./envelope.ts"
import type { VerificationInput } from "./input.ts"
import type { Finding } from "./outcome.ts"
import { attempt, type Sooner, whenKnown } from "./sooner.ts"

export type SignedBy = { readonly key: ServiceKey; readonly evidence: ConfirmationEvidence; readonly confirmedAt: number }

const invalid = (detail: string, cause?: unknown): Finding => ({ outcome: "invalid", detail, cause })
const unverifiable = (detail: string, cause?: unknown): Finding => ({ outcome: "unverifiable", detail, cause })

export const isFinding = (value: object): value is Finding => "outcome" in value && "detail" in value

const resolve = (envelope: Envelope, { keys }: VerificationInput): Sooner<readonly ServiceKey[] | Finding> =>
  attempt(
    () => whenKnown(keys.keysFor(envelope.kid), (found) => (found.length === 0 ? unverifiable("key_unknown") : found)),
    (cause) => unverifiable("keys_unreachable", cause),
  )

/** The one of `keys` that made the signature. Two services may use the same key id, so each is tried under its own registration. */
const signerAmong = (envelope: Envelope, keys: readonly ServiceKey[]): ServiceKey | Finding => {
  const registered = keys.filter((key) => envelope.alg === null || key.alg === envelope.alg)
  if (registered.length === 0) return invalid("algorithm_not_registered")
  return (
    registered.find((key) => verifySignature(key.alg, key.publicKey, envelope.signed, envelope.signature)) ?? invalid("signature_wrong")
  )
}

const read = (envelope: Envelope): ConfirmationEvidence | Finding => {
  try {
    return envelope.read()
  } catch (cause) {
    return invalid(isAfgError(cause) ? `malformed:${cause.path ?? ""}` : "malformed:", cause)
  }
}

const judge = (envelope: Envelope, keys: readonly ServiceKey[], input: VerificationInput): SignedBy | Finding => {
  const key = signerAmong(envelope, keys)
  if (isFinding(key)) return key
  const evidence = read(envelope)
  if (isFinding(evidence)) return evidence
  const confirmedAt = parseTime(evidence["confirmed-at"]) ?? Number.NaN
  const standing = standingAt(key, confirmedAt)
  if (standing === "compromised") return unverifiable("key_compromised")
  if (standing === "outside-validity") return invalid("key_not_valid_when_confirmed")
  const services = input.policy?.services
  if (services !== undefined && !services.includes(key.iss)) return unverifiable("service_not_accepted")
  return { key, evidence, confirmedAt }
}

/** Keys are resolved by id, services by policy, validity by the time of the confirmation (AACP §7.2). */
export const checkSignature = (envelope: Envelope, input: VerificationInput): Sooner<SignedBy | Finding> =>
  whenKnown(resolve(envelope, input), (keys) => ("outcome" in keys ? keys : judge(envelope, keys, input)))
