import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import fc from "fast-check"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { packageDifferences } from "../../scripts/setup/packages.mjs"

const host = { platform: "linux", arch: "x64", glibc: true }
const one = { version: "1.0.0", integrity: "sha512-a" }

describe("whether node_modules is what the lock file says", () => {
  it("holds for this checkout's own", () => {
    const read = (file: string) => JSON.parse(readFileSync(join(projectRoot, file), "utf8")).packages
    const glibc = true
    const here = { platform: process.platform, arch: process.arch, glibc }
    assert.deepEqual(packageDifferences(read("package-lock.json"), read("node_modules/.package-lock.json"), here), [])
  })

  const cases: [string, Record<string, object>, Record<string, object>, string[]][] = [
    ["the same", { "": {}, "node_modules/a": one }, { "node_modules/a": one }, []],
    ["nothing installed", { "node_modules/a": one }, {}, ["node_modules/a is missing"]],
    [
      "another version",
      { "node_modules/a": one },
      { "node_modules/a": { ...one, version: "2.0.0" } },
      ["node_modules/a is 2.0.0, not 1.0.0"],
    ],
    [
      "other bytes of the version",
      { "node_modules/a": one },
      { "node_modules/a": { ...one, integrity: "sha512-b" } },
      ["node_modules/a is 1.0.0, not 1.0.0"],
    ],
    ["one too many", {}, { "node_modules/a": one }, ["node_modules/a is not in the lock file"]],
    [
      // What npm leaves out when an older Node runs it, and Hardhat misses only when it starts a chain.
      "an optional native part of this platform left out",
      { "node_modules/edr": { ...one, optional: true, os: ["linux"], cpu: ["x64"], libc: ["glibc"] } },
      {},
      ["node_modules/edr is missing"],
    ],
    [
      "an optional part of another C library left out",
      { "node_modules/edr": { ...one, optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] } },
      {},
      [],
    ],
    ["an optional part of another system left out", { "node_modules/f": { ...one, optional: true, os: ["darwin"] } }, {}, []],
    ["an optional part that excludes this system left out", { "node_modules/f": { ...one, optional: true, os: ["!linux"] } }, {}, []],
    ["an optional part of another processor left out", { "node_modules/f": { ...one, optional: true, cpu: ["arm64"] } }, {}, []],
    ["an optional package of no platform left out", { "node_modules/f": { ...one, optional: true } }, {}, []],
    ["a link of a workspace", { "node_modules/f": { link: true } }, {}, []],
  ]
  for (const [what, locked, installed, expected] of cases)
    it(what, () => assert.deepEqual(packageDifferences(locked, installed, host), expected))

  it("never passes when a required package is absent", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(names, fc.nat(), (all, pick) => {
        const locked = Object.fromEntries(all.map((name) => [`node_modules/${name}`, one]))
        const gone = `node_modules/${all[pick % all.length]}`
        const installed = Object.fromEntries(Object.entries(locked).filter(([path]) => path !== gone))
        assert.deepEqual(packageDifferences(locked, installed, host), [`${gone} is missing`])
      }),
    )
  })
})
