/** POSIX word splitting without a shell. */
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { describe, it } from "node:test"
import fc from "fast-check"
import { splitWords } from "../../../orchestrator/verifier-runner/files/words.ts"

describe("splitting a command into words", () => {
  const cases: readonly [string, readonly string[]][] = [
    ["pytest -q --junitxml=out.xml", ["pytest", "-q", "--junitxml=out.xml"]],
    ["a 'b c' \"d e\"", ["a", "b c", "d e"]],
    ["a''b \"\"", ["ab", ""]],
    ['a\\ b "\\$x\\y"', ["a b", "$x\\y"]],
    ["$HOME `x` ;|&", ["$HOME", "`x`", ";|&"]],
  ]
  for (const [command, words] of cases) it(command, () => assert.deepEqual(splitWords(command), words))

  for (const command of ["", "  ", "'a", '"a', "a\\"])
    it(`refuses ${JSON.stringify(command)}`, () => assert.throws(() => splitWords(command), { code: "command-malformed" }))

  it("agrees with a shell wherever nothing is special to it", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."ab '\"\\-=.".split("")), maxLength: 20 })
    fc.assert(
      fc.property(letters, (text) => {
        let ours: string[]
        try {
          ours = splitWords(text)
        } catch {
          return
        }
        const output = execFileSync("/bin/sh", ["-c", `set -- ${text}\nfor word in "$@"; do printf '%s\\0' "$word"; done`]).toString()
        assert.deepEqual(ours, output.split("\0").slice(0, -1))
      }),
      { numRuns: 60 },
    )
  })
})
