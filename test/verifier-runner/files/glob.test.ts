/** Globs of contracts: what they match, and that they never take long. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { globMatcher, isGlob } from "../../../orchestrator/verifier-runner/files/glob.ts"

const CASES: readonly [pattern: string, yes: readonly string[], no: readonly string[]][] = [
  ["tests/**", ["tests/a.py", "tests/a/b.py", "tests/.hidden"], ["tests", "testsx/a", "a/tests/b"]],
  ["**/*.py", ["a.py", "x/a.py", "x/y/.a.py"], ["a.pyc", "py"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "b", "a/xb"]],
  ["a/**/b/**", ["a/b/c", "a/x/b/c"], ["a/b"]],
  ["pytest.ini", ["pytest.ini"], ["x/pytest.ini", "pytestXini"]],
  ["tests", ["tests", "tests/a"], ["testsa"]],
  ["tests/", ["tests/a"], ["other"]],
  ["./src/*.py", ["src/a.py"], ["src/a/b.txt", "a.py"]],
  ["src/[a-c]?.{py,txt}", ["src/ax.py", "src/cz.txt"], ["src/dx.py", "src/a/.py"]],
  ["[!a]b", ["cb"], ["ab"]],
  ["a[b", ["a[b"], ["ab"]],
  ["**", ["a", "a/b"], []],
]

describe("globs over paths", () => {
  for (const [pattern, yes, no] of CASES)
    it(pattern, () => {
      const matches = globMatcher(pattern)
      for (const path of yes) assert.equal(matches(path), true, `${pattern} should match ${path}`)
      for (const path of no) assert.equal(matches(path), false, `${pattern} should not match ${path}`)
    })

  it("knows a glob from a path", () => {
    assert.deepEqual(["a/b.py", "a/*", "a?", "[a]", "{a,b}"].map(isGlob), [false, true, true, true, true])
  })

  it("matches every path literally", () => {
    const part = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/[*?[\]{}/]|^\.+$/.test(text))
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const path = parts.join("/")
        assert.equal(globMatcher(path)(path), true)
        assert.equal(globMatcher(path)(`${path}x`), false)
      }),
    )
  })

  it("takes no exponential time for many stars", () => {
    assert.equal(globMatcher(`${"*a".repeat(400)}b`)("a".repeat(1_000)), false)
    assert.equal(globMatcher(`${"**/a/".repeat(100)}b`)(`${"a/".repeat(400)}c`), false)
  })

  it("refuses a pattern that expands without end", () => {
    assert.throws(() => globMatcher("{a,b}".repeat(12)), { code: "glob-malformed" })
  })
})
