/** A confirmation service's key as a verifier knows it, and when it counts (AACP §7.2, §11.4). */
import { createPublicKey, type KeyObject } from "node:crypto"
import { AfgError, isAfgError } from "../../errors.ts"
import { ALGORITHMS, type Algorithm, unfit } from "../algorithms.ts"
import { isJsonObject, type JsonObject, parseJson } from "../json.ts"
import { Members } from "../members.ts"

export type Revocation = {
  /** Unix seconds. */
  readonly at: number
  /** `superseded`: good for what was confirmed until `at`. `compromised`: good for nothing, since times can be forged. */
  readonly reason: "superseded" | "compromised"
}

export type ServiceKey = {
  readonly kid: string
  /** The registered algorithm, the only one this key verifies. */
  readonly alg: Algorithm
  /** The service that the key belongs to. */
  readonly iss: string
  /** Unix seconds between which, both included, a confirmation may lie. */
  readonly nbf?: number | undefined
  readonly exp?: number | undefined
  readonly revoked?: Revocation | undefined
  readonly publicKey: KeyObject
}

export type KeyStanding = "valid" | "outside-validity" | "compromised"

/** What the key is worth for something confirmed at `confirmedAt`, whenever that is verified. */
export const standingAt = (key: ServiceKey, confirmedAt: number): KeyStanding => {
  if (key.revoked?.reason === "compromised") return "compromised"
  const until = Math.min(key.exp ?? Number.POSITIVE_INFINITY, key.revoked?.at ?? Number.POSITIVE_INFINITY)
  return confirmedAt < (key.nbf ?? Number.NEGATIVE_INFINITY) || confirmedAt > until ? "outside-validity" : "valid"
}

/** Public members per key type: private ones never reach the imported key. */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = { EC: ["crv", "x", "y"], OKP: ["crv", "x"], RSA: ["n", "e"] }

/** Imports the public half of a JWK. Throws `aacp-key-unusable` for other types and for points off the curve. */
export const importPublicJwk = (jwk: JsonObject): KeyObject => {
  const kty = typeof jwk.kty === "string" ? jwk.kty : ""
  const names = Object.hasOwn(PUBLIC_MEMBERS, kty) ? PUBLIC_MEMBERS[kty] : undefined
  if (names === undefined) throw new AfgError("aacp-key-unusable", "kty must be EC, OKP or RSA", { path: "/kty" })
  try {
    const key = Object.fromEntries([["kty", kty], ...names.map((name) => [name, jwk[name]])])
    return createPublicKey({ key, format: "jwk" })
  } catch (cause) {
    throw new AfgError("aacp-key-unusable", "the JWK is no valid public key", { cause })
  }
}

const readRevocation = (revoked: Members): Revocation => ({
  at: revoked.integer("at", 0),
  reason: revoked.oneOf("reason", ["superseded", "compromised"]),
})

/** Registers one JWK. `iss` is the service whose set this is: a key that names another is refused. */
const readKey = (value: unknown, iss: string | undefined): ServiceKey => {
  const jwk = new Members(value, "aacp-key-unusable")
  const alg = jwk.oneOf("alg", ALGORITHMS)
  if (jwk.has("use") && jwk.text("use") !== "sig") jwk.fail("use", "must be sig")
  if (jwk.has("key_ops") && !jwk.texts("key_ops").includes("verify")) jwk.fail("key_ops", "must include verify")
  const named = jwk.optionalText("iss") ?? iss ?? jwk.fail("iss", "is missing: the key belongs to no named service")
  if (iss !== undefined && named !== iss) jwk.fail("iss", `must be ${iss}, the service whose set this is`)
  const publicKey = importPublicJwk(jwk.object)
  const problem = unfit(alg, publicKey)
  if (problem !== null) jwk.fail("alg", `does not fit the key: ${problem}`)
  const revoked = jwk.optionalMembers("revoked")
  return {
    kid: jwk.text("kid"),
    alg,
    iss: named,
    nbf: jwk.optionalInteger("nbf", 0),
    exp: jwk.optionalInteger("exp", 0),
    ...(revoked === undefined ? {} : { revoked: readRevocation(revoked) }),
    publicKey,
  }
}

export type KeySet = {
  readonly keys: readonly ServiceKey[]
  /** Members of the set that are no registrations of ours, and why; they resolve to nothing. */
  readonly unusable: readonly { readonly index: number; readonly why: string }[]
}

/**
 * Reads a JWK Set. Keys that cannot be used are left out, so that one of them does not take the service's others along.
 * Throws `aacp-jwks-malformed` when there is no set at all.
 */
export const readJwks = (value: unknown, options: { iss?: string | undefined } = {}): KeySet => {
  const list = isJsonObject(value) && Object.hasOwn(value, "keys") ? value.keys : undefined
  if (!Array.isArray(list)) throw new AfgError("aacp-jwks-malformed", "a JWK Set is an object with a list `keys`", { path: "/keys" })
  const keys: ServiceKey[] = []
  const unusable: { index: number; why: string }[] = []
  for (const [index, jwk] of list.entries()) {
    try {
      keys.push(readKey(jwk, options.iss))
    } catch (error) {
      if (!isAfgError(error)) throw error
      unusable.push({ index, why: error.message })
    }
  }
  return { keys, unusable }
}

export const parseJwks = (input: string | Uint8Array, options: { iss?: string | undefined } = {}): KeySet =>
  readJwks(parseJson(input), options)
