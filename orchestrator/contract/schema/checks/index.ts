/** AFG §6: the check types of v0. */
import { z } from "zod"
import { hashMatch } from "./hash-match.ts"
import { llmRubric } from "./llm-rubric.ts"
import { sampleAudit } from "./sample-audit.ts"
import { schemaValid } from "./schema-valid.ts"
import { scriptCheck } from "./script-check.ts"
import { snipValidation } from "./snip-validation.ts"
import { testSuitePass } from "./test-suite-pass.ts"

export const check = z.discriminatedUnion("type", [
  testSuitePass,
  hashMatch,
  scriptCheck,
  snipValidation,
  schemaValid,
  sampleAudit,
  llmRubric,
])

export type Check = z.infer<typeof check>
export type CheckType = Check["type"]
/** The check of one type, for example `CheckOf<"script_check">`. */
export type CheckOf<T extends CheckType> = Extract<Check, { type: T }>

export const acceptance = z
  .strictObject({
    combine: z.literal("all"),
    checks: z
      .array(check)
      .min(1)
      .max(64)
      .superRefine((checks, context) => {
        const seen = new Set<string>()
        for (const [index, { check_id }] of checks.entries()) {
          if (seen.has(check_id))
            context.addIssue({ code: "custom", path: [index, "check_id"], message: `two checks are named ${check_id}` })
          seen.add(check_id)
        }
      }),
  })
  .meta({ description: "Every check must pass" })
