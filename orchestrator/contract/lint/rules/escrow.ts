/** Rules about the rail and what is signed for it. */
import { isAfgError } from "../../../errors.ts"
import { fromPointer } from "../../../json/index.ts"
import type { Contract } from "../../schema/contract.ts"
import { termsOf } from "../../terms.ts"
import { type Problem, type Rule, rule } from "../rule.ts"

export const ESCROW_UPGRADEABLE = {
  code: "escrow-upgradeable",
  severity: "reject",
  what: "The escrow can be replaced by other code (AFG §10).",
  fix: "Use a rail without proxy, beacon or upgrade role, and say `upgradeable: false`.",
} as const

const AUDIT_MISSING = {
  code: "audit-missing",
  severity: "reject",
  what: "There is no reference to an audit of the rail's code.",
  fix: "Add `escrow.audit_ref` with uri and sha256; our own escrow needs none where its code can be read (--rpc).",
} as const

export const EXPIRY_NOT_ON_RAIL = {
  code: "expiry-not-on-rail",
  severity: "warn",
  what: "The rail does not enforce the contract's expiry itself, or has another one.",
  fix: "Create the rail's job with the contract's expiry; where a rail never refunds by itself, the resolver's refund is the only way out.",
} as const

/** Members that Terms are derived from: all that the chain enforces. */
const ALL = [
  "buyer",
  "provider",
  "price",
  "escrow",
  "deadline",
  "windows",
  "verifier",
  "mediator",
  "appeal",
  "bonds",
  "fees",
] as const satisfies readonly (keyof Contract)[]

const REST = ["spec_version", "job_id", "created_at", "inputs", "deliverable", "acceptance"] as const satisfies readonly (keyof Contract)[]

export const ESCROW_RULES: readonly Rule[] = [
  rule(ESCROW_UPGRADEABLE, ["escrow"], function* ({ escrow }) {
    if (escrow.upgradeable) yield { path: ["escrow", "upgradeable"], message: "v0 takes no upgradeable escrow" }
  }),
  rule(AUDIT_MISSING, ["escrow"], function* ({ escrow }, { escrowIsOurs }) {
    if (escrow.audit_ref === undefined && escrowIsOurs !== true)
      yield { path: ["escrow", "audit_ref"], message: "no audit is named, and the code is not known to be our escrow's" }
  }),
  rule(
    {
      code: "terms-underivable",
      severity: "reject",
      what: "The Terms that everyone signs do not follow from the contract.",
      fix: "Correct the rail's reference or salt, use one known asset, and give a roster that its sha256 pins.",
    },
    [...ALL, ...REST],
    function* (contract, { roster }): Iterable<Problem> {
      try {
        termsOf(contract, { roster })
      } catch (error) {
        // `amount-format` and `panel-size-invalid` report what is theirs.
        if (!isAfgError(error) || error.code !== "terms-underivable" || error.path === "/appeal/panel_size") return
        yield { path: fromPointer(error.path ?? ""), message: error.message }
      }
    },
  ),
  rule(EXPIRY_NOT_ON_RAIL, ["escrow"], function* ({ escrow }) {
    if (escrow.rail === "virtuals_acp")
      yield { path: ["escrow", "expiry"], message: "ACP refunds nobody once a job is in evaluation; the resolver has to" }
  }),
]
