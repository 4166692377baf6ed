/** `test_suite_pass`: the pinned suite passes on the base commit with the deliverable applied (AFG §6, example A). */
import { z } from "zod"
import { commitId, sha256 } from "../primitives.ts"
import { command, commonShape, globs, inputName, network, runnerImage, timeout } from "./common.ts"

const testId = z.string().min(1).max(1_024)

export const testSuitePass = z.strictObject({
  ...commonShape,
  type: z.literal("test_suite_pass"),
  repo: inputName.meta({ description: "The input that is the repository, as a git bundle" }),
  base_commit: commitId,
  runner_image: runnerImage,
  test_command: command,
  test_suite_sha256: sha256,
  must_pass: z.union([z.literal("all"), z.array(testId).min(1).max(100_000)]),
  target_tests: z.array(testId).max(10_000).optional().meta({ description: "Fail before, pass after" }),
  hidden_suite_sha256: sha256.optional(),
  forbid_modified_paths: globs.optional(),
  network,
  timeout_s: timeout,
  flake_reruns: z.int().min(0).max(10).optional(),
})
