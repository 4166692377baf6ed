/** Rules about who plays which role. */
import { isJsonObject, parseStrictJson, sha256Hex, toPointer } from "../../../json/index.ts"
import { readRoster } from "../../roster.ts"
import type { Panelist } from "../../schema/agents.ts"
import type { Contract } from "../../schema/contract.ts"
import type { LintContext } from "../options.ts"
import { isPanelSize } from "../panel.ts"
import { type Problem, type Rule, rule } from "../rule.ts"

type People = Pick<Contract, "buyer" | "provider" | "verifier" | "mediator">

const keysOf = ({ buyer, provider, verifier, mediator }: People): { path: string[]; key: string }[] => [
  { path: ["buyer", "wallet"], key: buyer.wallet },
  { path: ["provider", "wallet"], key: provider.wallet },
  { path: ["verifier", "attestation_key"], key: verifier.attestation_key },
  { path: ["verifier", "fallback", "attestation_key"], key: verifier.fallback.attestation_key },
  { path: ["mediator", "key"], key: mediator.key },
]

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const rosterOf = (contract: Pick<Contract, "appeal">, { roster }: LintContext): Panelist[] | undefined => {
  try {
    return readRoster(contract, roster)
  } catch {
    // `terms-underivable` reports it.
    return undefined
  }
}

/** The findings of a conflict report, or why it is none. */
const findingsOf = (report: Uint8Array | string): unknown[] | string => {
  try {
    const document = parseStrictJson(report)
    return isJsonObject(document) && Array.isArray(document.findings) ? document.findings : "the report has no list `findings`"
  } catch (error) {
    return `the report is not strict JSON: ${error instanceof Error ? error.message : "unreadable"}`
  }
}

export const CONFLICT_REPORT_MISSING = {
  code: "conflict-report-missing",
  severity: "reject",
  what: "There is no conflict report of the mediator, or the one given is not the one that the contract pins.",
  fix: "Give the report whose sha256 is `mediator.conflict_check_ref` (--conflict-report).",
} as const

