/** `script_check`: a pinned script ends with the expected exit code (AFG example B). */
import { z } from "zod"
import { command, commonShape, network, runnerImage, timeout } from "./common.ts"

export const scriptCheck = z.strictObject({
  ...commonShape,
  type: z.literal("script_check"),
  runner_image: runnerImage,
  command: command.meta({ description: "POSIX words, no shell; the first names the pinned script" }),
  network,
  expect_exit: z.int().min(0).max(255),
  timeout_s: timeout.optional(),
})
