/**
 * Codes with which a check ends as `error`: the verifier's or an input's fault, never the deliverable's. They are in the evidence
 * (AFG §8.3), where the verdict of such a check is INCONCLUSIVE.
 */
import type { ErrorTable } from "../../errors.ts"

export const ERRORS = {
  "check-unavailable": {
    status: 422,
    what: "This verifier cannot run a check of this type.",
    recovery: "Name a verifier that runs it; `speccheck` tells before anything is funded.",
  },
  "input-unknown": {
    status: 422,
    what: "A check names an input, or a hash of one, that the contract does not have.",
    recovery: "Lint the contract: inputs and checks must agree.",
  },
  "input-missing": {
    status: 409,
    what: "The bytes of an input cannot be had, or a sealed input was not revealed.",
    recovery: "Upload the input, or give it with --inputs or --reveal; then run again.",
  },
  "input-hash-mismatch": {
    status: 422,
    what: "The bytes at hand are not those that the contract pins.",
    recovery: "Give the bytes that were there when the contract was written.",
  },
  "input-not-folder": { status: 422, what: "An input is a file where a check needs a folder.", recovery: "Pin the folder's tree hash." },
  "artifact-missing": {
    status: 422,
    what: "No file of the deliverable matches the artifact that a check names.",
    recovery: "Correct the check's `artifact`, or deliver a file of that name.",
  },
  "tree-unknown": {
    status: 422,
    what: "A patch is to be hashed, and no check says for which repository and commit it is.",
    recovery: "Add a check with `repo` and `base_commit`, or hash the deliverable itself.",
  },
  "base-run-failed": {
    status: 422,
    what: "The test suite did not run to its end before the patch.",
    recovery: "The suite, its limits or the image need repair: nothing can be said of any patch.",
  },
  "target-unknown": {
    status: 422,
    what: "A target test is not in the suite.",
    recovery: "Name tests as the suite reports them, `path::name`.",
  },
  "target-not-failing": {
    status: 422,
    what: "A target test passes before the patch, so that it shows nothing.",
    recovery: "Choose a test that fails at the base commit.",
  },
  "test-unknown": {
    status: 422,
    what: "A test that the check names is not in the suite.",
    recovery: "Name tests as the suite reports them, `path::name`.",
  },
  "suite-empty": {
    status: 422,
    what: "No test was found in the suite.",
    recovery: "Correct the pinned folder or the pattern of its files.",
  },
  "suite-unusable": {
    status: 422,
    what: "The pinned suite is no Python, or changes the test runner itself, so that its report could not be trusted.",
    recovery: "Pin a suite that leaves pytest's hooks and the process alone.",
  },
  "driver-failed": {
    status: 502,
    what: "The program that runs the tests in the container ended without an answer.",
    recovery: "Ours, not the deliverable's: run again; `afg doctor` tells whether containers work.",
  },
} as const satisfies ErrorTable
