/** Reads a contract member by member, so that a fault in one hides no fault in another. */
import { type JsonObject, toPointer } from "../../json/index.ts"
import { type Contract, contractShape } from "../schema/contract.ts"
import { type SchemaIssue, schemaIssues } from "../schema-issues.ts"

export type PartialReading = {
  /** The members that have their form. */
  readonly members: Partial<Contract>
  /** Are all these members well-formed, or absent and optional? */
  readonly has: (names: readonly (keyof Contract)[]) => boolean
  readonly issues: readonly SchemaIssue[]
}

const names = Object.keys(contractShape) as (keyof Contract)[]
const isMember = (name: string): name is keyof Contract => Object.hasOwn(contractShape, name)

export const readMembers = (document: JsonObject): PartialReading => {
  const members: Record<string, unknown> = {}
  const broken = new Set<keyof Contract>()
  const issues: SchemaIssue[] = []
  for (const name of names) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined
    const parsed = contractShape[name].safeParse(value)
    if (parsed.success) {
      if (parsed.data !== undefined) members[name] = parsed.data
    } else {
      broken.add(name)
      issues.push(...schemaIssues(parsed.error, [name]))
    }
  }
  for (const name of Object.keys(document))
    if (!isMember(name)) issues.push({ code: "schema", path: toPointer([name]), message: `unknown member ${JSON.stringify(name)}` })
  return { members: members as Partial<Contract>, has: (needed) => needed.every((name) => !broken.has(name)), issues }
}
