/** AFG §5: what the buyer pins, and what the provider delivers. */
import { z } from "zod"
import { inputName, sha256, uri } from "./primitives.ts"

/** The deliverable's place among the inputs; no input may take it. */
export const DELIVERABLE_NAME = "deliverable"

export const input = z.strictObject({
  name: inputName.refine((name) => name !== DELIVERABLE_NAME, "the name `deliverable` is the deliverable's"),
  uri,
  sha256,
  sealed: z.boolean().optional().meta({ description: "Committed by hash now, revealed to the verifier only" }),
})

export const inputs = z
  .array(input)
  .max(256)
  .superRefine((list, context) => {
    const seen = new Set<string>()
    for (const [index, { name }] of list.entries()) {
      if (seen.has(name)) context.addIssue({ code: "custom", path: [index, "name"], message: `two inputs are named ${name}` })
      seen.add(name)
    }
  })
  .meta({ description: "Buyer-pinned, hashed before funding" })

export const DELIVERABLE_TYPES = ["git_patch", "x12_file", "dataset", "document", "artifact"] as const
export type DeliverableType = (typeof DELIVERABLE_TYPES)[number]

export const deliverable = z
  .strictObject({
    type: z.enum(DELIVERABLE_TYPES),
    format: z.string().min(1).max(200),
    max_size_bytes: z.int().min(1).max(1_099_511_627_776),
    delivery: z.literal("content-addressed uri").optional(),
    phi: z.boolean().meta({ description: "true: no artifact or log leaves the place where the data may be (AFG §7.3)" }),
  })
  .meta({ description: "What the provider hands over, as uri and sha256" })
