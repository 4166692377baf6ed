/** AFG §5: what `contract_hash` covers. */
import { AfgError } from "../errors.ts"
import { digestOf, isJsonObject, type JsonValue, parseStrictJson } from "../json/index.ts"
import type { Sha256 } from "../types.ts"
import type { Contract } from "./schema/contract.ts"

const NOT_HASHED: ReadonlySet<string> = new Set(["signatures", "contract_hash"])

/**
 * sha256(JCS(contract without `signatures` and `contract_hash`)).
 *
 * Takes a contract, or any JSON object, since the hash is defined before the schema is met. Throws `schema` for anything else.
 */
export const contractHash = (contract: Contract | JsonValue): Sha256 => {
  const document = contract as JsonValue
  if (!isJsonObject(document)) throw new AfgError("schema", "a contract is a JSON object", { path: "" })
  // Null prototype: a member named __proto__ is hashed like any other.
  const covered: Record<string, JsonValue> = Object.create(null)
  for (const [name, value] of Object.entries(document)) if (!NOT_HASHED.has(name)) covered[name] = value
  return digestOf(covered)
}

/** The hash of a contract as bytes or text. Throws `json-…`. */
export const contractHashOf = (document: Uint8Array | string): Sha256 => contractHash(parseStrictJson(document))
