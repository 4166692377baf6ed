import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { takeLock } from "../../orchestrator/verifier-runner/host/lock.mjs"

const directory = mkdtempSync(join(tmpdir(), "afg-lock-"))
after(() => rmSync(directory, { recursive: true, force: true }))

const lockModule = new URL("../../orchestrator/verifier-runner/host/lock.mjs", import.meta.url).href

/** A process id that no process has any more. */
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid ?? 0

const runModule = (text: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", text], { stdio: ["ignore", "inherit", "inherit"] })
    child.once("error", reject)
    child.once("close", resolve)
  })

describe("a lock between processes", () => {
  it("is one process's at a time", async () => {
    const file = join(directory, "shared")
    const counter = join(directory, "counter")
    writeFileSync(counter, "0")
    // Each reads, waits, and writes what it read plus one: any two at once would lose a count.
    const increment = `
      import { readFileSync, writeFileSync } from "node:fs"
      import { setTimeout as delay } from "node:timers/promises"
      import { takeLock } from ${JSON.stringify(lockModule)}
      for (let round = 0; round < 5; round += 1) {
        const release = await takeLock(${JSON.stringify(file)}, { patienceMs: 60000 })
        const seen = Number(readFileSync(${JSON.stringify(counter)}, "utf8"))
        await delay(5)
        writeFileSync(${JSON.stringify(counter)}, String(seen + 1))
        release()
      }`
    const codes = await Promise.all([1, 2, 3, 4].map(() => runModule(increment)))
    assert.deepEqual(codes, [0, 0, 0, 0])
    assert.equal(readFileSync(counter, "utf8"), "20")
    assert.ok(!existsSync(file))
  })

  it("is taken over from a process that was killed", async () => {
    const file = join(directory, "stale")
    writeFileSync(file, String(deadPid()))
    const release = await takeLock(file, { patienceMs: 5_000 })
    assert.equal(readFileSync(file, "utf8"), String(process.pid))
    release()
    assert.ok(!existsSync(file))
  })

  it("is taken over once, however many notice", async () => {
    const file = join(directory, "contended")
    const log = join(directory, "log")
    writeFileSync(file, String(deadPid()))
    writeFileSync(log, "")
    const take = `
      import { appendFileSync } from "node:fs"
      import { setTimeout as delay } from "node:timers/promises"
      import { takeLock } from ${JSON.stringify(lockModule)}
      const release = await takeLock(${JSON.stringify(file)}, { patienceMs: 60000 })
      appendFileSync(${JSON.stringify(log)}, "in ")
      await delay(50)
      appendFileSync(${JSON.stringify(log)}, "out ")
      release()`
    await Promise.all([1, 2, 3, 4].map(() => runModule(take)))
    assert.equal(readFileSync(log, "utf8"), "in out ".repeat(4))
  })

  it("is given back by a process that ends without saying so", async () => {
    const file = join(directory, "exit")
    await runModule(
      `import { takeLock } from ${JSON.stringify(lockModule)}; await takeLock(${JSON.stringify(file)}, { patienceMs: 1000 }); process.exit(0)`,
    )
    assert.ok(!existsSync(file))
  })

  it("tells once who has it, and gives up in the end", async () => {
    const file = join(directory, "held")
    const release = await takeLock(file, { patienceMs: 0 })
    const told: number[] = []
    await assert.rejects(takeLock(file, { patienceMs: 200, onWait: (holder) => told.push(holder) }), /still holds/)
    assert.deepEqual(told, [process.pid])
    release()
  })
})
