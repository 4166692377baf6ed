/** The linter (AFG §10), to be run before signing. */
import { isAfgError } from "../../errors.ts"
import { isJsonObject, type JsonValue, parseStrictJson, toPointer } from "../../json/index.ts"
import type { Sha256 } from "../../types.ts"
import { contractHash } from "../hash.ts"
import type { CheckClass } from "../schema/checks/common.ts"
import type { Contract } from "../schema/contract.ts"
import { contextOf, type LintContext, type LintOptions } from "./options.ts"
import { type PartialReading, readMembers } from "./read.ts"
import type { Severity } from "./rule.ts"
import { classOf } from "./rules/checks.ts"
import { RULES } from "./rules/index.ts"

/** One fault: a stable code, the member at fault (RFC 6901), what is wrong there. */
export type Finding = { code: string; path: string; message: string }

export type LintResult = {
  /** Nothing rejects it. */
  acceptable: boolean
  /** null when the document has no canonical form. */
  contract_hash: Sha256 | null
  checks: { check_id: string; type: string; class: CheckClass }[]
  rejects: Finding[]
  warnings: Finding[]
}

/** Bytes or text of a contract, or a value that the strict reader made. */
export type LintSubject = Uint8Array | string | JsonValue | Contract

/** Judges a contract with what is given and nothing else: no clock, no file, no network. Never throws for a bad contract. */
export const lint = (subject: LintSubject, options: LintOptions = {}): LintResult => {
  const document = readSubject(subject)
  return "refusal" in document ? refused(document.refusal) : judge(document.value, contextOf(options), [])
}

/** A document, or why there is none. */
export const readSubject = (subject: LintSubject): { value: JsonValue } | { refusal: Finding } => {
  if (typeof subject !== "string" && !(subject instanceof Uint8Array)) return { value: subject as JsonValue }
  try {
    return { value: parseStrictJson(subject) }
  } catch (error) {
    if (!isAfgError(error)) throw error
    return { refusal: { code: error.code, path: error.path ?? "", message: error.message } }
  }
}

export const refused = (finding: Finding): LintResult => ({
  acceptable: false,
  contract_hash: null,
  checks: [],
  rejects: [finding],
  warnings: [],
})

/** What a rule found on the chain, to be added to what the contract itself shows. */
export type GradedFinding = Finding & { severity: Severity }

export const judge = (document: JsonValue, context: LintContext, onChain: readonly GradedFinding[]): LintResult => {
  if (!isJsonObject(document)) return refused({ code: "schema", path: "", message: "a contract is a JSON object" })
  const reading = readMembers(document)
  const found: GradedFinding[] = [...reading.issues.map((issue) => ({ ...issue, severity: "reject" as const })), ...onChain]
  for (const { code, severity, needs, find } of RULES) {
    if (!reading.has(needs)) continue
    // The rule sees the members it needs, and those are well-formed.
    for (const { path, message } of find(reading.members as Contract, context))
      found.push({ code, severity, path: toPointer(path), message })
  }
  const of = (severity: Severity): Finding[] =>
    found.filter((finding) => finding.severity === severity).map(({ code, path, message }) => ({ code, path, message }))
  const rejects = of("reject")
  return {
    acceptable: rejects.length === 0,
    contract_hash: contractHash(document),
    checks: checksOf(reading, document),
    rejects,
    warnings: of("warn"),
  }
}

/** The checks with the class that they have by type and parameters; as the document says, where they are malformed. */
const checksOf = ({ members }: PartialReading, document: JsonValue): LintResult["checks"] => {
  if (members.acceptance !== undefined)
    return members.acceptance.checks.map((check) => ({ check_id: check.check_id, type: check.type, class: classOf(check) }))
  const acceptance = isJsonObject(document) ? document.acceptance : undefined
  const checks = isJsonObject(acceptance) && Array.isArray(acceptance.checks) ? acceptance.checks : []
  return checks.flatMap((check) => {
    if (!isJsonObject(check)) return []
    const { check_id, type, class: declared } = check
    if (typeof check_id !== "string" || typeof type !== "string") return []
    return declared === "deterministic" || declared === "judgment" ? [{ check_id, type, class: declared }] : []
  })
}
