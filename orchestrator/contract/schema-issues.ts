/** Turns what Zod reports into our findings: one path, one code, the specific one before `schema`. */
import type { z } from "zod"
import { type PathSegment, toPointer } from "../json/index.ts"

/** A fault of form. `code` is `schema`, or the specific code of the member. */
export type SchemaIssue = { code: string; path: string; message: string }

/** Members whose malformed or missing value has a code of its own. `*` stands for one segment. */
const SPECIFIC: readonly [pattern: string, code: string][] = [
  ["inputs/*/sha256", "input-unhashed"],
  ["escrow/upgradeable", "escrow-upgradeable"],
  ["escrow/audit_ref", "audit-missing"],
  ["acceptance/checks/*/class", "check-class-wrong"],
  ["acceptance/checks/*/runner_image", "runner-image-unpinned"],
  ["acceptance/checks/*/base_commit", "base-commit-abbreviated"],
  ["acceptance/checks/*/network", "network-not-false"],
  ["appeal/panel_size", "panel-size-invalid"],
  ["price/amount", "amount-format"],
  ["*/fee/amount", "amount-format"],
  ["bonds/*/amount", "amount-format"],
]

const specificCode = (path: readonly PathSegment[]): string => {
  const fits = (pattern: string): boolean => {
    const parts = pattern.split("/")
    return parts.length === path.length && parts.every((part, index) => part === "*" || part === String(path[index]))
  }
  return SPECIFIC.find(([pattern]) => fits(pattern))?.[1] ?? "schema"
}

/** Every issue as a finding; an unknown member is reported at its own path. */
export const schemaIssues = (error: z.ZodError, prefix: readonly PathSegment[] = []): SchemaIssue[] => {
  const found: SchemaIssue[] = []
  for (const issue of error.issues) {
    const path = [...prefix, ...issue.path.filter((segment) => typeof segment !== "symbol")]
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys)
        found.push({ code: "schema", path: toPointer([...path, key]), message: `unknown member ${JSON.stringify(key)}` })
    } else found.push({ code: specificCode(path), path: toPointer(path), message: issue.message })
  }
  return oneFaultOneCode(found)
}

/** A member that has the wrong type can break several rules at once; the first says it. */
const oneFaultOneCode = (issues: SchemaIssue[]): SchemaIssue[] => {
  const seen = new Set<string>()
  return issues.filter(({ path }) => !seen.has(path) && seen.add(path))
}
