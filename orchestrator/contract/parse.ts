/** From bytes to a typed contract. */
import { AfgError } from "../errors.ts"
import { type JsonValue, parseStrictJson } from "../json/index.ts"
import { type Contract, contractSchema } from "./schema/contract.ts"
import { schemaIssues } from "./schema-issues.ts"

/** Reads a contract. Throws `json-…`, or the first fault of form (`schema`, or the member's own code) with its path. */
export const parseContract = (document: Uint8Array | string): Contract => asContract(parseStrictJson(document))

/** As {@link parseContract}, of a value that was read already. */
export const asContract = (value: JsonValue | unknown): Contract => {
  const parsed = contractSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = schemaIssues(parsed.error)
  const [first] = issues
  throw new AfgError(first?.code ?? "schema", first?.message ?? "not a job contract", { path: first?.path ?? "", details: { issues } })
}