export const PEOPLE_RULES: readonly Rule[] = [
  rule(
    {
      code: "parties-same",
      severity: "reject",
      what: "Two roles are played by the same key, or buyer and provider are the same agent.",
      fix: "Give every role its own key.",
    },
    ["buyer", "provider", "verifier", "mediator"],
    function* (contract): Iterable<Problem> {
      const keys = keysOf(contract)
      for (const [index, { path, key }] of keys.entries()) {
        const first = keys.slice(0, index).find((other) => same(other.key, key))
        if (first !== undefined) yield { path, message: `the same key as ${toPointer(first.path)}` }
      }
      const { buyer, provider } = contract
      if (buyer.agent_id === provider.agent_id && !same(buyer.wallet, provider.wallet))
        yield { path: ["provider", "agent_id"], message: "the same agent as the buyer" }
    },
  ),
  rule(
    {
      code: "no-confirmer",
      severity: "warn",
      what: "No human's confirmation is needed: the buyer's own wallet confirms the funding.",
      fix: "Name the confirmation service's or the person's key in `buyer.confirmer`.",
    },
    ["buyer"],
    function* ({ buyer }) {
      if (buyer.confirmer === undefined || same(buyer.confirmer, buyer.wallet))
        yield { path: ["buyer", "confirmer"], message: "the buyer's wallet is the confirmer" }
    },
  ),
  rule(
    {
      code: "mediator-conflict",
      severity: "reject",
      what: "The mediator is linked to a party: same operator, funding cluster, or an earlier payment (AFG §10).",
      fix: "Take the next mediator in the drawn order.",
    },
    ["buyer", "provider", "mediator"],
    function* ({ buyer, provider, mediator }, { conflictReport }): Iterable<Problem> {
      const ids = [buyer.agent_id, buyer.operator_id, provider.agent_id, provider.operator_id]
      const findings = conflictReport === undefined ? [] : findingsOf(conflictReport)
      if (ids.includes(mediator.mediator_id))
        yield { path: ["mediator", "mediator_id"], message: "the mediator is a party or its operator" }
      else if (typeof findings !== "string" && findings.length > 0)
        yield { path: ["mediator"], message: `the conflict report has ${findings.length} finding(s): ${kindsOf(findings)}` }
    },
  ),
  rule(CONFLICT_REPORT_MISSING, ["mediator"], function* ({ mediator }, { conflictReport }): Iterable<Problem> {
    if (conflictReport === undefined) return
    const path = ["mediator", "conflict_check_ref"]
    const findings = findingsOf(conflictReport)
    if (typeof findings === "string") yield { path, message: findings }
    // With findings the mediator is out whichever report it is.
    else if (findings.length === 0 && sha256Hex(conflictReport) !== mediator.conflict_check_ref)
      yield { path, message: "the report given has another sha256" }
  }),
  rule(
    {
      code: "panel-size-invalid",
      severity: "reject",
      what: "The panel has an even number of seats, fewer than 3, or more than 255.",
      fix: "Choose 3, 5, 7, …",
    },
    ["appeal"],
    function* ({ appeal }) {
      if (!isPanelSize(appeal.panel_size)) yield { path: ["appeal", "panel_size"], message: `${appeal.panel_size} seats` }
    },
  ),
  rule(
    {
      code: "panel-providers-not-distinct",
      severity: "reject",
      what: "The panel has fewer distinct model providers than seats (AFG §10), or asks for another number of them than v0 does.",
      fix: "Set distinct_model_providers to panel_size, and take a roster with that many providers besides the job's own people.",
    },
    ["appeal", "buyer", "provider", "verifier", "mediator"],
    function* (contract, context): Iterable<Problem> {
      const { panel_size: size, distinct_model_providers: distinct } = contract.appeal
      if (!isPanelSize(size)) return
      if (distinct !== size) yield { path: ["appeal", "distinct_model_providers"], message: `${distinct} providers for ${size} seats` }
      else {
        const involved = keysOf(contract)
        const eligible = rosterOf(contract, context)?.filter(({ wallet }) => !involved.some(({ key }) => same(key, wallet)))
        const providers = new Set(eligible?.map(({ model_provider }) => model_provider))
        if (eligible !== undefined && providers.size < size)
          yield { path: ["appeal", "roster"], message: `the roster can seat ${providers.size} distinct providers, ${size} are needed` }
      }
    },
  ),
  rule(
    {
      code: "sealed-not-deposited",
      severity: "reject",
      what: "A sealed input cannot be, or was not, deposited with everyone who may have to run it.",
      fix: "Give verifier, fallback, mediator and every panelist an encryption_key, and deposit the input before funding.",
    },
    ["inputs", "verifier", "mediator", "appeal"],
    function* (contract, context): Iterable<Problem> {
      if (!contract.inputs.some(({ sealed }) => sealed === true)) return
      const message = "a sealed input needs an encryption_key here"
      if (contract.verifier.encryption_key === undefined) yield { path: ["verifier", "encryption_key"], message }
      if (contract.verifier.fallback.encryption_key === undefined) yield { path: ["verifier", "fallback", "encryption_key"], message }
      if (contract.mediator.encryption_key === undefined) yield { path: ["mediator", "encryption_key"], message }
      const without = rosterOf(contract, context)?.filter(({ encryption_key }) => encryption_key === undefined).length ?? 0
      if (without > 0) yield { path: ["appeal", "roster"], message: `${without} panelist(s) have no encryption_key for the sealed inputs` }
    },
  ),
]

const kindsOf = (findings: unknown[]): string => findings.map((finding) => (isKind(finding) ? finding.kind : "unnamed")).join(", ")

const isKind = (finding: unknown): finding is { kind: string } =>
  typeof finding === "object" && finding !== null && typeof (finding as { kind?: unknown }).kind === "string"
