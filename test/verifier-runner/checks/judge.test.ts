/** What a run's records must say for a test to have passed. */
import assert from "node:assert/strict"
import { createHash, randomBytes } from "node:crypto"
import { describe, it } from "node:test"
import type { DriverRecord, JobAnswer } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/driver-output.ts"
import { expectationOf } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/expectation.ts"
import { testJob } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/jobs.ts"
import { judgeFile } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/judge.ts"
import { junitNameOf } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/junit.ts"

const FILE = "tests/test_a.py"
const IDS = [`${FILE}::test_one`, `${FILE}::test_two[1]`]
const planned = testJob(FILE, [FILE], [], randomBytes)
const canaryIds = planned.canaries.flatMap(({ ids }) => ids)

type Outcome = Extract<DriverRecord, { kind: "outcome" }>["outcome"]

const reportOf = (outcomes: readonly (readonly [string, Outcome])[]): Buffer => {
  const cases = outcomes.map(([id, outcome]) => {
    const { classname, name } = junitNameOf(id)
    const child = { passed: "", failed: "<failure/>", error: "<error/>", skipped: "<skipped/>", xfailed: "<skipped/>" }[outcome]
    return `<testcase classname="${classname}" name="${name}">${child}</testcase>`
  })
  return Buffer.from(`<testsuites><testsuite>${cases.join("")}</testsuite></testsuites>`)
}

type Change = {
  outcomes?: readonly (readonly [string, Outcome])[]
  records?: readonly DriverRecord[]
  reported?: readonly (readonly [string, Outcome])[]
  answer?: Partial<JobAnswer>
}

const HONEST: readonly (readonly [string, Outcome])[] = [
  ...canaryIds.map((id) => [id, "failed"] as const),
  ...IDS.map((id) => [id, "passed"] as const),
]

const judge = ({ outcomes = HONEST, records = [], reported = outcomes, answer = {} }: Change = {}) => {
  const report = reportOf(reported)
  const sha256 = createHash("sha256").update(report).digest("hex")
  return judgeFile(
    planned,
    { file: FILE, tests: IDS.map((id) => ({ id, exact: true })) },
    {
      job: 0,
      records: [
        ...outcomes.map(([id, outcome]): DriverRecord => ({ kind: "outcome", id, outcome })),
        ...records,
        { kind: "report", sha256 },
        { kind: "end", exit: 1 },
      ],
      clean: true,
      exit: 0,
      signal: null,
      report,
      report_sha256: sha256,
      log: Buffer.alloc(0),
      log_truncated: false,
      ...answer,
    },
  )
}

const codes = (change: Change): string[] => judge(change).problems.map(({ code }) => code)
const without = (id: string) => HONEST.filter(([one]) => one !== id)

