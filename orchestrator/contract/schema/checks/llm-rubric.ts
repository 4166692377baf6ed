/** `llm_rubric`: models vote on a pinned rubric. A last resort, always warned (AFG §2). */
import { z } from "zod"
import { commonShape, inputName } from "./common.ts"

export const llmRubric = z.strictObject({
  ...commonShape,
  type: z.literal("llm_rubric"),
  rubric: inputName,
  model: z.string().min(1).max(200),
  votes: z
    .int()
    .min(1)
    .max(99)
    .refine((votes) => votes % 2 === 1, "an odd number of votes"),
  pass_threshold: z.number().gt(0).max(1).meta({ description: "The share of votes that passes" }),
  temperature: z.literal(0),
})
