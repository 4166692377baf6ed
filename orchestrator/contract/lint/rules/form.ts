/** Faults that the reader and the schema find while they read. Their rules have words here and no function. */
import type { RuleText } from "../rule.ts"

export const FORM_RULES: readonly RuleText[] = [
  {
    code: "schema",
    severity: "reject",
    what: "A member is missing, unknown, or of the wrong form.",
    fix: "Compare the member at `path` with `afg contract template`.",
  },
  {
    code: "input-unhashed",
    severity: "reject",
    what: "An input is not pinned by a sha256 (AFG §10).",
    fix: "Give 64 lower-case hex digits over the input's bytes, or over its files for a folder.",
  },
  {
    code: "runner-image-unpinned",
    severity: "reject",
    what: "A check's runner image is a name or a tag, not a digest (AFG §7.1).",
    fix: "Name the OCI config digest, sha256:…, as `afg images list` shows it.",
  },
  {
    code: "base-commit-abbreviated",
    severity: "reject",
    what: "A commit id is abbreviated, so it can come to mean two commits.",
    fix: "Write all 40 digits.",
  },
]
