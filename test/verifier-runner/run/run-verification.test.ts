/** From checks to a verdict: precedence, retries, what is judged unseen, who may sign. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { asContract, type Contract } from "../../../orchestrator/contract/index.ts"
import { hashFiles, runVerification, sha256Of } from "../../../orchestrator/verifier-runner/index.ts"
import { overallVerdict } from "../../../orchestrator/verifier-runner/run/run-check.ts"
import { addFile } from "../support/diff.ts"
import { DELIVERABLE, goneEngine, plainContract, signerOf, verifyPlain } from "../support/plain.ts"
import { calc, FIXED, file, resultOf, tiny, verifyTiny } from "../support/tiny.ts"

type Checks = Contract["acceptance"]["checks"]
const match = (check_id: string, expected: string): Checks[number] =>
  asContract({
    ...plainContract(),
    acceptance: {
      combine: "all",
      checks: [{ check_id, type: "hash_match", class: "deterministic", artifact: "deliverable", algorithm: "sha256", expected }],
    },
  }).acceptance.checks[0] as Checks[number]
const GOOD = match("good", sha256Of(DELIVERABLE))
const BAD = match("bad", "0".repeat(64))
const UNKNOWN: Checks[number] = {
  check_id: "rubric",
  type: "llm_rubric",
  class: "judgment",
  rubric: "r",
  model: "m",
  votes: 1,
  pass_threshold: 1,
  temperature: 0,
}

describe("the verdict", () => {
  const cases: readonly [readonly ("pass" | "fail" | "error")[], string][] = [
    [["pass", "pass"], "PASS"],
    [["pass", "fail"], "FAIL"],
    [["error", "fail"], "FAIL"],
    [["pass", "error"], "INCONCLUSIVE"],
    [["error"], "INCONCLUSIVE"],
    [[], "INCONCLUSIVE"],
  ]
  for (const [statuses, verdict] of cases)
    it(`${statuses.join(", ") || "no check"}: ${verdict}`, () => assert.equal(overallVerdict(statuses), verdict))

  it("is INCONCLUSIVE with a check that this verifier does not have, never PASS", async () => {
    const verification = await verifyPlain({ contract: plainContract([GOOD, UNKNOWN]) })
    assert.equal(verification.verdict, "INCONCLUSIVE")
    const rubric = resultOf(verification, "rubric")
    assert.equal(rubric.status, "error")
    assert.equal(rubric.summary.code, "check-unavailable")
  })

  it("is FAIL when one check fails and another cannot be run", async () => {
    assert.equal((await verifyPlain({ contract: plainContract([UNKNOWN, BAD]) })).verdict, "FAIL")
  })
})

describe("errors", () => {
  it("of the engine are tried three times, then are errors, not failures", async () => {
    const world = await tiny()
    const engine = goneEngine()
    const verification = await verifyTiny(world, calc(FIXED), engine)
    assert.equal(engine.asked(), 3)
    assert.equal(verification.verdict, "INCONCLUSIVE")
    const { status, summary } = resultOf(verification, "c1")
    assert.deepEqual([status, summary.code, summary.attempts], ["error", "engine-unreachable", 3])
    assert.equal(resultOf(verification, "c2").status, "pass")
  })

  it("that another run would have too are not tried again", async () => {
    const world = await tiny({ check: { test_command: "make test" } })
    const engine = goneEngine()
    const { summary } = resultOf(await verifyTiny(world, calc(FIXED), engine), "c1")
    assert.equal(summary.code, "test-command-unsupported")
    assert.equal(engine.asked(), 0)
  })

  it("are thrown on when the run was called off", async () => {
    await assert.rejects(verifyTiny(await tiny(), calc(FIXED), goneEngine("run-aborted")), { code: "run-aborted" })
  })

  const withheld: readonly [string, Partial<Parameters<typeof runVerification>[0]>, string][] = [
    ["a repository that is not there", { resolveInput: async () => null }, "input-missing"],
    ["a repository that is another", { resolveInput: async () => Buffer.from("another") }, "input-hash-mismatch"],
    ["a sealed suite that nobody reveals", { reveal: undefined }, "input-missing"],
    ["a sealed suite that is another", { reveal: async () => [file("hidden/test_x.py", "x")] }, "input-hash-mismatch"],
  ]
  for (const [name, change, code] of withheld)
    it(`are what follows from ${name}`, async () => {
      const world = await tiny()
      const deliverable = Buffer.from(calc(FIXED))
      const verification = await runVerification({
        contract: world.contract,
        submission: { n: 1, deliverable, sha256: sha256Of(deliverable), submittedAt: 1 },
        resolveInput: async (input) => (input === "repo@base" ? world.bundle : null),
        reveal: async () => world.hidden,
        signer: null,
        engine: goneEngine(),
        clock: () => 1,
        ...change,
      })
      assert.equal(verification.verdict, "INCONCLUSIVE")
      assert.equal(resultOf(verification, "c1").summary.code, code)
    })

  it("are what follows from an unusable repository or commit", async () => {
    const world = await tiny({ check: { base_commit: "1".repeat(40) } })
    assert.equal(resultOf(await verifyTiny(world, calc(FIXED), goneEngine()), "c1").summary.code, "repo-unusable")
    const noBundle = { ...world, bundle: Buffer.from("# v2 git bundle\n") }
    const [repo, ...rest] = world.contract.inputs
    const contract = { ...world.contract, inputs: [{ ...repo, sha256: sha256Of(noBundle.bundle) } as typeof repo & object, ...rest] }
    assert.equal(resultOf(await verifyTiny(noBundle, calc(FIXED), goneEngine(), contract as Contract), "c1").summary.code, "repo-unusable")
  })
})

describe("a deliverable", () => {
  it("that puts a file where the hidden suite has a folder fails, and the suite's names are not told", async () => {
    const sealed = await tiny()
    for (const [patch, code] of [
      [calc(FIXED) + addFile("hidden", "x\n"), "forbidden_path"],
      [calc(FIXED) + addFile("hidden/test_large.py/x", "x\n"), "forbidden_path"],
      [calc(FIXED) + addFile("hidden/Test_large.py", "x\n"), "patch_lookalike"],
      [calc(FIXED) + addFile("hidden/test_large.py", "x\n"), "forbidden_path"],
    ] as const) {
      const { status, summary } = resultOf(await verifyTiny(sealed, patch, goneEngine()), "c1")
      assert.deepEqual([status, summary.code], ["fail", code])
      // Its own path is all that a deliverable is told.
      if (!patch.includes("test_large.py")) assert.ok(!JSON.stringify(summary).includes("test_large.py"))
    }
  })

  it("that is too large fails without being run", async () => {
    const contract = plainContract()
    const small: Contract = { ...contract, deliverable: { ...contract.deliverable, max_size_bytes: 5 } }
    const verification = await verifyPlain({ contract: small })
    assert.equal(verification.verdict, "FAIL")
    assert.equal(resultOf(verification, "m1").summary.code, "deliverable_too_large")
  })

  it("that is not the submitted one is our error", async () => {
    const verification = await runVerification({
      contract: plainContract(),
      submission: { n: 1, deliverable: DELIVERABLE, sha256: sha256Of(Buffer.from("another")), submittedAt: 1 },
      resolveInput: async () => null,
      signer: null,
      engine: goneEngine(),
      clock: () => 1,
    })
    assert.equal(verification.verdict, "INCONCLUSIVE")
    assert.equal(resultOf(verification, "m1").summary.code, "deliverable-hash-mismatch")
  })
})

describe("the signer", () => {
  it("is the contract's verifier or its fallback, named in the bundle", async () => {
    assert.equal((await verifyPlain({ signer: signerOf("verifier") })).bundle.verifier_id, "verifier.one")
    assert.equal((await verifyPlain({ signer: signerOf("fallback") })).bundle.verifier_id, "verifier.two")
  })

  it("is nobody else", async () => {
    await assert.rejects(verifyPlain({ signer: signerOf("buyer") }), { code: "verifier-key-foreign" })
  })

  it("may be left out for a trial", async () => {
    const { signature, bundle } = await verifyPlain({ signer: null })
    assert.deepEqual([signature, bundle.verifier_sig], [null, null])
  })
})

const world = await tiny()

describe("hash_match", () => {
  const matching = async (artifact: string, expected: string, patch = calc(FIXED)) => {
    const [suite] = world.contract.acceptance.checks
    const check = { ...GOOD, artifact, expected } as Checks[number]
    const contract: Contract = { ...world.contract, acceptance: { combine: "all", checks: suite === undefined ? [check] : [suite, check] } }
    const verification = await verifyTiny(world, patch, goneEngine(), contract)
    const { status, summary } = resultOf(verification, "good")
    return [status, summary.code]
  }
  const module = file("src/calc.py", FIXED)

  it("a glob over the patched tree", async () => {
    assert.deepEqual(await matching("tests/**", hashFiles(world.visible)), ["pass", undefined])
    assert.deepEqual(await matching("src/*.py", hashFiles([module])), ["pass", undefined])
    assert.deepEqual(await matching("tests", hashFiles(world.visible)), ["pass", undefined])
  })
  it("one file of it", async () => assert.deepEqual(await matching("src/calc.py", sha256Of(module.bytes)), ["pass", undefined]))
  it("an input", async () => assert.deepEqual(await matching("repo@base", sha256Of(world.bundle)), ["pass", undefined]))
  it("the deliverable", async () =>
    assert.deepEqual(await matching("deliverable", sha256Of(Buffer.from(calc(FIXED)))), ["pass", undefined]))
  it("something else", async () => assert.deepEqual(await matching("src/*.py", "0".repeat(64)), ["fail", "hash_mismatch"]))
  it("nothing at all is an error", async () => assert.deepEqual(await matching("docs/**", "0".repeat(64)), ["error", "artifact-missing"]))
  it("a patch that does not apply", async () =>
    assert.deepEqual(await matching("tests/**", hashFiles(world.visible), "nonsense"), ["fail", "patch_empty"]))
})
