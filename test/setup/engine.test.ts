import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { readSetupRecord } from "../../orchestrator/setup-record.ts"
import { discoverEngine } from "../../orchestrator/verifier-runner/host/discover.ts"
import { answers } from "../../orchestrator/verifier-runner/host/engines.ts"
import { ensureEngine, ensureImage } from "../../orchestrator/verifier-runner/host/ensure-engine.ts"
import {
  ensurePodmanService,
  serviceDirectory,
  serviceSocket,
  stopPodmanService,
} from "../../orchestrator/verifier-runner/host/podman-service.ts"
import { probeEngine } from "../../orchestrator/verifier-runner/host/probe.ts"
import { hasProgram } from "../../orchestrator/verifier-runner/host/programs.ts"
import { saveRecord } from "../../orchestrator/verifier-runner/host/record.ts"
import { findImage, loadImage } from "../../orchestrator/verifier-runner/image/load.ts"
import { findDocker, startDocker } from "../../scripts/services/docker.ts"
import { recordedImage } from "./support/engine.ts"

const root = mkdtempSync(join(tmpdir(), "afg-engine-"))
after(() => rmSync(root, { recursive: true, force: true }))
const temporary = (): string => mkdtempSync(join(root, "home-"))

describe("the machine's engine", () => {
  it("answers, has the recorded image, and runs a hardened container", async () => {
    const engine = await ensureEngine()
    const reference = await ensureImage(engine, recordedImage().runner_image)
    const result = await probeEngine(engine, reference)
    assert.equal(result.userns, engine.userns !== null)
  })

  it("is not taken for granted: an image that is not recorded is not run", async () => {
    await assert.rejects(ensureImage(await ensureEngine(), `sha256:${"0".repeat(64)}`), { code: "image-unknown" })
  })

  it("is nowhere where nothing answers, and nothing else is tried when DOCKER_HOST says where", async () => {
    const found = await discoverEngine(temporary(), recordedImage(), { DOCKER_HOST: "unix:///nonexistent/docker.sock" })
    assert.equal(found.engine, null)
  })
})

describe("the Podman that set-up serves", { skip: hasProgram("podman") ? false : "podman is not installed" }, () => {
  const home = temporary()
  const env = { AFG_HOME: home }
  const { engine } = readSetupRecord()
  after(async () => {
    await stopPodmanService(home)
  })
  const servicePid = async () => Number(await readFile(join(serviceDirectory(home), "podman.pid"), "utf8"))

  it("starts once, however many want it at once", async () => {
    const all = await Promise.all([1, 2, 3].map(() => ensurePodmanService(home, engine?.runtime ?? null)))
    assert.equal(all.filter(({ started }) => started).length, 1)
    assert.ok(await answers(serviceSocket(home)))
  })

  it("starts again when it was killed, its socket left behind", async () => {
    assert.ok(engine)
    saveRecord(home, {
      version: 1,
      node: process.execPath,
      engine: { ...engine, socket: serviceSocket(home) },
      images: readSetupRecord().images,
    })
    const before = await servicePid()
    process.kill(before, "SIGKILL")
    while (await answers(serviceSocket(home))) await new Promise((resolve) => setImmediate(resolve))
    const again = await ensureEngine(env)
    assert.equal(again.socket, serviceSocket(home))
    assert.ok(await answers(again.socket))
    assert.notEqual(await servicePid(), before)
  })

  it("does not kill a stranger who has got its process id", async () => {
    const { writeFile } = await import("node:fs/promises")
    const before = await servicePid()
    await writeFile(join(serviceDirectory(home), "podman.pid"), String(process.pid))
    assert.equal(await stopPodmanService(home), false)
    process.kill(before, "SIGTERM")
  })

  it("ends when told", async () => {
    await ensurePodmanService(home, engine?.runtime ?? null)
    assert.equal(await stopPodmanService(home), true)
    assert.equal(await answers(serviceSocket(home)), false)
    assert.equal(await stopPodmanService(home), false)
  })

  it("has a socket whose name is not too long, wherever the checkout is", () => {
    const deep = `/${"a-very-long-directory-name/".repeat(8)}.afg`
    assert.ok(Buffer.byteLength(serviceSocket(deep)) <= 107)
    assert.notEqual(serviceSocket(deep), serviceSocket(`${deep}2`))
  })
})

const docker = findDocker()
describe("Docker", { skip: docker ? false : "dockerd is not here (npm run setup -- --tests unpacks it on Debian as root)" }, () => {
  it("gives the image the digest that Podman gives it, and runs it hardened", async () => {
    assert.ok(docker)
    const daemon = await startDocker(docker)
    try {
      const image = recordedImage()
      assert.equal(await findImage(daemon, image), null)
      assert.equal(await loadImage(daemon, image), image.runner_image)
      assert.equal(await findImage(await ensureEngine(), image), image.runner_image)
      const { engine, tried } = await discoverEngine(temporary(), image, { DOCKER_HOST: `unix://${daemon.socket}` })
      assert.equal(engine?.kind, "docker", tried.join("\n"))
      // Docker takes a user namespace per container without giving one; the record must not claim it.
      assert.equal(engine?.userns, null)
    } finally {
      await daemon.stop()
    }
  })
})
