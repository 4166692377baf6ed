/**
 * Reads an archive that `docker save`, `podman save` or `afg images export` wrote, checks every digest in it, and keeps it as an archive of
 * our own form, so that it loads everywhere with the same digest.
 */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { z } from "zod"
import { AfgError } from "../../errors.ts"
import type { ImageRecord } from "../../setup-record.ts"
import type { Sha256 } from "../../types.ts"
import { packagesOfLayers } from "./dpkg.ts"
import { type Layer, PACKAGES_LABEL, TITLE_LABEL, writeArchive } from "./oci-archive.ts"
import { forEachEntry } from "./tar.ts"

const dockerManifest = z.tuple([z.object({ Config: z.string().min(1), Layers: z.array(z.string().min(1)).min(1).max(127) })])
const configSchema = z.object({
  os: z.literal("linux"),
  rootfs: z.object({ diff_ids: z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/)).min(1) }),
  config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
})

const invalid = (file: string, why: string, cause?: unknown): AfgError => new AfgError("image-invalid", `${file}: ${why}`, { cause })

/** Unpacks the archive's files flat into `directory`; returns what each name is stored as. Names are never used as paths. */
const unpack = async (file: string, directory: string): Promise<Map<string, string>> => {
  const stored = new Map<string, string>()
  await forEachEntry(file, async (entry) => {
    const name = entry.header.name.replace(/^\.\//, "")
    const { type, linkname } = entry.header
    if (type === "file") {
      const path = join(directory, String(stored.size))
      await pipeline(entry, createWriteStream(path))
      stored.set(name, path)
    } else {
      // `docker save` writes a layer that two images share as a link to the first.
      const target = linkname && stored.get(join(name, "..", linkname))
      if (type === "symlink" && target) stored.set(name, target)
      entry.resume()
    }
  })
  return stored
}

const measured = async (path: string): Promise<{ digest: Sha256; size: number }> => {
  const hash = createHash("sha256")
  let size = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    size += (chunk as Buffer).length
  }
  return { digest: hash.digest("hex") as Sha256, size }
}

/** The layer's uncompressed tar, whose digest the config names; gzip is undone. */
const plainLayer = async (path: string, expected: string, file: string): Promise<Layer> => {
  const asStored = await measured(path)
  if (`sha256:${asStored.digest}` === expected) return { file: path, ...asStored }
  const plain = `${path}.plain`
  try {
    await pipeline(createReadStream(path), createGunzip(), createWriteStream(plain))
  } catch (cause) {
    throw invalid(file, `a layer is ${asStored.digest}, not ${expected}`, cause)
  }
  const undone = await measured(plain)
  if (`sha256:${undone.digest}` !== expected) throw invalid(file, `a layer is ${undone.digest}, not ${expected}`)
  return { file: plain, ...undone }
}

const parse = <T>(schema: z.ZodType<T>, text: Buffer, file: string, what: string): T => {
  try {
    return schema.parse(JSON.parse(text.toString("utf8")))
  } catch (cause) {
    throw invalid(file, `${what} is not what an image archive has`, cause)
  }
}

const nameOf = (labels: Readonly<Record<string, string>>): string => {
  const title = labels[TITLE_LABEL] ?? ""
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(title) ? title : "image"
}

/**
 * Takes the archive `file` into `directory` and describes it.
 *
 * Throws `image-invalid` when it is not an archive of exactly one image or a digest is not that of its bytes.
 */
export const importImage = async (file: string, directory: string): Promise<ImageRecord> => {
  await mkdir(directory, { recursive: true })
  const work = await mkdtemp(join(directory, ".import-"))
  try {
    const stored = await unpack(file, work).catch((cause: unknown) => {
      throw invalid(file, `it is not a tar archive: ${cause instanceof Error ? cause.message : cause}`, cause)
    })
    const bytesOf = async (name: string): Promise<Buffer> => {
      const path = stored.get(name)
      if (path === undefined) throw invalid(file, `it has no ${name}`)
      return readFile(path)
    }
    const [{ Config, Layers }] = parse(dockerManifest, await bytesOf("manifest.json"), file, "manifest.json")
    const config = await bytesOf(Config)
    const named = /[0-9a-f]{64}/.exec(Config)?.[0]
    const actual = createHash("sha256").update(config).digest("hex")
    if (named !== undefined && named !== actual) throw invalid(file, `its config is ${actual}, not ${named}`)
    const { rootfs, config: settings } = parse(configSchema, config, file, "its config")
    if (rootfs.diff_ids.length !== Layers.length) throw invalid(file, "its config and its manifest differ in their number of layers")
    const layers: Layer[] = []
    for (const [index, name] of Layers.entries()) {
      const path = stored.get(name)
      if (path === undefined) throw invalid(file, `it has no ${name}`)
      layers.push(await plainLayer(path, rootfs.diff_ids[index] ?? "", file))
    }
    const partial = join(work, "archive.tar")
    const digests = await writeArchive(config, layers, partial)
    const labels = settings?.Labels ?? {}
    const name = nameOf(labels)
    const archive = archivePath(directory, name, digests.config)
    const { size } = await stat(partial)
    await rename(partial, archive)
    return {
      name,
      runner_image: `sha256:${digests.config}`,
      manifest_digest: `sha256:${digests.manifest}`,
      size,
      packages: labels[PACKAGES_LABEL]?.split(" ").filter(Boolean) ?? (await packagesOfLayers(layers)),
      archive,
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Where an image's archive is kept: by digest, because contracts that pin an older image still need it. */
export const archivePath = (directory: string, name: string, config: string): string =>
  join(directory, `${name}-${config.slice(0, 12)}.tar`)
