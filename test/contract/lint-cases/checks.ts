/** Form, class and references of checks. */
import { audit, type Case, c1, image, snip } from "./parts.ts"

export const checksCases: readonly Case[] = [
  { what: "an unknown member", code: "schema", path: "/extra", changes: { "/extra": 1 } },
  {
    what: "a deterministic rubric",
    base: "schema",
    code: "check-class-wrong",
    path: "/acceptance/checks/0/class",
    changes: { "/acceptance/checks/0/class": "judgment", "/price/amount": "5.00" },
  },
  { what: "a check without class", code: "check-class-wrong", path: `${c1}/class`, changes: { [`${c1}/class`]: undefined } },
  {
    what: "an image by tag",
    code: "runner-image-unpinned",
    path: `${c1}/runner_image`,
    changes: { [`${c1}/runner_image`]: "python:3.12" },
  },
  {
    what: "an image by a short digest",
    code: "runner-image-unpinned",
    path: `${c1}/runner_image`,
    changes: { [`${c1}/runner_image`]: "sha256:py312" },
  },
  {
    what: "an abbreviated commit",
    code: "base-commit-abbreviated",
    path: `${c1}/base_commit`,
    changes: { [`${c1}/base_commit`]: "9f3c1e2" },
  },
  { what: "a network", code: "network-not-false", path: `${c1}/network`, changes: { [`${c1}/network`]: true } },
  { what: "a network not mentioned", code: "network-not-false", path: `${c1}/network`, changes: { [`${c1}/network`]: undefined } },
  {
    what: "a pinned sample script with a network",
    base: "schema",
    code: "network-not-false",
    path: "/acceptance/checks/1/network",
    changes: {
      "/acceptance/checks/-": {
        ...(audit as object),
        class: "deterministic",
        rule: "script",
        script: "record_schema",
        runner_image: image,
        network: true,
      },
    },
  },

  { what: "an unknown repository", code: "check-input-unknown", path: `${c1}/repo`, changes: { [`${c1}/repo`]: "repo@head" } },
  {
    what: "a suite that is no input",
    code: "check-input-unknown",
    path: `${c1}/test_suite_sha256`,
    changes: { [`${c1}/test_suite_sha256`]: "0".repeat(64) },
  },
  {
    what: "a hidden suite that is no input",
    code: "check-input-unknown",
    path: `${c1}/hidden_suite_sha256`,
    changes: { [`${c1}/hidden_suite_sha256`]: "0".repeat(64) },
  },
  {
    what: "a hidden suite that is not sealed",
    code: "check-input-unknown",
    path: `${c1}/hidden_suite_sha256`,
    changes: { "/inputs/2/sealed": false },
  },
  {
    what: "a script that is no input",
    base: "claim-file",
    code: "check-input-unknown",
    path: "/acceptance/checks/1/command",
    changes: { "/acceptance/checks/1/command": "sh -c true" },
  },
  {
    what: "a baseline that is no input",
    base: "claim-file",
    code: "check-input-unknown",
    path: "/acceptance/checks/0/baseline",
    changes: { "/acceptance/checks/0/baseline": "before" },
  },
  {
    what: "a schema that is no input",
    base: "schema",
    code: "check-input-unknown",
    path: "/acceptance/checks/0/schema",
    changes: { "/acceptance/checks/0/schema": "other" },
  },
  {
    what: "a patch test on a data set",
    code: "check-deliverable-mismatch",
    path: `${c1}/type`,
    changes: { "/deliverable/type": "dataset" },
  },
  {
    what: "a SNIP check of a patch",
    code: "check-deliverable-mismatch",
    path: "/acceptance/checks/2/type",
    changes: { "/acceptance/checks/-": { ...(snip as object), baseline: "tests" } },
  },
  {
    what: "an unknown validator",
    base: "claim-file",
    code: "validator-unavailable",
    path: "/acceptance/checks/0/validator",
    changes: { "/acceptance/checks/0/validator": "hipaa-studio" },
  },
  {
    what: "an unknown version",
    base: "claim-file",
    code: "validator-unavailable",
    path: "/acceptance/checks/0/validator_version",
    changes: { "/acceptance/checks/0/validator_version": "pinned-x.y.z" },
  },
]
