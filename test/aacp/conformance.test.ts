/** `docs/aacp-conformance.md` names tests: each file and each quoted name must exist. */
import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

const root = join(import.meta.dirname, "../..")
const lines = readFileSync(join(root, "docs/aacp-conformance.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| "))
const causes = readFileSync(join(import.meta.dirname, "outcome-causes.ts"), "utf8")

describe("the conformance table", () => {
  it("names tests that exist", () => {
    let named = 0
    for (const line of lines) {
      for (const [, file = "", rest = ""] of line.matchAll(/`(aacp\/[\w-]+\.test\.ts)`((?:,? (?:rows of )?"[^"]+")*)/g)) {
        const path = join(root, "test", file)
        assert.ok(existsSync(path), `${file} in: ${line}`)
        const source = readFileSync(path, "utf8") + (file.endsWith("outcomes.test.ts") ? causes : "")
        for (const [, name = ""] of rest.matchAll(/"([^"]+)"/g)) {
          assert.ok(source.includes(name), `${file} has no ${name}`)
          named++
        }
      }
    }
    assert.ok(named > 40)
  })

  it("has a row for every id of the traceability matrix", () => {
    const ids = "RR-1 RR-2 RR-3 RR-4 BU-1 BU-2 BU-3 BU-4 BU-5 HE-1 HE-2 KO-1 WA-1 WA-2 CM-1 SV-1 OK-1 HO-1 FE-1 RAR-1 RAR-2".split(" ")
    const firsts = lines.map((line) => line.split("|")[1] ?? "").join(" ")
    for (const id of ids) assert.ok(firsts.includes(id), id)
  })
})
