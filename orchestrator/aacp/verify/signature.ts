/** Step 2: a resolvable key of an accepted service made this signature, at a time when the key counted. */
import { isAfgError } from "../../errors.ts"
import { verifySignature } from "../algorithms.ts"
import type { ConfirmationEvidence } from "../evidence.ts"
import { type ServiceKey, standingAt } from "../keys/service-key.ts"
import { parseTime } from "../time.ts"
import type { Envelope } from "./envelope.ts"
import type { VerificationInput } from "./input.ts"
import type { Finding } from "./outcome.ts"

export type SignedBy = { readonly key: ServiceKey; readonly evidence: ConfirmationEvidence; readonly confirmedAt: number }

const invalid = (detail: string, cause?: unknown): Finding => ({ outcome: "invalid", detail, cause })
const unverifiable = (detail: string, cause?: unknown): Finding => ({ outcome: "unverifiable", detail, cause })

export const isFinding = (value: object): value is Finding => "outcome" in value && "detail" in value

const resolve = async (envelope: Envelope, { keys }: VerificationInput): Promise<readonly ServiceKey[] | Finding> => {
  try {
    const answer = keys.keysFor(envelope.kid)
    const found = answer instanceof Promise ? await answer : answer
    return found.length === 0 ? unverifiable("key_unknown") : found
  } catch (cause) {
    return unverifiable("keys_unreachable", cause)
  }
}

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

/** Keys are resolved by id, services by policy, validity by the time of the confirmation (AACP §7.2). */
export const checkSignature = async (envelope: Envelope, input: VerificationInput): Promise<SignedBy | Finding> => {
  const keys = await resolve(envelope, input)
  if ("outcome" in keys) return keys
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
