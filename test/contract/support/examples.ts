/** The committed example contracts, and changes to them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Contract, exampleContract, parseContract, type TemplateName } from "../../../orchestrator/contract/index.ts"
import { fromPointer, isJsonObject, type JsonObject, type JsonValue } from "../../../orchestrator/json/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"

export const FIXTURES = join(import.meta.dirname, "../fixtures")

export const VALIDATORS = [{ validator: "afg-snip", versions: ["0.1.0"] }]

/** What the templates make of the local accounts alone: no image, no deployment. */
export const built = (name: TemplateName): Contract => exampleContract(name, { addressOf: (role) => localAccount(role).address })

export const fixtureText = (name: TemplateName): string => readFileSync(join(FIXTURES, `${name}.json`), "utf8")

/** The fixture as a fresh value, to be changed at will. */
export const fixture = (name: TemplateName): JsonObject => JSON.parse(fixtureText(name)) as JsonObject

export const fixtureContract = (name: TemplateName): Contract => parseContract(fixtureText(name))

const parentOf = (document: JsonValue, pointer: string): [parent: JsonValue[] | JsonObject, last: string] => {
  const segments = fromPointer(pointer)
  const last = segments.pop()
  let here: JsonValue | undefined = document
  for (const segment of segments) here = Array.isArray(here) ? here[Number(segment)] : isJsonObject(here) ? here[segment] : undefined
  if (last === undefined || typeof here !== "object" || here === null) throw new Error(`nothing at ${pointer}`)
  return [here, last]
}

/** Sets the member at an RFC 6901 pointer; `/-` appends to an array. */
export const set = (document: JsonValue, pointer: string, value: JsonValue): void => {
  const [parent, last] = parentOf(document, pointer)
  if (!Array.isArray(parent)) parent[last] = value
  else parent[last === "-" ? parent.length : Number(last)] = value
}

export const remove = (document: JsonValue, pointer: string): void => {
  const [parent, last] = parentOf(document, pointer)
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
}

/** A fixture with members changed: `undefined` removes. */
export const changed = (name: TemplateName, changes: Readonly<Record<string, JsonValue | undefined>>): JsonObject => {
  const document = fixture(name)
  for (const [pointer, value] of Object.entries(changes)) {
    if (value === undefined) remove(document, pointer)
    else set(document, pointer, value)
  }
  return document
}
