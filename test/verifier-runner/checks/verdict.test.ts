/** Who had to pass, in which of the runs. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { CandidateRun } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/candidate-run.ts"
import { mayRerun, suiteVerdict } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/verdict.ts"

const TARGETS = ["t::target"]
const run = (visible: Record<string, string>, hidden: Record<string, string> = {}, more: Partial<CandidateRun> = {}): CandidateRun => ({
  visible: Object.entries(visible),
  hidden: Object.entries(hidden),
  problems: [],
  stopped: null,
  answers: [],
  ...more,
})
const GOOD = { "t::target": "passed", "t::other": "passed" }

const failed = (runs: CandidateRun[], mustPass: "all" | string[] = "all") => suiteVerdict(runs, { mustPass, targets: TARGETS }).failed

describe("the flake rule", () => {
  it("a visible test may pass in one of the runs", () => {
    const runs = [run({ ...GOOD, "t::other": "failed" }), run(GOOD)]
    assert.deepEqual(failed(runs), { visible: [], hidden: [] })
    assert.deepEqual(suiteVerdict(runs, { mustPass: "all", targets: TARGETS }).visible[1], ["t::other", "passed-on-rerun"])
  })

  it("a target must pass in every run", () => {
    assert.deepEqual(failed([run(GOOD), run({ ...GOOD, "t::target": "failed" })]).visible, ["t::target"])
    assert.deepEqual(failed([run({ ...GOOD, "t::target": "failed" }), run(GOOD)]).visible, ["t::target"])
  })

  it("a hidden test must pass in every run", () => {
    assert.deepEqual(failed([run(GOOD, { "h::x": "passed" }), run(GOOD, { "h::x": "failed" })]).hidden, ["h::x"])
  })

  it("a rerun is for failures of visible tests alone", () => {
    const verdict = (one: CandidateRun) => suiteVerdict([one], { mustPass: "all", targets: TARGETS })
    const again = (one: CandidateRun) => mayRerun(one, verdict(one), TARGETS)
    assert.equal(again(run({ ...GOOD, "t::other": "failed" })), true)
    assert.equal(again(run(GOOD)), false)
    assert.equal(again(run({ ...GOOD, "t::target": "failed" })), false)
    assert.equal(again(run({ ...GOOD, "t::other": "failed" }, { "h::x": "failed" })), false)
    assert.equal(
      again(run({ ...GOOD, "t::other": "failed" }, {}, { problems: [{ code: "runner_changed", file: "t", detail: "x" }] })),
      false,
    )
    assert.equal(
      again(run({ ...GOOD, "t::other": "missing" }, {}, { stopped: { kind: "stopped", code: "timeout", detail: "", answers: [] } })),
      false,
    )
  })
})

describe("must_pass", () => {
  it("as a list leaves the others free, but not the targets", () => {
    const one = run({ "t::target": "passed", "t::needed": "passed", "t::free": "failed" })
    assert.deepEqual(failed([one], ["t::needed"]).visible, [])
    assert.deepEqual(failed([run({ "t::needed": "passed" })], ["t::needed"]).visible, ["t::target"])
  })

  for (const outcome of ["failed", "error", "skipped", "xfailed", "missing"])
    it(`${outcome} is not passed`, () => assert.deepEqual(failed([run({ ...GOOD, "t::other": outcome })]).visible, ["t::other"]))

  it("takes cases of a test whose parameters were not known before", () => {
    assert.deepEqual(failed([run({ "t::target[a]": "passed", "t::target[b]": "passed" })], ["t::target"]).visible, [])
    assert.deepEqual(failed([run({ "t::target[a]": "passed", "t::target[b]": "failed" })], ["t::target"]).visible, ["t::target"])
  })
})
