/** Worked example A for real: 212 tests and a hidden suite of 18, in containers. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { type Contract, exampleContract } from "../../../orchestrator/contract/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import { readFolder, runVerification, sha256Of, verifyBundle } from "../../../orchestrator/verifier-runner/index.ts"
import { buildCodeFix, codeFixFixture, codeFixWork } from "../../../scripts/fixtures/code-fix.ts"
import { containers } from "../support/engine.ts"
import { signerOf } from "../support/plain.ts"
import { resultOf } from "../support/tiny.ts"

const found = await containers()
const fixture = await (async () => {
  try {
    return codeFixFixture()
  } catch {
    return buildCodeFix()
  }
})()

const contractFor = (image: string): Contract => {
  const example = exampleContract("code-fix", { addressOf: (role) => localAccount(role).address, runner_image: image })
  const work = codeFixWork(fixture, image)
  const pinned: Record<string, string> = { "repo@base": work.repo.sha256, tests: work.tests.sha256, hidden_tests: work.hidden_tests.sha256 }
  const [suite, match] = example.acceptance.checks
  if (suite?.type !== "test_suite_pass" || match?.type !== "hash_match") throw new Error("example A has these two checks")
  return {
    ...example,
    inputs: example.inputs.map((input) => ({ ...input, sha256: (pinned[input.name] ?? input.sha256) as typeof input.sha256 })),
    acceptance: {
      combine: "all",
      checks: [
        { ...suite, base_commit: work.base_commit, test_suite_sha256: work.tests.sha256, hidden_suite_sha256: work.hidden_tests.sha256 },
        { ...match, expected: work.tests.sha256 },
      ],
    },
  }
}

describe("worked example A", { skip: found === null && "there is no container engine" }, () => {
  if (found === null) return
  const { engine, image } = found
  after(() => engine.close())
  const contract = contractFor(image.runner_image)
  const verify = (deliverable: Uint8Array) =>
    runVerification({
      contract,
      submission: { n: 1, deliverable, sha256: sha256Of(deliverable), submittedAt: 1_790_000_000 },
      resolveInput: async (name) => (name === "repo@base" ? readFile(fixture.repo) : readFolder(fixture.tests)),
      reveal: async () => readFolder(fixture.hidden_tests),
      signer: signerOf("verifier"),
      engine,
      clock: () => 1_790_000_100,
    })

  it("the fix passes 212 and 18 tests, and the evidence says so and verifies", async () => {
    const verification = await verify(await readFile(fixture.patch))
    assert.equal(verification.verdict, "PASS", JSON.stringify(verification.bundle.check_results))
    const { summary, input_hashes, output_hashes, log_sha256 } = resultOf(verification, "c1")
    assert.deepEqual([summary.passed, summary.failed, summary.skipped], [212, 0, 0])
    assert.deepEqual(summary.hidden, { passed: 18, failed: 0, skipped: 0 })
    assert.deepEqual(summary.targets, [{ id: "tests/test_round.py::test_round_half_even", before: "failed", after: "passed" }])
    assert.equal(input_hashes.hidden_tests, fixture.hidden_tests_sha256)
    assert.ok(output_hashes.junit_xml && log_sha256)
    const blobs = new Map(verification.blobs.map(({ sha256, bytes }) => [sha256, bytes]))
    const junit = Buffer.from(blobs.get(output_hashes.junit_xml) ?? []).toString()
    assert.equal(junit.match(/<testcase /g)?.length, 212)
    const report = await verifyBundle({ bundle: verification.bundleBytes, blobs }, { contract: Buffer.from(JSON.stringify(contract)) })
    assert.deepEqual([report.valid, report.problems], [true, []])
    const open = verification.blobs.filter(({ sealed }) => !sealed)
    assert.ok(
      open.every(({ bytes }) => !Buffer.from(bytes).includes("test_ties")),
      "a hidden test is named in an open blob",
    )
    assert.ok(!Buffer.from(verification.bundleBytes).includes("test_ties"), "a hidden test is named in the bundle")
  })

  it("twice the same result, and so every digest but those of times and logs", async () => {
    const [first, second] = [await verify(await readFile(fixture.patch)), await verify(await readFile(fixture.patch))]
    for (const id of ["c1", "c2"]) assert.equal(resultOf(first, id).result_sha256, resultOf(second, id).result_sha256)
    assert.deepEqual(resultOf(first, "c1").output_hashes, resultOf(second, "c1").output_hashes)
  })

  const BAD: readonly [name: string, code: string][] = [
    ["bad-edits-tests", "forbidden_path"],
    ["bad-conftest", "forbidden_path"],
    ["bad-exit", "process_died"],
    ["bad-runner", "runner_changed"],
    ["bad-breaks-others", "tests_failed"],
  ]
  for (const [name, code] of BAD)
    it(`${name} fails: ${code}`, async () => {
      const verification = await verify(await readFile(join(fixture.patches, `${name}.diff`)))
      assert.equal(verification.verdict, "FAIL")
      assert.equal(resultOf(verification, "c1").summary.code, code)
    })

  it("a hack that fits the visible tests fails on the hidden ones", async () => {
    const verification = await verify(await readFile(join(fixture.patches, "bad-hack.diff")))
    assert.equal(verification.verdict, "FAIL")
    const { summary } = resultOf(verification, "c1")
    assert.deepEqual([summary.code, summary.passed, summary.failed_tests], ["tests_failed", 212, undefined])
    assert.equal((summary.hidden as { failed: number }).failed, 13)
  })
})
