import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { digestOf, isStamped, writeStamp } from "../../scripts/setup/stamp.ts"
import { runNode } from "./support/run.ts"

const setup = (...args: string[]) => runNode(["scripts/setup.mjs", ...args])

describe("set-up", () => {
  it("does nothing the second time, and says nothing on standard output", async () => {
    // The first makes up for whatever changed since `npm test` began; the second has nothing left to do.
    await setup()
    const { code, stdout, stderr } = await setup()
    assert.equal(code, 0, stderr)
    assert.equal(stdout, "")
    assert.match(stderr, /^setup: everything is in place \(\d+\.\d s\)\n$/)
  })

  it("may be started twice at once: one does the work, the other finds it done", async () => {
    const both = await Promise.all([setup(), setup()])
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
    )
    for (const { stdout } of both) assert.equal(stdout, "")
  })

  it("refuses an argument that it does not know", async () => {
    const { code, stderr } = await setup("--test")
    assert.equal(code, 2)
    assert.match(stderr, /unknown argument --test/)
  })

  it("says what to type when an engine cannot be had, and fails", async () => {
    const home = mkdtempSync(join(tmpdir(), "afg-setup-"))
    try {
      const record = JSON.parse(readFileSync(".afg/setup.json", "utf8"))
      writeFileSync(join(home, "setup.json"), JSON.stringify({ ...record, engine: null }))
      const env = { ...process.env, AFG_HOME: home, DOCKER_HOST: "unix:///nonexistent/docker.sock" }
      const { code, stderr, stdout } = await runNode(["scripts/setup/machine.ts"], { env })
      assert.equal(code, 1)
      assert.equal(stdout, "")
      assert.match(stderr, /failed: no container engine here runs a hardened container/)
      assert.match(stderr, /to go on:\n(?: {2}.*\n)* {2}npm run setup\n$/)
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })
})

describe("a step's stamp", () => {
  const directory = mkdtempSync(join(tmpdir(), "afg-stamp-"))
  const file = join(directory, "a.sol")

  it("changes with contents and names, and with nothing else", () => {
    writeFileSync(file, "one")
    const first = digestOf([directory])
    utimesSync(file, 1, 1)
    assert.equal(digestOf([directory]), first)
    writeFileSync(file, "two")
    const second = digestOf([directory])
    assert.notEqual(second, first)
    writeFileSync(join(directory, "b.sol"), "")
    assert.notEqual(digestOf([directory]), second)
    assert.equal(
      digestOf([directory], [], (name) => name === file),
      second,
    )
    assert.notEqual(digestOf([directory], ["another image"]), digestOf([directory]))
  })

  it("holds once written", () => {
    const stamp = join(directory, "stamps", "contracts")
    assert.equal(isStamped(stamp, "d"), false)
    writeStamp(stamp, "d")
    assert.deepEqual([isStamped(stamp, "d"), isStamped(stamp, "e")], [true, false])
    rmSync(directory, { recursive: true, force: true })
  })
})
