import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { projectRoot, readSetupRecord } from "../../orchestrator/setup-record.ts"
import { saveRecord } from "../../orchestrator/verifier-runner/host/record.ts"
import { runNode } from "./support/run.ts"

const home = mkdtempSync(join(tmpdir(), "afg-images-"))
after(() => rmSync(home, { recursive: true, force: true }))
mkdirSync(home, { recursive: true })

const here = readSetupRecord()
/** The machine's engine, and no image yet: loading writes to this record, not to the checkout's. */
saveRecord(home, { ...here, images: [] })

const images = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
  const { code, stdout, stderr } = await runNode([join(projectRoot, "bin/afg.mjs"), "images", ...args, "--json"], {
    env: { ...process.env, ...env },
    cwd: home,
  })
  return { code, stderr, document: JSON.parse(stdout) }
}
const there = { AFG_HOME: home }

describe("afg images", () => {
  const [image] = here.images
  const archive = join(home, "exported.tar")

  it("lists what set-up built", async () => {
    const { code, document } = await images(["list"])
    assert.equal(code, 0)
    assert.deepEqual(Object.keys(document), ["images"])
    assert.deepEqual(Object.keys(document.images[0]), ["name", "runner_image", "manifest_digest", "size", "packages"])
    assert.equal(document.images[0].runner_image, image?.runner_image)
  })

  it("exports an archive that loads elsewhere with the same digest", async () => {
    assert.equal((await images(["export", archive])).code, 0)
    const { code, document } = await images(["load", archive], there)
    assert.equal(code, 0)
    assert.equal(document.images[0].runner_image, image?.runner_image)
    assert.equal(document.images[0].manifest_digest, image?.manifest_digest)
    assert.deepEqual((await images(["list"], there)).document, document)
  })

  it("exports by name and by digest, and nothing that is not there", async () => {
    const again = join(home, "again.tar")
    for (const wanted of ["runner-python", image?.runner_image ?? "", image?.runner_image.slice(7, 19) ?? ""]) {
      assert.equal((await images(["export", again, wanted])).code, 0, wanted)
      const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")
      assert.equal(digest(again), digest(archive))
    }
    for (const wanted of ["other", "sha256:", "", "abc"]) {
      const { code, document } = await images(["export", again, wanted])
      assert.deepEqual([code, document.error.code], [2, "image-unknown"], wanted)
    }
  })

  it("refuses what is no archive, and records nothing", async () => {
    const junk = join(home, "junk.tar")
    writeFileSync(junk, "x".repeat(4096))
    const before = readFileSync(join(home, "setup.json"), "utf8")
    const { code, document } = await images(["load", junk], there)
    assert.deepEqual([code, document.error.code], [2, "image-invalid"])
    assert.deepEqual([(await images(["load", "no-such-file"], there)).code], [2])
    assert.equal(readFileSync(join(home, "setup.json"), "utf8"), before)
  })

  it("says that nothing is set up where nothing is", async () => {
    const { code, document } = await images(["list"], { AFG_HOME: join(home, "nothing") })
    assert.deepEqual([code, document.error.code], [2, "setup-missing"])
  })
})