describe("judging one file's run", () => {
  it("takes an honest run", () => {
    const { problems, cases } = judge()
    assert.deepEqual(problems, [])
    assert.deepEqual(
      cases,
      IDS.map((id) => [id, "passed"]),
    )
  })

  it("takes an honest failure", () => {
    const { problems, cases } = judge({ outcomes: HONEST.map(([id, outcome]) => (id === IDS[0] ? [id, "failed"] : [id, outcome])) })
    assert.deepEqual(problems, [])
    assert.deepEqual(cases.find(([id]) => id === IDS[0])?.[1], "failed")
  })

  const [canary = ""] = canaryIds
  const cases: readonly [name: string, change: Change, expected: readonly string[]][] = [
    [
      "a canary that passes",
      { outcomes: HONEST.map(([id, outcome]) => (id === canary ? [id, "passed"] : [id, outcome])) },
      ["runner_changed"],
    ],
    [
      "a canary that is skipped",
      { outcomes: HONEST.map(([id, outcome]) => (id === canary ? [id, "skipped"] : [id, outcome])) },
      ["runner_changed"],
    ],
    ["a canary that is not there", { outcomes: without(canary) }, ["runner_changed"]],
    ["a changed runner", { records: [{ kind: "tampered", names: ["x"] }] }, ["runner_changed"]],
    ["a test that vanished", { outcomes: without(IDS[0] ?? "") }, ["test_missing"]],
    ["a test reported twice", { outcomes: [...HONEST, [IDS[0] ?? "", "passed"]], reported: HONEST }, ["duplicate_result"]],
    [
      "a report with another outcome",
      { reported: HONEST.map(([id, outcome]) => (id === IDS[0] ? [id, "failed"] : [id, outcome])) },
      ["report_invalid"],
    ],
    ["a report that lacks a test", { reported: without(IDS[0] ?? "") }, ["report_invalid"]],
    ["a report with a pass that was not run", { reported: [...HONEST, [`${FILE}::test_more`, "passed"]] }, ["report_invalid"]],
    ["no report", { answer: { report: null, report_sha256: null } }, ["report_invalid"]],
    ["a report that was rewritten", { answer: { report_sha256: "0".repeat(64) } }, ["report_changed"]],
    ["something else on the result channel", { answer: { clean: false } }, ["report_changed", "process_died"]],
    ["a process that died", { answer: { exit: null, signal: 9 } }, ["process_died"]],
    ["a process that ended early with 0", { answer: { records: [] } }, ["process_died"]],
  ]
  for (const [name, change, expected] of cases) it(name, () => assert.deepEqual(codes(change), expected))

  it("counts what was not reported as missing, whatever else happened", () => {
    assert.deepEqual(
      judge({ answer: { records: [], exit: null, signal: 9 } }).cases,
      IDS.map((id) => [id, "missing"]),
    )
  })

  it("canaries have new names in every job", () => {
    const others = testJob(FILE, [FILE], [], randomBytes).canaries.flatMap(({ ids }) => ids)
    assert.equal(new Set([...canaryIds, ...others]).size, canaryIds.length + others.length)
    assert.ok(canaryIds.every((id) => id.startsWith("tests/test_")))
  })
})

describe("what tests there must be", () => {
  const answer = (records: DriverRecord[], file?: string): JobAnswer => ({
    job: 0,
    ...(file === undefined ? {} : { file }),
    records,
    clean: true,
    exit: 0,
    signal: null,
    report: null,
    report_sha256: null,
    log: Buffer.alloc(0),
    log_truncated: false,
  })

  it("are those collected in the suite's own files", () => {
    const { files } = expectationOf([answer([{ kind: "collected", ids: [...IDS, "other/test_x.py::test_x"] }])], new Set([FILE]), "suite")
    assert.deepEqual(files, [{ file: FILE, tests: IDS.map((id) => ({ id, exact: true })) }])
  })

  it("are the names in a file's text where it cannot be imported yet", () => {
    const { files } = expectationOf(
      [
        answer([
          { kind: "collect_failed", id: "tests/test_new.py" },
          { kind: "collected", ids: IDS },
        ]),
        answer(
          [
            { kind: "collected", ids: [] },
            { kind: "static", file: "tests/test_new.py", tests: ["tests/test_new.py::test_new"] },
          ],
          "tests/test_new.py",
        ),
      ],
      new Set([FILE, "tests/test_new.py"]),
      "suite",
    )
    assert.deepEqual(files[1], { file: "tests/test_new.py", tests: [{ id: "tests/test_new.py::test_new", exact: false }] })
  })

  it("cannot be established from nothing, or under a changed runner", () => {
    assert.throws(() => expectationOf([answer([{ kind: "collected", ids: [] }])], new Set([FILE]), "suite"), { code: "suite-empty" })
    assert.throws(() => expectationOf([answer([{ kind: "tampered", names: ["x"] }])], new Set([FILE]), "suite"), { code: "suite-unusable" })
    assert.throws(() => expectationOf([answer([{ kind: "static", file: FILE, tests: null }])], new Set([FILE]), "suite"), {
      code: "suite-unusable",
    })
  })
})
