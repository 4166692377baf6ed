/**
 * One tar that is an OCI image layout and a Docker archive at once. Engines that load it keep the digest of its config,
 * which is what contracts pin; nothing in it depends on when or where it was written.
 */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { type Pack, pack } from "tar-stream"
import type { Sha256 } from "../../types.ts"
import { ENVIRONMENT, IMAGE_NAME, RUNNER_UID, SOURCE_DATE_EPOCH } from "./recipe.ts"

/** A layer's uncompressed tar. */
export type Layer = { file: string; digest: Sha256; size: number }
export type ArchiveDigests = { config: Sha256; manifest: Sha256 }

/** Label of the config that lists the packages as `name=version`, separated by blanks. */
export const PACKAGES_LABEL = "afg.packages"
/** Label of the config that names the image. */
export const TITLE_LABEL = "org.opencontainers.image.title"

const sha256 = (bytes: Buffer): Sha256 => createHash("sha256").update(bytes).digest("hex") as Sha256
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const created = new Date(SOURCE_DATE_EPOCH * 1000).toISOString()

/** OCI's names for the architectures that Node names otherwise. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", ppc64: "ppc64le" }

/** The config of an image of ours: its bytes decide the digest that contracts pin. */
export const imageConfig = (layer: Layer, packages: readonly string[]): Buffer =>
  json({
    created,
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: "linux",
    config: {
      User: `${RUNNER_UID}:${RUNNER_UID}`,
      Env: ENVIRONMENT,
      WorkingDir: "/work",
      Labels: { [PACKAGES_LABEL]: packages.join(" "), [TITLE_LABEL]: IMAGE_NAME },
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${layer.digest}`] },
    history: [{ created, created_by: "afg images build" }],
  })

const blob = (digest: string): string => `blobs/sha256/${digest}`

const addEntries = async (archive: Pack, layers: readonly Layer[], config: Buffer, manifest: Buffer, tag: string): Promise<void> => {
  const mtime = new Date(SOURCE_DATE_EPOCH * 1000)
  const file = (name: string, content: Buffer) => archive.entry({ name, mode: 0o644, mtime }, content)
  for (const name of ["blobs", "blobs/sha256"]) archive.entry({ name, type: "directory", mode: 0o755, mtime })
  file(blob(sha256(config)), config)
  file(blob(sha256(manifest)), manifest)
  for (const { digest, size, file: source } of new Map(layers.map((layer) => [layer.digest, layer])).values())
    await pipeline(createReadStream(source), archive.entry({ name: blob(digest), mode: 0o644, mtime, size }))
  const annotations = { "io.containerd.image.name": tag, "org.opencontainers.image.ref.name": tag }
  const descriptor = {
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    digest: `sha256:${sha256(manifest)}`,
    size: manifest.length,
  }
  file("index.json", json({ schemaVersion: 2, manifests: [{ ...descriptor, annotations }] }))
  file("oci-layout", json({ imageLayoutVersion: "1.0.0" }))
  file("manifest.json", json([{ Config: blob(sha256(config)), RepoTags: [tag], Layers: layers.map(({ digest }) => blob(digest)) }]))
  archive.finalize()
}

/** The name under which engines keep an image: its digest's first digits, so that versions stand side by side. */
export const imageTag = (config: string): string => `localhost/afg/runner:${config.replace(/^sha256:/, "").slice(0, 12)}`

/** Writes the archive to `file`. */
export const writeArchive = async (config: Buffer, layers: readonly Layer[], file: string): Promise<ArchiveDigests> => {
  const manifest = json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.oci.image.config.v1+json", digest: `sha256:${sha256(config)}`, size: config.length },
    // Not compressed: a layer's digest must not depend on a compressor's version.
    layers: layers.map(({ digest, size }) => ({ mediaType: "application/vnd.oci.image.layer.v1.tar", digest: `sha256:${digest}`, size })),
  })
  const archive = pack()
  const writing = pipeline(archive, createWriteStream(file))
  await Promise.all([writing, addEntries(archive, layers, config, manifest, imageTag(sha256(config)))])
  return { config: sha256(config), manifest: sha256(manifest) }
}
