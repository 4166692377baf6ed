/** `hash_match`: an artifact or a set of files has exactly this hash. */
import { z } from "zod"
import { sha256 } from "../primitives.ts"
import { artifact, commonShape } from "./common.ts"

export const hashMatch = z.strictObject({
  ...commonShape,
  type: z.literal("hash_match"),
  artifact,
  algorithm: z.literal("sha256"),
  expected: sha256,
})
