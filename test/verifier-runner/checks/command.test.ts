/** Which test commands are run, and what of them. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { exampleContract } from "../../../orchestrator/contract/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import { readTestCommand } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/command.ts"
import { unsupportedChecks } from "../../../orchestrator/verifier-runner/index.ts"
import { tiny } from "../support/tiny.ts"

describe("test commands", () => {
  const taken: readonly [string, { options: string[]; paths: string[] }][] = [
    ["pytest", { options: [], paths: [] }],
    ["pytest -q --junitxml=out.xml", { options: ["-q"], paths: [] }],
    ["python3 -m pytest -x --maxfail=1 --junitxml out.xml tests", { options: [], paths: ["tests"] }],
    ["pytest --tb short -W error -p no:cacheprovider ./tests/unit/", { options: ["--tb", "short", "-W", "error"], paths: ["tests/unit"] }],
    ["pytest -rA --import-mode=importlib .", { options: ["-rA", "--import-mode=importlib"], paths: [] }],
  ]
  for (const [command, expected] of taken) it(`takes ${command}`, () => assert.deepEqual(readTestCommand(command), expected))

  const refused = [
    "make test",
    "sh -c pytest",
    "pytest -k fast",
    "pytest -m 'not slow'",
    "pytest --deselect tests/test_a.py",
    "pytest --ignore=tests",
    "pytest -p myplugin",
    "pytest -c other.ini",
    "pytest --rootdir=/",
    "pytest -o addopts=",
    "pytest -n 4",
    "pytest --collect-only",
    "pytest --lf",
    "pytest /etc",
    "pytest ../x",
    "pytest --tb",
  ]
  for (const command of refused)
    it(`refuses ${command}`, () => assert.throws(() => readTestCommand(command), { code: "test-command-unsupported" }))

  it("says before funding what it cannot run", async () => {
    const { contract } = await tiny({ check: { test_command: "tox" } })
    assert.deepEqual(
      unsupportedChecks(contract).map(({ code, path }) => [code, path]),
      [["test-command-unsupported", "/acceptance/checks/0/test_command"]],
    )
    const claims = exampleContract("claim-file", { addressOf: (role) => localAccount(role).address })
    assert.deepEqual(
      unsupportedChecks(claims).map(({ code, path }) => [code, path]),
      [
        ["check-unavailable", "/acceptance/checks/0/type"],
        ["check-unavailable", "/acceptance/checks/1/type"],
      ],
    )
  })
})
