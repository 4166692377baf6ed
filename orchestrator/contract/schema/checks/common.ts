/** What every check has (AFG §6), and what checks that run a container share. */
import { z } from "zod"
import { imageDigest, inputName, seconds } from "../primitives.ts"

export const CHECK_CLASSES = ["deterministic", "judgment"] as const
export type CheckClass = (typeof CHECK_CLASSES)[number]

/** What a check hands into the evidence bundle besides its result; `hash` is the default. */
const emit = z
  .array(z.strictObject({ path: z.string().min(1).max(1_024), as: z.enum(["hash", "raw"]) }))
  .max(64)
  .optional()

export const commonShape = {
  check_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "letters, digits and _ . -, at most 64"),
  class: z.enum(CHECK_CLASSES),
  emit,
}

export const command = z.string().min(1).max(4_096)
export const network = z.boolean().meta({ description: "Must be false: nothing outside the pinned inputs decides" })
export const runnerImage = imageDigest
export const timeout = seconds.max(86_400)
export const globs = z.array(z.string().min(1).max(1_024)).max(256)
export const artifact = z
  .string()
  .min(1)
  .max(1_024)
  .meta({ description: "`deliverable`, an input's name, or a glob in the resulting tree" })
export { inputName }
