/**
 * `sample_audit`: a rule holds on a random sample whose seed is in the evidence.
 *
 * Deterministic when the rule is a pinned script (`rule: "script"` with `script`, `runner_image` and `network: false`); judgment otherwise.
 */
import { z } from "zod"
import { artifact, commonShape, inputName, network, runnerImage, timeout } from "./common.ts"

export const sampleAudit = z.strictObject({
  ...commonShape,
  type: z.literal("sample_audit"),
  population: artifact,
  sample_size: z.int().min(1),
  rule: z.enum(["script", "rubric"]),
  max_failures: z.int().min(0),
  script: inputName.optional(),
  runner_image: runnerImage.optional(),
  network: network.optional(),
  timeout_s: timeout.optional(),
  rubric: inputName.optional(),
  model: z.string().min(1).max(200).optional(),
})
