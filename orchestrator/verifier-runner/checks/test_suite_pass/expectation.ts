/** Which tests there must be, as collected from the pinned suite on the base commit, where no candidate's code can have a say. */
import { CheckError } from "../check.ts"
import type { JobAnswer } from "./driver-output.ts"

/** The tests of one file. */
export type ExpectedFile = {
  file: string
  /** Full ids; or, for a file that cannot be imported before the patch, the names in its text, each with one or more cases. */
  tests: { id: string; exact: boolean }[]
}

export type Expectation = { files: ExpectedFile[] }

const fileOf = (id: string): string => id.split("::")[0] ?? id

/** What the answers of a collecting job say about the files of a suite. */
export const expectationOf = (answers: readonly JobAnswer[], suite: ReadonlySet<string>, what: string): Expectation => {
  const tests = new Map<string, Map<string, boolean>>()
  const add = (file: string, id: string, exact: boolean): void => {
    if (!suite.has(file)) return
    const known = tests.get(file) ?? new Map<string, boolean>()
    tests.set(file, known.set(id, exact))
  }
  for (const { records } of answers)
    for (const record of records) {
      if (record.kind === "tampered")
        throw new CheckError("suite-unusable", `collecting the ${what} changes the test runner: ${record.names[0]}`)
      if (record.kind === "collected") for (const id of record.ids) add(fileOf(id), id, true)
    }
  // What could be collected is exact; names out of a file's text stand in only where it could not.
  for (const { records } of answers)
    for (const record of records) {
      if (record.kind !== "static" || tests.has(record.file)) continue
      if (record.tests === null) throw new CheckError("suite-unusable", `${record.file} of the ${what} is not Python`)
      for (const id of record.tests) add(record.file, id, false)
    }
  const files = [...tests].map(([file, ids]) => ({ file, tests: [...ids].map(([id, exact]) => ({ id, exact })) }))
  if (files.length === 0) throw new CheckError("suite-empty", `no test was found in the ${what}`)
  return { files: files.sort((a, b) => (a.file < b.file ? -1 : 1)) }
}

/** Where to look for tests: the folders of the suite, and files of the usual names at the root; or the paths that the command names. */
export const collectionRoots = (suite: readonly string[], paths: readonly string[]): string[] => {
  if (paths.length > 0) return [...paths]
  const roots = new Set<string>()
  for (const path of suite) {
    const slash = path.indexOf("/")
    if (slash > 0) roots.add(path.slice(0, slash))
    else if (/^test_.*\.py$|_test\.py$/.test(path)) roots.add(path)
  }
  return [...roots].sort()
}

/** The tests of an expectation that match an id exactly, or whose cases begin with it. */
export const isExpected = (test: { id: string; exact: boolean }, id: string): boolean =>
  test.id === id || (!test.exact && id.startsWith(`${test.id}[`))
