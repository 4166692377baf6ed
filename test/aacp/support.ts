/** A valid presentation of evidence, made from the flight example, that tests bend one way at a time. */
import { generateKeyPairSync } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  type ActionDescriptor,
  type Algorithm,
  type ConfirmationEvidence,
  type ConfirmationRequest,
  createEvidence,
  type Entropy,
  type EvidenceSigner,
  type JsonObject,
  keySigner,
  memoryReplayStore,
  type Policy,
  parseDescriptor,
  parsePolicy,
  parseRequest,
  parseTime,
  renderingDigest,
  type SigningAlgorithm,
  signEvidence,
  staticKeys,
  type Verification,
  type VerificationInput,
  verifyEvidence,
} from "../../orchestrator/aacp/index.ts"

const folder = join(import.meta.dirname, "vectors", "flight")

export const vectorFile = (name: string): string => join(folder, name)
export const vector = (name: string): string => readFileSync(vectorFile(name), "utf8").trim()
export const vectorJson = (name: string): JsonObject => JSON.parse(vector(name)) as JsonObject

export const SERVICE = "https://cs.example.com"
export const AUDIENCE = "agent:booking.airlines.example.com"

/** Unix seconds of an RFC 3339 time. */
export const at = (text: string): number => {
  const seconds = parseTime(text)
  if (seconds === null) throw new Error(`${text} is no time`)
  return seconds
}

export const CONFIRMED_AT: number = at("2026-10-31T11:03:17Z")
export const NOW: number = CONFIRMED_AT + 60

export const descriptor: ActionDescriptor = parseDescriptor(vector("descriptor.json"))
export const request: ConfirmationRequest = parseRequest(vector("request.json"))
export const policy: Policy = parsePolicy(vector("policy.json"))

export type TestKey = { signer: EvidenceSigner; jwk: JsonObject }

/** A new key pair of a service, registered for `alg`. */
export const makeKey = (kid: string, alg: SigningAlgorithm = "ES256", registration: Record<string, unknown> = {}): TestKey => {
  const { privateKey, publicKey } = alg === "ES256" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519")
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, alg, iss: SERVICE, ...registration } as JsonObject
  return { signer: keySigner(kid, alg, privateKey), jwk }
}

export const key: TestKey = makeKey("cs-1")

export const evidenceOf = (
  changes: Record<string, unknown> = {},
  of: { request?: ConfirmationRequest; descriptor?: ActionDescriptor } = {},
): ConfirmationEvidence => {
  const made = createEvidence({
    request: of.request ?? request,
    decision: "confirmed",
    confirmedAt: CONFIRMED_AT,
    authContext: { method: "passkey", loa: 4 },
    renderingDigest: renderingDigest(of.descriptor ?? descriptor),
  })
  const changed: Record<string, unknown> = { ...made, ...changes }
  for (const [name, value] of Object.entries(changed)) if (value === undefined) delete changed[name]
  return changed as ConfirmationEvidence
}

const base64url = (text: string): string => Buffer.from(text).toString("base64url")

/** Signs any header and payload, however wrong. */
export const signRaw = async (header: unknown, payload: string, signer: EvidenceSigner = key.signer): Promise<string> => {
  const input = `${base64url(typeof header === "string" ? header : JSON.stringify(header))}.${base64url(payload)}`
  return `${input}.${Buffer.from(await signer.sign(Buffer.from(input))).toString("base64url")}`
}

export const sign = (changes: Record<string, unknown> = {}): Promise<string> => signEvidence(evidenceOf(changes), key.signer)

/** Everything that a success needs; each call has a replay store of its own. */
export const validInput = async (changes: Partial<VerificationInput> = {}): Promise<VerificationInput> => ({
  evidence: await sign(),
  keys: staticKeys({ keys: [key.jwk] }),
  descriptor,
  request,
  audience: AUDIENCE,
  policy,
  replay: memoryReplayStore(),
  now: NOW,
  ...changes,
})

export const verify = async (changes: Partial<VerificationInput> = {}): Promise<Verification> => verifyEvidence(await validInput(changes))

/** A key set in which the usual key is registered differently. */
export const registered = (registration: Record<string, unknown>) => ({
  keys: staticKeys({ keys: [{ ...key.jwk, ...registration } as JsonObject] }),
})

/** Ids and octets that count up: the same in every run. */
export const countingEntropy = (): Entropy => {
  let next = 0
  return {
    uuid: () => `00000000-0000-4000-8000-${(++next).toString(16).padStart(12, "0")}`,
    octets: (length) => Uint8Array.from({ length }, () => ++next % 256),
  }
}

export type { Algorithm }
