import assert from "node:assert/strict"
import { createHash, randomUUID } from "node:crypto"
import { createReadStream, createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { after, describe, it } from "node:test"
import { isDeepStrictEqual } from "node:util"
import { gzipSync } from "node:zlib"
import { extract, pack } from "tar-stream"
import { readSetupRecord } from "../../orchestrator/setup-record.ts"
import type { Sha256 } from "../../orchestrator/types.ts"
import { hasProgram } from "../../orchestrator/verifier-runner/host/programs.ts"
import { buildImage } from "../../orchestrator/verifier-runner/image/build.ts"
import { buildError } from "../../orchestrator/verifier-runner/image/build-with-engine.ts"
import { packagesOfStatus } from "../../orchestrator/verifier-runner/image/dpkg.ts"
import { importImage } from "../../orchestrator/verifier-runner/image/import.ts"
import { isInLayer, writeLayer } from "../../orchestrator/verifier-runner/image/layer.ts"
import { imageConfig, writeArchive } from "../../orchestrator/verifier-runner/image/oci-archive.ts"
import { recipeDigest } from "../../orchestrator/verifier-runner/image/recipe.ts"
import { ownRepositories, packageOfArchive } from "../../orchestrator/verifier-runner/image/rootfs.ts"

const directory = mkdtempSync(join(tmpdir(), "afg-image-test-"))
after(() => rmSync(directory, { recursive: true, force: true }))

const sha256 = (bytes: Buffer): Sha256 => createHash("sha256").update(bytes).digest("hex") as Sha256
/** A path in the test's directory that nothing has yet. */
const fresh = (): string => join(directory, randomUUID())

type Entry = {
  name: string
  content?: string | Buffer
  type?: "file" | "directory" | "symlink" | "link" | "character-device"
  linkname?: string
  mode?: number
}

const writeTar = async (entries: readonly Entry[], mtime = new Date()): Promise<string> => {
  const file = fresh()
  const tar = pack()
  for (const { content, ...header } of entries) tar.entry({ mtime, ...header }, content ?? "")
  tar.finalize()
  await pipeline(tar, createWriteStream(file))
  return file
}

const readTar = async (
  file: string,
): Promise<Map<string, { type: string; mode: number; uid: number; mtime: number; linkname: string; content: string }>> => {
  const entries = new Map()
  const source = extract()
  const feeding = pipeline(createReadStream(file), source)
  for await (const entry of source) {
    const { name, type, mode, uid, mtime, linkname } = entry.header
    entries.set(name.replace(/\/$/, ""), { type, mode, uid, mtime: Number(mtime) / 1000, linkname, content: await text(entry) })
  }
  await feeding
  return entries
}

describe("the layer", () => {
  const rootfs: Entry[] = [
    { name: "./", type: "directory" },
    { name: "./bin", type: "symlink", linkname: "usr/bin" },
    { name: "./dev/null", type: "character-device" },
    { name: "./usr/bin/su", content: "su", mode: 0o4755 },
    { name: "./usr/bin/first", content: "same", mode: 0o755 },
    { name: "./usr/bin/second", type: "link", linkname: "./usr/bin/first" },
    { name: "./usr/share/doc/x/copyright", content: "(c)" },
    { name: "./usr/share/doc/x/changelog.gz", content: "long" },
    { name: "./usr/share/man/man1/x.1", content: "manual" },
    { name: "./etc/passwd", content: "root:x:0:0:root:/root:/bin/bash\n" },
    { name: "./var/lib/afg-packages", content: "b_1%3a2-3_amd64.deb\na_1_all.deb\npartial\n" },
    { name: "./var/lib/dpkg/status", content: "of this machine" },
  ]

  it("has chosen paths, no privileges, fixed times and its own files", async () => {
    const file = fresh()
    const { packages } = await writeLayer(await writeTar(rootfs), file)
    assert.deepEqual(packages, ["a=1", "b=1:2-3"])
    const entries = await readTar(file)
    assert.equal(entries.get("usr/bin/su")?.mode, 0o755)
    assert.equal(entries.get("usr/bin/second")?.linkname, "usr/bin/first")
    assert.ok(entries.has("usr/share/doc/x/copyright"))
    for (const gone of [
      "dev/null",
      "usr/share/doc/x/changelog.gz",
      "usr/share/man/man1/x.1",
      "var/lib/dpkg/status",
      "var/lib/afg-packages",
    ])
      assert.ok(!entries.has(gone), gone)
    assert.match(entries.get("etc/passwd")?.content ?? "", /^runner:x:65532:65532:/m)
    assert.deepEqual([entries.get("work")?.uid, entries.get("in")?.uid, entries.get("tmp")?.mode], [65532, 0, 0o1777])
    assert.equal(entries.get("usr/local/lib/afg/hold")?.mode, 0o755)
    for (const { mtime } of entries.values()) assert.equal(mtime, 1_735_689_600)
  })

  it("is the same whatever the times of its files", async () => {
    const [one, two] = [fresh(), fresh()]
    const first = await writeLayer(await writeTar(rootfs, new Date(0)), one)
    const second = await writeLayer(await writeTar(rootfs, new Date(1e12)), two)
    assert.equal(first.layer.digest, second.layer.digest)
  })

  it("leaves out whole paths, not their look-alikes", () => {
    for (const path of ["dev", "dev/null", "usr/share/man/man1/x", "usr/lib/x86_64-linux-gnu/gconv/a.so", "usr/bin/dpkg-deb", ""])
      assert.ok(!isInLayer(path), path)
    for (const path of ["devel", "usr/share/manual", "usr/lib/gconv", "usr/bin/python3.11", "usr/share/doc/a/copyright"])
      assert.ok(isInLayer(path), path)
  })
})

describe("the image built from the distribution's packages", {
  skip: hasProgram("mmdebstrap") ? false : "mmdebstrap is not installed",
}, () => {
  it("is the same to the byte when built twice", async () => {
    const first = await buildImage(fresh())
    // Set-up has built one before; it counts as the other unless the distribution has published updates since.
    const recorded = readSetupRecord().images.find(
      ({ recipe, packages }) => recipe === recipeDigest() && isDeepStrictEqual(packages, first.packages),
    )
    const second = recorded ?? (await buildImage(fresh()))
    assert.equal(first.runner_image, second.runner_image)
    assert.equal(first.manifest_digest, second.manifest_digest)
    assert.equal(sha256(readFileSync(first.archive)), sha256(readFileSync(second.archive)))
    assert.ok(first.packages.some((name) => name.startsWith("python3-pytest=")))
  })
})

describe("an archive from elsewhere", () => {
  const layerBytes = Buffer.alloc(1024)
  const configBytes = imageConfig({ file: "", digest: sha256(layerBytes), size: 1024 }, ["python3=3.11"])
  const config = sha256(configBytes)
  const manifest = (Config: string, Layers: string[]) => ({
    name: "manifest.json",
    content: JSON.stringify([{ Config, RepoTags: ["x:y"], Layers }]),
  })
  const saved = (layer: Buffer = layerBytes, configContent: Buffer = configBytes): Entry[] => [
    { name: `${config}.json`, content: configContent },
    { name: "aa/layer.tar", content: layer },
    manifest(`${config}.json`, ["aa/layer.tar"]),
  ]

  it("keeps its config digest and gets our form", async () => {
    const image = await importImage(await writeTar(saved()), fresh())
    assert.equal(image.runner_image, `sha256:${config}`)
    assert.deepEqual([image.name, image.packages], ["runner-python", ["python3=3.11"]])
    const layer = fresh()
    writeFileSync(layer, layerBytes)
    const ours = fresh()
    const digests = await writeArchive(configBytes, [{ file: layer, digest: sha256(layerBytes), size: 1024 }], ours)
    assert.equal(image.manifest_digest, `sha256:${digests.manifest}`)
    assert.equal(sha256(readFileSync(image.archive)), sha256(readFileSync(ours)))
    const again = await importImage(image.archive, fresh())
    assert.deepEqual({ ...again, archive: "" }, { ...image, archive: "" })
  })

  it("may have a compressed layer", async () => {
    assert.equal((await importImage(await writeTar(saved(gzipSync(layerBytes))), fresh())).runner_image, `sha256:${config}`)
  })

  it("tells its packages by dpkg's status where it has no label", async () => {
    const layer = readFileSync(
      await writeTar([{ name: "var/lib/dpkg/status", content: "Package: a\nStatus: install ok installed\nVersion: 1\n" }]),
    )
    const plain = JSON.stringify({ os: "linux", rootfs: { diff_ids: [`sha256:${sha256(layer)}`] } })
    const entries = [{ name: "c", content: plain }, { name: "l", content: layer }, manifest("c", ["l"])]
    const image = await importImage(await writeTar(entries), fresh())
    assert.deepEqual([image.name, image.packages], ["image", ["a=1"]])
  })

  const faults: [string, () => Entry[], RegExp][] = [
    ["a changed layer", () => saved(Buffer.alloc(1024, 1)), /a layer is/],
    ["a changed layer, compressed", () => saved(gzipSync(Buffer.alloc(1024, 1))), /a layer is/],
    ["a changed config", () => saved(layerBytes, Buffer.from(configBytes.toString().replace("/work", "/home"))), /its config is/],
    ["no manifest", () => saved().slice(0, 2), /no manifest\.json/],
    ["a manifest that names what is not there", () => [...saved().slice(0, 2), manifest("other.json", ["aa/layer.tar"])], /no other\.json/],
    ["a manifest that names a host's file", () => [...saved().slice(0, 2), manifest("/etc/passwd", ["aa/layer.tar"])], /no \/etc\/passwd/],
    ["two images", () => [...saved().slice(0, 2), { name: "manifest.json", content: "[{},{}]" }], /manifest\.json is not/],
    [
      "fewer layers than its config",
      () => [...saved().slice(0, 2), manifest(`${config}.json`, ["aa/layer.tar", "aa/layer.tar"])],
      /number of layers/,
    ],
    [
      "a config that is not JSON",
      () => [{ name: "c", content: "{" }, { name: "l", content: "" }, manifest("c", ["l"])],
      /its config is not/,
    ],
  ]
  for (const [what, entries, expected] of faults) {
    it(`is refused with ${what}, and leaves nothing behind`, async () => {
      const into = fresh()
      await assert.rejects(
        importImage(await writeTar(entries()), into),
        (error: Error & { code: string }) => error.code === "image-invalid" && expected.test(error.message),
      )
      assert.deepEqual(readdirSync(into), [])
    })
  }

  it("is refused when it is no archive", async () => {
    const file = fresh()
    writeFileSync(file, "x".repeat(2048))
    await assert.rejects(importImage(file, fresh()), { code: "image-invalid" })
  })
})

describe("the words of other programs", () => {
  it("apt's: only the distribution's own repositories, of this release, are built from", () => {
    const targets = [
      "Packages|Debian|bookworm|main|http://mirror/debian/|bookworm",
      "Packages|Debian|bookworm-security|main|http://mirror/debian-security/|bookworm-security",
      "Packages|Debian|bookworm|non-free|http://mirror/debian/|bookworm",
      "Packages|Debian|trixie|main|http://mirror/debian/|trixie",
      "Packages|Example Inc|bookworm|main|http://elsewhere/|bookworm",
      "Sources|Debian|bookworm|main|http://mirror/debian/|bookworm",
      "",
    ].join("\n")
    assert.deepEqual(ownRepositories(targets, "bookworm"), [
      "deb http://mirror/debian bookworm main",
      "deb http://mirror/debian-security bookworm-security main",
    ])
  })

  it("dpkg's: a package's name and version from its archive's", () => {
    assert.equal(packageOfArchive("zlib1g_1%3a1.2.13.dfsg-1_amd64.deb"), "zlib1g=1:1.2.13.dfsg-1")
    assert.equal(packageOfArchive("libstdc++6_12.2.0-14+deb12u1_amd64.deb"), "libstdc++6=12.2.0-14+deb12u1")
    for (const other of ["partial", "lock", "a_b.deb", "../x_1_all.deb"]) assert.equal(packageOfArchive(other), undefined)
  })

  it("dpkg's: what is installed, and not what only was", () => {
    const status =
      "Package: b\nStatus: install ok installed\nVersion: 1:2-3\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n\nPackage: a\nStatus: install ok installed\nVersion: 1\nDescription: x\n Version: 9\n"
    assert.deepEqual(packagesOfStatus(status), ["a=1", "b=1:2-3"])
    assert.deepEqual(packagesOfStatus(""), [])
  })

  it("the engine's: a build's last error", () => {
    assert.equal(buildError('{"stream":"Step 1"}\n\n{"error":"no route"}\n{"stream":"x"}\n'), "no route")
    assert.equal(buildError('{"stream":"Step 1"}\n'), undefined)
  })
})
