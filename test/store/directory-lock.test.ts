/** One process per data directory, whatever became of the one before. */
import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { isAfgError } from "../../orchestrator/errors.ts"
import { lockDirectory } from "../../orchestrator/store/directory-lock.ts"
import { findJob, openStore } from "../../orchestrator/store/index.ts"

const holding = async (dataDir: string, jobId: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "support/hold.ts"), dataDir, jobId], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit").then(([code, signal]) => assert.fail(`ended early: ${signal ?? code}`))
  await Promise.race([once(child.stdout, "data"), ended])
  ended.catch(() => undefined)
  return child
}

describe("the data directory", () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "afg-lock-"))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  it("belongs to one process; the second is told which, by any name of the directory", async () => {
    const dataDir = join(directory, "shared")
    const child = await holding(dataDir, "kept")
    const alias = join(directory, "alias")
    await symlink(dataDir, alias)
    for (const name of [dataDir, `${dataDir}/../shared`, alias])
      await assert.rejects(openStore({ dataDir: name }), (error) => {
        assert.ok(isAfgError(error))
        assert.equal(error.code, "store-in-use")
        assert.match(error.message, new RegExp(`process ${child.pid} `))
        return true
      })
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
    const store = await openStore({ dataDir })
    assert.equal((await findJob(store.db, "kept"))?.jobId, "kept")
    await store.close()
  })

  it("is refused to a process that has it already, and free again when that closes it", () => {
    const dataDir = join(directory, "same")
    const lock = lockDirectory(dataDir)
    assert.throws(() => lockDirectory(dataDir), { code: "store-in-use" })
    lock.release()
    lock.release()
    lockDirectory(dataDir).release()
  })

  it("is free when a holder's files are left and no holder is, whatever they say", async () => {
    const dataDir = join(directory, "left")
    lockDirectory(dataDir).release()
    await writeFile(join(dataDir, "store.holder.json"), `{"pid":${process.pid},"since":"now"}`)
    lockDirectory(dataDir).release()
    await writeFile(join(dataDir, "store.holder.json"), "{")
    const lock = lockDirectory(dataDir)
    assert.throws(() => lockDirectory(dataDir), { code: "store-in-use" })
    lock.release()
  })
})
