/** Used request ids (AACP §8.3): the file form, across processes, and what the memory form forgets. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { type Consumption, memoryDenials, memoryOutcomes, memoryReplayStore, memoryRequests } from "../../orchestrator/aacp/index.ts"
import { fileReplayStore } from "../../orchestrator/aacp/replay/file.ts"
import { request, SERVICE, verify } from "./support.ts"

const run = promisify(execFile)
const mark = (requestId: string, now = 0, keepUntil = 100): Consumption => ({
  service: SERVICE,
  requestId,
  evidenceDigest: "",
  now,
  keepUntil,
})

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "aacp-"))
})
after(() => rm(folder, { recursive: true }))

describe("a file of used ids", () => {
  it("is written on success, in the documented form, and nothing else is left behind", async () => {
    const file = join(folder, "seen.json")
    const replay = fileReplayStore(file)
    assert.equal((await verify({ replay, audience: "agent:other" })).outcome, "diverted")
    await assert.rejects(readFile(file), { code: "ENOENT" })
    assert.equal((await verify({ replay })).outcome, "success")
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), [[SERVICE, request["request-id"]]])
    assert.equal((await verify({ replay })).outcome, "replay")
    assert.deepEqual(await readdir(folder), ["seen.json"])
  })

  it("that is damaged is never taken for empty", async () => {
    for (const text of ["{}", "[1]", '[["a"]]', '[["a","b","c"]]', "nonsense", ""]) {
      const file = join(folder, "damaged.json")
      await writeFile(file, text)
      const result = await verify({ replay: fileReplayStore(file) })
      assert.equal(result.outcome, "unverifiable", text)
      assert.equal(await readFile(file, "utf8"), text)
    }
  })

  it("two processes at once: each id is used once", async () => {
    const file = join(folder, "race.json")
    const source = pathToFileURL(join(import.meta.dirname, "../../orchestrator/aacp/replay/file.ts")).href
    const script = `
      import { fileReplayStore } from ${JSON.stringify(source)}
      const store = fileReplayStore(${JSON.stringify(file)})
      const used = []
      for (let id = 0; id < 40; id++) if (await store.consume({ service: "s", requestId: String(id), evidenceDigest: "", now: 0, keepUntil: 0 })) used.push(id)
      process.stdout.write(JSON.stringify(used))`
    const process1 = () => run(process.execPath, ["--input-type=module", "--eval", script])
    const results = await Promise.all([process1(), process1()])
    const used = results.flatMap(({ stdout }) => JSON.parse(stdout) as number[])
    assert.deepEqual(
      used.sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, id) => id),
    )
  })
})

describe("memory", () => {
  it("forgets a mark only after it is no longer needed", () => {
    const store = memoryReplayStore()
    assert.equal(store.consume(mark("a", 0, 100)), true)
    assert.equal(store.consume(mark("b", 100, 200)), true)
    assert.equal(store.seen({ service: SERVICE, requestId: "a" }), true)
    assert.equal(store.consume(mark("c", 101, 300)), true)
    assert.equal(store.seen({ service: SERVICE, requestId: "a" }), false)
    assert.equal(store.seen({ service: SERVICE, requestId: "b" }), true)
  })

  it("keeps a bounded number of ends, the oldest going first", () => {
    const outcomes = memoryOutcomes(2)
    for (const digest of ["a", "b", "c"]) outcomes.remember(digest, { outcome: "stale", detail: "x" }, 0)
    assert.deepEqual([outcomes.recall("a"), outcomes.recall("c")], [null, { outcome: "stale", detail: "x" }])
  })

  it("the first end of a piece of evidence stands", () => {
    const outcomes = memoryOutcomes()
    outcomes.remember("a", { outcome: "stale", detail: "x" }, 0)
    outcomes.remember("a", { outcome: "denied", detail: "y" }, 0)
    assert.deepEqual(outcomes.recall("a"), { outcome: "stale", detail: "x" })
  })

  it("keeps the latest denial of an action", () => {
    const denials = memoryDenials()
    const denial = (deniedAt: number) => ({ service: SERVICE, actionDigest: "d", requestId: String(deniedAt), deniedAt })
    denials.record(denial(2))
    denials.record(denial(1))
    assert.deepEqual([denials.latest("d"), denials.latest("e")], [denial(2), null])
  })

  it("keeps requests while they may come back, and not for ever", () => {
    const requests = memoryRequests(2)
    const other = (id: string) => ({ ...request, "request-id": id })
    requests.issue(other("a"), 10, 0)
    requests.issue(other("b"), 20, 11)
    assert.deepEqual([requests.find("a"), requests.find("b")], [null, other("b")])
    requests.issue(other("c"), 99, 12)
    requests.issue(other("d"), 99, 12)
    assert.deepEqual([requests.find("b"), requests.find("d")], [null, other("d")])
  })
})
