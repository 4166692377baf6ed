/**
 * A JUnit report, read so that it cannot say two things at once: one root, no entities, counts that agree with the cases, every case with one
 * outcome. What a report says is never believed alone; it must agree with the driver's own records.
 */
import { SaxesParser, type SaxesTagPlain } from "saxes"

export type JunitOutcome = "passed" | "failed" | "error" | "skipped"
export type JunitCase = { classname: string; name: string; outcome: JunitOutcome }
export type JunitReport = { cases: JunitCase[] } | { problem: string }

const MOST_CASES = 500_000
const CHILDREN: Readonly<Record<string, JunitOutcome>> = { failure: "failed", error: "error", skipped: "skipped" }
const COUNTED = ["tests", "failures", "errors", "skipped"] as const
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "": ["testsuites", "testsuite"],
  testsuites: ["testsuite", "properties"],
  testsuite: ["testcase", "properties", "system-out", "system-err"],
  testcase: ["failure", "error", "skipped", "properties", "system-out", "system-err"],
  properties: ["property"],
  property: [],
  failure: [],
  error: [],
  skipped: [],
  "system-out": [],
  "system-err": [],
}

class Unreadable extends Error {}
const refuse = (why: string): never => {
  throw new Unreadable(why)
}

type Counts = Record<(typeof COUNTED)[number], number>

const attribute = (tag: SaxesTagPlain, name: string): string | undefined =>
  Object.hasOwn(tag.attributes, name) ? tag.attributes[name] : undefined

/** The counts that a suite announces; one that it does not announce is not compared. */
const announced = (tag: SaxesTagPlain): Partial<Counts> => {
  const counts: Partial<Counts> = {}
  for (const name of COUNTED) {
    const text = attribute(tag, name)
    if (text === undefined) continue
    if (!/^\d{1,9}$/.test(text)) refuse(`${tag.name} has ${name}=${JSON.stringify(text)}`)
    counts[name] = Number(text)
  }
  return counts
}

const NONE: Counts = { tests: 0, failures: 0, errors: 0, skipped: 0 }

const add = (counts: Counts, outcome: JunitOutcome): void => {
  counts.tests += 1
  if (outcome === "failed") counts.failures += 1
  if (outcome === "error") counts.errors += 1
  if (outcome === "skipped") counts.skipped += 1
}

const compare = (tag: SaxesTagPlain, found: Counts): void => {
  const says = announced(tag)
  for (const name of COUNTED)
    if (says[name] !== undefined && says[name] !== found[name]) refuse(`${tag.name} says ${name}=${says[name]} and has ${found[name]}`)
}

class Reading {
  readonly cases: JunitCase[] = []
  readonly #stack: { tag: SaxesTagPlain; counts: Counts }[] = []
  #outcome: JunitOutcome | undefined
  #roots = 0

  open(tag: SaxesTagPlain): void {
    const parent = this.#stack.at(-1)?.tag.name ?? ""
    if (!ALLOWED[parent]?.includes(tag.name)) refuse(`<${tag.name}> in ${parent === "" ? "the document" : `<${parent}>`}`)
    if (parent === "") this.#roots += 1
    if (this.#roots > 1) refuse("two roots")
    const outcome = CHILDREN[tag.name]
    if (outcome !== undefined) {
      if (this.#outcome !== "passed") refuse("a case has two outcomes")
      this.#outcome = outcome
    }
    if (tag.name === "testcase") this.#outcome = "passed"
    this.#stack.push({ tag, counts: { ...NONE } })
  }

  close(): void {
    const top = this.#stack.pop()
    if (top === undefined) throw new Unreadable("a tag is closed that was not opened")
    if (top.tag.name === "testcase") this.#case(top.tag)
    if (top.tag.name === "testsuite" || top.tag.name === "testsuites") compare(top.tag, top.counts)
    const above = this.#stack.at(-1)
    if (above) for (const name of COUNTED) above.counts[name] += top.counts[name]
  }

  #case(tag: SaxesTagPlain): void {
    const [classname, name] = [attribute(tag, "classname"), attribute(tag, "name")]
    if (classname === undefined || name === undefined || name === "") throw new Unreadable("a case without a name")
    const outcome = this.#outcome ?? "passed"
    this.cases.push({ classname, name, outcome })
    if (this.cases.length > MOST_CASES) refuse("too many cases")
    const suite = this.#stack.at(-1)
    if (suite) add(suite.counts, outcome)
    this.#outcome = undefined
  }
}

/** Reads a report. A `problem` means that nothing in it counts. */
export const readJunit = (bytes: Uint8Array): JunitReport => {
  const reading = new Reading()
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on("error", (error) => refuse(`not XML: ${error.message}`))
  parser.on("doctype", () => refuse("a document type, which may define entities"))
  parser.on("processinginstruction", () => refuse("a processing instruction"))
  parser.on("opentag", (tag) => reading.open(tag as SaxesTagPlain))
  parser.on("closetag", () => reading.close())
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    parser.write(text).close()
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
  const seen = new Set<string>()
  for (const { classname, name } of reading.cases) {
    const key = `${classname}\0${name}`
    if (seen.has(key)) return { problem: `${classname}::${name} is reported twice` }
    seen.add(key)
  }
  return reading.cases.length === 0 ? { problem: "no case in it" } : { cases: reading.cases }
}

/** What pytest calls a test in its report: `tests/test_a.py::TestB::test_c[1]` → `tests.test_a.TestB`, `test_c[1]`. */
export const junitNameOf = (id: string): { classname: string; name: string } => {
  const bracket = id.indexOf("[")
  const address = bracket < 0 ? id : id.slice(0, bracket)
  const parts = address.split("::")
  const [file = "", ...rest] = parts
  const names = [file.replaceAll("/", ".").replace(/\.py$/, ""), ...rest]
  const last = names.pop() ?? ""
  return { classname: names.join("."), name: last + (bracket < 0 ? "" : id.slice(bracket)) }
}
