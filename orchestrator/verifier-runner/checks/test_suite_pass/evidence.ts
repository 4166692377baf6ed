/** What the check leaves behind: a JUnit report of what counted, and a log for people. */
import type { Case, Output } from "../check.ts"
import type { CandidateRun } from "./candidate-run.ts"
import type { JobAnswer } from "./driver-output.ts"

const XML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" }
// XML 1.0 has no way to write these at all.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const escaped = (text: string): string => text.replace(NOT_XML, "\ufffd").replace(/[&<>"']/g, (character) => XML[character] ?? character)

const OUTCOME_TAGS: Readonly<Record<string, string>> = { passed: "", "passed-on-rerun": "<system-out>passed on a rerun</system-out>" }

const caseXml = ([id, outcome]: Case): string => {
  const [file = "", ...rest] = id.split("::")
  const inside =
    OUTCOME_TAGS[outcome] ??
    (outcome === "skipped" ? "<skipped/>" : `<${outcome === "failed" ? "failure" : "error"} message="${escaped(outcome)}"/>`)
  return `    <testcase classname="${escaped(file)}" name="${escaped(rest.join("::"))}">${inside}</testcase>\n`
}

/** The cases in one report, sorted, without times: the same outcomes give the same bytes. */
export const junitXml = (name: string, cases: readonly Case[]): Buffer => {
  const count = (wanted: (outcome: string) => boolean) => cases.filter(([, outcome]) => wanted(outcome)).length
  const failures = count((outcome) => outcome === "failed")
  const skipped = count((outcome) => outcome === "skipped")
  const errors = count((outcome) => !["failed", "skipped", "passed", "passed-on-rerun"].includes(outcome))
  const sorted = [...cases].sort(([a], [b]) => (a < b ? -1 : 1))
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}"`
  return Buffer.from(
    `<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n  <testsuite name="${escaped(name)}" ${counts}>\n${sorted.map(caseXml).join("")}  </testsuite>\n</testsuites>\n`,
  )
}

const jobLog = (title: string, answer: JobAnswer): string => {
  const text = answer.log.toString("utf8")
  const how = answer.signal === null ? `exit ${answer.exit}` : `signal ${answer.signal}`
  return `== ${title} (${how})\n${text}${text.endsWith("\n") ? "" : "\n"}${answer.log_truncated ? "… cut off\n" : ""}`
}

/** All runs' output, in order. */
export const runLog = (base: readonly JobAnswer[], runs: readonly CandidateRun[], sealed: boolean): Output => {
  const parts = [
    ...base.map((answer) => jobLog(`before the patch, job ${answer.job}`, answer)),
    ...runs.flatMap((run, index) => [
      ...run.answers.map(({ file, answer }) => jobLog(`with the patch, run ${index + 1}, ${file}`, answer)),
      ...(run.stopped === null ? [] : [`== run ${index + 1} was stopped: ${run.stopped.code}: ${run.stopped.detail}\n`]),
    ]),
  ]
  return { name: "log", bytes: Buffer.from(parts.join("")), sealed }
}
