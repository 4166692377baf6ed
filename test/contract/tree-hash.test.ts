import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { folderPrefix, type TreeEntry, treeHash } from "../../orchestrator/contract/index.ts"
import { sha256Hex } from "../../orchestrator/json/index.ts"

const entry = (path: string, content = path, mode: TreeEntry["mode"] = "100644"): TreeEntry => ({ path, mode, sha256: sha256Hex(content) })

describe("the hash of a set of files", () => {
  it("is sha256 of the JCS array of [path, mode, sha256]", () => {
    const empty = sha256Hex("")
    assert.equal(
      treeHash([entry("b", "", "100755"), entry("a/x", "")]),
      sha256Hex(`[["a/x","100644","${empty}"],["b","100755","${empty}"]]`),
    )
  })

  it("sorts by UTF-8 bytes, where UTF-16 would sort otherwise", () => {
    const [high, astral] = ["\ufb33", "😂"]
    const empty = sha256Hex("")
    assert.equal(
      treeHash([entry(astral, ""), entry(high, "")]),
      sha256Hex(`[["${high}","100644","${empty}"],["${astral}","100644","${empty}"]]`),
    )
  })

  it("does not depend on the order given, and does on every path, mode and content", () => {
    const entries = fc
      .uniqueArray(fc.stringMatching(/^[a-zé]{1,3}(\/[a-z]{1,3})?$/), { minLength: 1, maxLength: 8 })
      .map((paths) => paths.map((path) => entry(path)))
    fc.assert(
      fc.property(entries, fc.nat(), (list, pick) => {
        const hash = treeHash(list)
        assert.equal(treeHash([...list].reverse()), hash)
        const index = pick % list.length
        const altered = (change: Partial<TreeEntry>): TreeEntry[] => list.map((one, i) => (i === index ? { ...one, ...change } : one))
        assert.notEqual(treeHash(altered({ mode: "100755" })), hash)
        assert.notEqual(treeHash(altered({ sha256: sha256Hex("altered") })), hash)
        assert.notEqual(treeHash(altered({ path: `${list[index]?.path}.bak` })), hash)
      }),
    )
  })

  it("has none for nothing", () => assert.throws(() => treeHash([]), { code: "tree-empty" }))

  for (const path of ["", "/a", "a/", "a//b", "./a", "a/../b", "..", "a\0b", "\ud800"])
    it(`refuses the path ${JSON.stringify(path)}`, () => assert.throws(() => treeHash([entry(path, "")]), { code: "tree-path" }))

  it("refuses a path that is there twice", () => assert.throws(() => treeHash([entry("a"), entry("b"), entry("a")]), { code: "tree-path" }))
})

describe("what goes before the paths of a folder input", () => {
  const cases: [uri: string, prefix: string][] = [
    ["tests/", "tests/"],
    ["src/tests/", "src/tests/"],
    ["tests", ""],
    ["sealed", ""],
    ["/tests/", ""],
    ["./tests/", ""],
    ["../tests/", ""],
    ["a/../b/", ""],
    ["a//b/", ""],
    ["ipfs://tests/", ""],
    ["git+https://example.com/tests/", ""],
  ]
  for (const [uri, prefix] of cases) it(`${uri} → ${JSON.stringify(prefix)}`, () => assert.equal(folderPrefix({ uri }), prefix))
})
