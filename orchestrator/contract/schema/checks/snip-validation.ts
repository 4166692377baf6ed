/** `snip_validation`: a claim file passes WEDI SNIP levels under a pinned validator (AFG example B). */
import { z } from "zod"
import { commonShape, inputName } from "./common.ts"

export const SNIP_LEVELS = [1, 2, 3, 4] as const

export const snipValidation = z.strictObject({
  ...commonShape,
  type: z.literal("snip_validation"),
  levels: z
    .array(z.literal([...SNIP_LEVELS]))
    .min(1)
    .refine((levels) => new Set(levels).size === levels.length, "each level once"),
  transaction_set: z.string().min(1).max(16),
  implementation_guide: z.string().min(1).max(32),
  validator: z.string().min(1).max(64),
  validator_version: z.string().min(1).max(64),
  max_errors: z.int().min(0),
  allowed_warning_codes: z.array(z.string().min(1).max(64)).max(1_000),
  baseline: inputName.optional().meta({ description: "The file before, for the summary's counts" }),
})
