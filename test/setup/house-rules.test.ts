import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { longFiles, resolvedEntries, unhashedEntries } from "../../scripts/check/house-rules.ts"

const root = mkdtempSync(join(tmpdir(), "afg-house-"))
after(() => rmSync(root, { recursive: true, force: true }))

describe("the rules of the house", () => {
  it("find a file that is too long", () => {
    writeFileSync(join(root, "just.ts"), "\n".repeat(550))
    writeFileSync(join(root, "over.ts"), "\n".repeat(551))
    writeFileSync(join(root, "package-lock.json"), "\n".repeat(9000))
    assert.deepEqual(longFiles(root, ["just.ts", "over.ts", "package-lock.json"]), ["over.ts has 551 lines; 550 is the most"])
  })

  const lock = (entry: object) => JSON.stringify({ packages: { "": {}, "node_modules/a": entry } })

  it("find a lock entry that names a registry", () => {
    assert.equal(resolvedEntries(lock({ version: "1.0.0", integrity: "x", resolved: "https://registry.example/a.tgz" })).length, 1)
    assert.deepEqual(resolvedEntries(lock({ version: "1.0.0", integrity: "x" })), [])
    assert.deepEqual(resolvedEntries(lock({ link: true, resolved: "packages/a" })), [])
  })

  it("find a lock entry without a hash", () => {
    assert.equal(unhashedEntries(lock({ version: "1.0.0" })).length, 1)
    assert.deepEqual(unhashedEntries(lock({ version: "1.0.0", integrity: "x" })), [])
  })
})
