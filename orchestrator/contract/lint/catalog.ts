/** Every code that the linter can give besides the strict reader's `json-…`, for documentation and for other tables. */
import { CHAIN_RULES } from "./chain/rules.ts"
import type { RuleText } from "./rule.ts"
import { FORM_RULES } from "./rules/form.ts"
import { RULES } from "./rules/index.ts"

export type CatalogEntry = RuleText & {
  /** Found from the contract alone, on the chain, or either way. */
  readonly found: "contract" | "chain" | "both"
}

const byCode = (): CatalogEntry[] => {
  const entries = new Map<string, CatalogEntry>()
  for (const { code, severity, what, fix } of [...FORM_RULES, ...RULES]) entries.set(code, { code, severity, what, fix, found: "contract" })
  for (const { code, severity, what, fix } of CHAIN_RULES)
    entries.set(code, { code, severity, what, fix, found: entries.has(code) ? "both" : "chain" })
  return [...entries.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
}

export const LINT_CATALOG: readonly CatalogEntry[] = byCode()
