/**
 * Writes the flight example's vectors (`node test/aacp/vectors/make.ts`): the draft's Appendix B with its placeholders filled in. What already
 * exists is kept where it is random (keys, ES256 signatures); everything else is computed.
 */
import { generateKeyPairSync } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  actionDigest,
  createEvidence,
  createStatus,
  descriptorOf,
  evidenceDigest,
  evidencePayload,
  jwkSigner,
  operationOf,
  parseAnnotation,
  parseDescriptor,
  parseTime,
  readRequest,
  renderingDigest,
  renderingSet,
  signEvidence,
  signEvidenceCose,
  toCbor,
} from "../../../orchestrator/aacp/index.ts"
import type { JsonObject } from "../../../orchestrator/aacp/json.ts"

const folder = join(import.meta.dirname, "flight")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")
const write = (name: string, text: string): void => writeFileSync(join(folder, name), `${text.trimEnd()}\n`)
const writeJson = (name: string, value: unknown): void => write(name, JSON.stringify(value, null, 2))
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const once = async (name: string, make: () => string | Promise<string>): Promise<void> => {
  if (!existsSync(join(folder, name))) write(name, await make())
}

const keyPair = (kid: string, alg: "ES256" | "EdDSA"): JsonObject => {
  const { privateKey } = alg === "ES256" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519")
  return { ...(privateKey.export({ format: "jwk" }) as JsonObject), kid, alg, iss: "https://cs.example.com" }
}

await once("private-keys.json", () =>
  JSON.stringify({ keys: [keyPair("flight-es256", "ES256"), keyPair("flight-eddsa", "EdDSA")] }, null, 2),
)
const keys = (JSON.parse(read("private-keys.json")) as { keys: [JsonObject, JsonObject] }).keys
writeJson("jwks.json", { keys: keys.map(({ d: _secret, ...shared }) => shared) })
const [es256, eddsa] = keys.map((key) => jwkSigner(key))
if (es256 === undefined || eddsa === undefined) throw new Error("two keys are needed")

const descriptor = parseDescriptor(read("descriptor.json"))
const annotation = parseAnnotation(read("x-aacp.json"))
const request = readRequest({
  v: 1,
  "request-id": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  "action-digest": actionDigest(descriptor),
  challenge: Buffer.from(Array.from({ length: 16 }, (_, index) => index)).toString("base64url"),
  lifetime: 300,
  audience: "agent:booking.airlines.example.com",
  subject: "user:alice@example.com",
})
const confirmedAt = parseTime("2026-10-31T11:03:17Z") ?? 0
const shared = { request, confirmedAt, authContext: { method: "passkey", loa: 4 } }
const evidence = createEvidence({ ...shared, decision: "confirmed", renderingDigest: renderingDigest(descriptor) })
const denied = createEvidence({ ...shared, decision: "denied" })
const status = createStatus(request["request-id"], "dialog-expired", parseTime("2026-10-31T11:59:02Z") ?? 0)

writeJson("request.json", request)
writeJson("evidence.json", evidence)
writeJson("denied.json", denied)
writeJson("status.json", status)
writeJson("rendering.json", renderingSet(descriptor))
await once("evidence.es256.jws", () => signEvidence(evidence, es256))
await once("denied.es256.jws", () => signEvidence(denied, es256))
await once("evidence.es256.cose.hex", async () => hex(await signEvidenceCose(evidence, es256)))
write("evidence.eddsa.jws", await signEvidence(evidence, eddsa))
write("evidence.eddsa.detached.jws", await signEvidence(evidence, eddsa, { detached: true }))
write("evidence.eddsa.cose.hex", hex(await signEvidenceCose(evidence, eddsa)))
for (const [type, value] of Object.entries({ descriptor, request, evidence, status })) {
  write(`${type}.cbor.hex`, hex(toCbor(type as "descriptor", value)))
}

const operation = { location: "https://api.airlines.example.com/bookings", fields: JSON.parse(read("operation.json")) as JsonObject }
const mapped = descriptorOf(annotation, operation)
operationOf(annotation, mapped)
writeJson("mapped-descriptor.json", mapped)
writeJson("digests.json", {
  action_digest: actionDigest(descriptor),
  rendering_digest: renderingDigest(descriptor),
  mapped_action_digest: actionDigest(mapped),
  mapped_rendering_digest: renderingDigest(mapped, annotation),
  payload: Buffer.from(evidencePayload(evidence)).toString("utf8"),
  eddsa_evidence_sha256: evidenceDigest(read("evidence.eddsa.jws").trim()),
})
