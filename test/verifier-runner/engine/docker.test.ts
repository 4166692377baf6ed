/** The same runs on Docker, from a daemon of the test's own. */
import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { readSetupRecord } from "../../../orchestrator/setup-record.ts"
import { engineApi } from "../../../orchestrator/verifier-runner/engine/api.ts"
import { DEFAULT_LIMITS } from "../../../orchestrator/verifier-runner/engine/types.ts"
import { discoverEngine } from "../../../orchestrator/verifier-runner/host/discover.ts"
import { saveRecord } from "../../../orchestrator/verifier-runner/host/record.ts"
import { type Engine, openEngine } from "../../../orchestrator/verifier-runner/index.ts"
import { findDocker, startDocker } from "../../../scripts/services/docker.ts"
import { calc, FIXED, file, resultOf, tiny, verifyTiny } from "../support/tiny.ts"

const docker = findDocker()

describe("checks on Docker", {
  skip: docker === null && "dockerd is not here (npm run setup -- --tests unpacks it on Debian as root)",
}, () => {
  if (docker === null) return
  const home = mkdtempSync(join(tmpdir(), "afg-docker-home-"))
  const recorded = readSetupRecord()
  const [image] = recorded.images
  assert.ok(image)
  let daemon: Awaited<ReturnType<typeof startDocker>>
  let engine: Engine
  let record: NonNullable<Awaited<ReturnType<typeof discoverEngine>>["engine"]>

  before(async () => {
    daemon = await startDocker(docker)
    const discovered = await discoverEngine(home, image, { DOCKER_HOST: `unix://${daemon.socket}` })
    assert.ok(discovered.engine, discovered.tried.join("\n"))
    record = discovered.engine
    mkdirSync(home, { recursive: true })
    saveRecord(home, { ...recorded, engine: record })
    engine = await openEngine({ AFG_HOME: home })
  })
  after(async () => {
    await engine?.close()
    await daemon?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  const run = (code: string) =>
    engine.run({
      image: image.runner_image,
      command: ["/usr/bin/python3", "-c", code],
      files: [file("a/b.txt", "hello")],
      limits: { ...DEFAULT_LIMITS, memory_bytes: 256 * 1024 ** 2 },
      timeout_s: 60,
    })

  it("lays inputs down read-only, with nothing else to write but /tmp", async () => {
    const { stdout, end } = await run(
      "import os\nw=[]\nfor p in ('/','/in','/tmp','/work','/result'):\n  try: open(p+'/x','w'); w.append(p)\n  except OSError: pass\nprint(open('/in/a/b.txt').read(), w, os.getuid(), os.uname().nodename)",
    )
    assert.deepEqual([end, stdout.toString()], [{ kind: "exited", code: 0 }, "hello ['/tmp'] 65532 runner\n"])
  })

  it("tells memory that ran out", async () => {
    assert.equal((await run("bytearray(1 << 30)")).out_of_memory, true)
  })

  it("passes the fix, with the same result as elsewhere", async () => {
    const world = await tiny({ image: image.runner_image })
    const fixed = await verifyTiny(world, calc(FIXED), engine)
    assert.equal(fixed.verdict, "PASS", JSON.stringify(fixed.bundle.check_results))
    const elsewhere = await openEngine()
    try {
      assert.equal(resultOf(await verifyTiny(world, calc(FIXED), elsewhere), "c1").result_sha256, resultOf(fixed, "c1").result_sha256)
    } finally {
      await elsewhere.close()
    }
  })

  it("leaves nothing behind", async () => {
    assert.deepEqual(await (await engineApi(record)).leftovers(), { containers: [], volumes: [] })
  })
})
