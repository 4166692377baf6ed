import assert from "node:assert/strict"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { errorLiteralsOf } from "../../scripts/docs/error-literals.ts"
import { catalogOf, contradictions, type DeclaredTable, ERROR_TABLES } from "../../scripts/docs/error-tables.ts"
import { ERRORS_PAGE, errorsPage, publishedCodes } from "../../scripts/docs/errors.ts"

const SOURCES = globSync("{orchestrator,scripts}/**/*.ts", { cwd: projectRoot }).sort()

const textOf = (file: string): string => readFileSync(join(projectRoot, file), "utf8")

const declared = new Set(catalogOf(ERROR_TABLES).map(({ code }) => code))

describe("docs/errors.md", () => {
  it("is what the tables say (node scripts/docs/errors.ts writes it)", () => {
    assert.equal(readFileSync(ERRORS_PAGE, "utf8"), errorsPage())
  })

  it("has the codes of every exported table", () => {
    const exporting = SOURCES.filter((file) => /^export const (?:[A-Z]+_)*ERRORS\b/m.test(textOf(file)))
    const listed = ERROR_TABLES.map(({ file }) => file)
    assert.deepEqual(
      exporting.filter((file) => !listed.includes(file)),
      [],
    )
  })
})

describe("error codes", () => {
  it("never disappear once published, and are published when they appear", () => {
    assert.deepEqual([...declared].sort(), publishedCodes())
  })

  it("have one text wherever they are declared", () => {
    assert.deepEqual(contradictions(ERROR_TABLES), [])
  })

  it("are words joined by hyphens or underscores, with a status, a sentence and a recovery", () => {
    for (const { code, entry } of catalogOf(ERROR_TABLES)) {
      assert.match(code, /^[a-z0-9]+([-_][a-z0-9]+)*$/)
      // 202: the chain has not answered yet, which is no failure of anybody.
      assert.ok(entry.status === 202 || (entry.status >= 400 && entry.status < 600), code)
      for (const text of [entry.what, entry.recovery]) assert.match(text, /^\S(.*\S)?$/, code)
    }
  })

  it("are in a table wherever the code names one", () => {
    const found = SOURCES.flatMap((file) => errorLiteralsOf(file, textOf(file)))
    assert.ok(found.length > 150, `only ${found.length} codes were found: the search itself is broken`)
    assert.deepEqual(
      found.filter(({ code }) => !declared.has(code)).map(({ code, file, line }) => `${file}:${line} ${code}`),
      [],
    )
  })
})

describe("the search for codes", () => {
  const cases: [name: string, text: string, codes: string[]][] = [
    ["an error class", 'throw new AfgError("a-b", "text")', ["a-b"]],
    ["over several lines", 'throw new UsageError(\n  "a-b",\n  "text",\n)', ["a-b"]],
    ["both arms of a conditional", 'new ApiError(x ? "a" : "b", "")', ["a", "b"]],
    ["a default", 'new AfgError(answer.code ?? "a", "")', ["a"]],
    [
      "a function that throws the code it is given",
      'const no = (why: string, code: string): never => { throw new AfgError(code, why) }\nno("w", "a")',
      ["a"],
    ],
    ["an error document", 'print({ error: { code: "a", message: "m" } })', ["a"]],
    ["another class, another member", 'new Error("x"); const y = { code: "z" }; new Map([["q", 1]])', []],
    ["a comment or a text", '// new AfgError("a")\nconst s = `new AfgError("b")`', []],
  ]
  for (const [name, text, codes] of cases) {
    it(`finds ${name}`, () => {
      assert.deepEqual(
        errorLiteralsOf("x.ts", text).map(({ code }) => code),
        codes,
      )
    })
  }
})

describe("contradictions", () => {
  const table = (file: string, what: string): DeclaredTable => ({ file, area: file, table: { one: { status: 400, what, recovery: "r" } } })
  it("are a code with two texts, not a table that takes another in", () => {
    assert.deepEqual(contradictions([table("a", "x"), table("b", "x")]), [])
    assert.deepEqual(contradictions([table("a", "x"), table("b", "y")]), ["one: a and b differ"])
  })
})
