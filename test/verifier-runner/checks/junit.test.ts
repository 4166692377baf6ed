/** JUnit reports that say two things at once, or nothing, or were never meant to be read. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { junitXml } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/evidence.ts"
import { junitNameOf, readJunit } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/junit.ts"

const read = (text: string) => readJunit(Buffer.from(text))
const CASE = '<testcase classname="t" name="a"/>'

const TRAPS: readonly [name: string, report: string, problem: RegExp][] = [
  ["nothing", "", /./],
  ["no XML", "2 passed in 0.01s", /not XML/],
  ["counts without cases", '<testsuites><testsuite tests="9" failures="0"/></testsuites>', /tests=9/],
  ["no cases", "<testsuites/>", /no case/],
  [
    "failures=0 beside a failure",
    `<testsuite tests="1" failures="0"><testcase classname="t" name="a"><failure/></testcase></testsuite>`,
    /failures=0/,
  ],
  ["fewer tests than cases", `<testsuite tests="1">${CASE}<testcase classname="t" name="b"/></testsuite>`, /tests=1/],
  ["sums that disagree", `<testsuites tests="2"><testsuite tests="1">${CASE}</testsuite></testsuites>`, /tests=2/],
  ["one test twice", `<testsuite>${CASE}${CASE}</testsuite>`, /twice/],
  ["one test passed and failed", `<testsuite>${CASE}<testcase classname="t" name="a"><failure/></testcase></testsuite>`, /twice/],
  [
    "a case that failed and was skipped",
    '<testsuite><testcase classname="t" name="a"><failure/><skipped/></testcase></testsuite>',
    /two outcomes/,
  ],
  ["a failure outside a case", `<testsuite>${CASE}<failure/></testsuite>`, /<failure> in <testsuite>/],
  ["a case in a case", `<testsuite><testcase classname="t" name="a">${CASE}</testcase></testsuite>`, /<testcase> in/],
  ["a case without a name", '<testsuite><testcase classname="t"/></testsuite>', /without a name/],
  ["a number that is none", `<testsuite tests="1e0">${CASE}</testsuite>`, /tests=/],
  ["a negative number", `<testsuite failures="-1">${CASE}</testsuite>`, /failures=/],
  ["a document type with entities", `<!DOCTYPE x [<!ENTITY a "b">]><testsuite>${CASE}</testsuite>`, /document type/],
  [
    "a billion laughs",
    `<!DOCTYPE x [<!ENTITY a "${"x".repeat(99)}"><!ENTITY b "&a;&a;">]><testsuite name="&b;">${CASE}</testsuite>`,
    /document type/,
  ],
  ["an entity that nobody defined", '<testsuite><testcase classname="t" name="&a;"/></testsuite>', /not XML/],
  ["a processing instruction", `<?php x?><testsuite>${CASE}</testsuite>`, /processing instruction/],
  ["two documents", `<testsuite>${CASE}</testsuite><testsuite>${CASE}</testsuite>`, /./],
  ["half a document", `<testsuites><testsuite>${CASE}`, /not XML/],
  ["an unknown element", `<testsuite>${CASE}<rerunFailure/></testsuite>`, /<rerunFailure>/],
  ["a foreign root", `<html>${CASE}</html>`, /<html>/],
]

describe("JUnit reports", () => {
  for (const [name, report, problem] of TRAPS)
    it(`is not taken: ${name}`, () => {
      const result = read(report)
      assert.ok("problem" in result, JSON.stringify(result))
      assert.match(result.problem, problem)
    })

  it("is not taken: bytes that are no UTF-8", () => {
    assert.ok("problem" in readJunit(Buffer.from([0x3c, 0xff, 0x3e])))
  })

  it("tells passed, failed, error and skipped apart", () => {
    const result = read(`<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite tests="4" failures="1" errors="1" skipped="1">
      <testcase classname="t" name="a" time="0.1"><system-out>x</system-out></testcase>
      <testcase classname="t" name="b"><failure message="m">text</failure></testcase>
      <testcase classname="t" name="c"><error/></testcase>
      <testcase classname="t" name="d"><skipped type="x"/></testcase>
    </testsuite></testsuites>`)
    assert.ok("cases" in result)
    assert.deepEqual(
      result.cases.map(({ outcome }) => outcome),
      ["passed", "failed", "error", "skipped"],
    )
  })

  it("names tests as pytest does", () => {
    assert.deepEqual(junitNameOf("tests/test_a.py::test_b"), { classname: "tests.test_a", name: "test_b" })
    assert.deepEqual(junitNameOf("tests/test_a.py::TestB::test_c[x::y/z.py]"), {
      classname: "tests.test_a.TestB",
      name: "test_c[x::y/z.py]",
    })
  })

  it("writes a report that it can read, the same for the same outcomes in any order", () => {
    const cases = [
      ["tests/a.py::test_<&>\"'", "passed"],
      ["tests/a.py::test_b[\u0001\ufffe]", "failed"],
      ["tests/a.py::test_c", "missing"],
    ] as const
    const report = junitXml("suite", cases)
    assert.deepEqual(junitXml("suite", [...cases].reverse()), report)
    const result = readJunit(report)
    assert.ok("cases" in result, JSON.stringify(result))
    assert.deepEqual(result.cases.map(({ outcome }) => outcome).sort(), ["error", "failed", "passed"])
  })
})
