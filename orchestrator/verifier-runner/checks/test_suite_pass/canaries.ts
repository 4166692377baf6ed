/**
 * Tests that must fail, in every way that a test can. One file of them runs before every file of the suite, in the same process and folder, and one
 * more test after it. A run in which one of them does anything but fail, once, is not a run of the suite.
 */
import type { TreeFile } from "../../files/tree.ts"

export type Random = (bytes: number) => Buffer

/** Names of the kind that tests have, so that a canary's does not stand out. */
const WORDS =
  "amount balance batch border case change count empty even first format kind large limit line mixed name order pair part rate second small sum total unit value zero".split(
    " ",
  )

const numberBelow = (random: Random, limit: number): number => random(4).readUInt32BE() % limit
const word = (random: Random): string => WORDS[numberBelow(random, WORDS.length)] ?? "case"
const freshName = (random: Random): string => `${word(random)}_${word(random)}_${random(3).toString("hex")}`

type CanaryTest = { id: string; source: string }
type Form = (name: string, random: Random) => CanaryTest

const comparison: Form = (name, random) => {
  const value = numberBelow(random, 100_000)
  return { id: `test_${name}`, source: `def test_${name}():\n    value = ${value}\n    assert value + 1 == ${value + 2}\n` }
}

const exception: Form = (name, random) => ({
  id: `test_${name}`,
  source: `def test_${name}():\n    raise ValueError(${numberBelow(random, 100_000)})\n`,
})

const expectation: Form = (name) => ({
  id: `test_${name}[0]`,
  source: `@pytest.mark.parametrize("value", [0])\ndef test_${name}(value):\n    with pytest.raises(KeyError):\n        assert value == 0\n`,
})

const testCase: Form = (name, random) => {
  const className = `Test${name.replace(/(?:^|_)./g, (start) => start.slice(-1).toUpperCase())}`
  const source = `class ${className}(unittest.TestCase):\n    def test_${name}(self):\n        self.assertEqual(${numberBelow(random, 100_000)}, -1)\n`
  return { id: `${className}::test_${name}`, source }
}

const FORMS: readonly Form[] = [comparison, exception, expectation, testCase]

export type Canary = { file: TreeFile; ids: string[] }

/** A file of canaries for a folder of the tree (empty for the root), of `most` forms; its names are known to nobody before the run. */
export const makeCanary = (folder: string, random: Random, most = FORMS.length): Canary => {
  const path = `${folder === "" ? "" : `${folder}/`}test_${freshName(random)}.py`
  const order = FORMS.map((form) => ({ form, key: numberBelow(random, 2 ** 30) }))
    .sort((a, b) => a.key - b.key)
    .slice(0, most)
  const tests = order.map(({ form }) => form(freshName(random), random))
  const source = ["import unittest\n\nimport pytest\n", ...tests.map((test) => test.source)].join("\n\n")
  return { file: { path, mode: "100644", bytes: Buffer.from(source) }, ids: tests.map(({ id }) => `${path}::${id}`) }
}
