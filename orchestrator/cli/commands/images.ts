/** `afg images`: the images that checks run in (`docs/runner-image.md`). */
import { createReadStream, createWriteStream, existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import type { Command } from "commander"
import { AfgError } from "../../errors.ts"
import { afgHome, type ImageRecord, readSetupRecord, type SetupRecord } from "../../setup-record.ts"
import { ensureEngine } from "../../verifier-runner/host/ensure-engine.ts"
import { loadRecord, saveRecord, withImage } from "../../verifier-runner/host/record.ts"
import { buildImage } from "../../verifier-runner/image/build.ts"
import { buildImageWithEngine } from "../../verifier-runner/image/build-with-engine.ts"
import { importImage } from "../../verifier-runner/image/import.ts"
import { loadImage } from "../../verifier-runner/image/load.ts"
import type { Run } from "../commands.ts"
import { type CliIo, type CommandResult, UsageError } from "../io.ts"

const shown = ({ name, runner_image, manifest_digest, size, packages }: ImageRecord) => ({
  name,
  runner_image,
  manifest_digest,
  size,
  packages,
})

const line = ({ name, runner_image, size, packages }: ImageRecord): string =>
  `${name}  ${runner_image}  ${(size / 1e6).toFixed(1)} MB  ${packages.length} packages`

const result = (images: readonly ImageRecord[]): CommandResult => ({
  exit: 0,
  json: { images: images.map(shown) },
  text: images.length === 0 ? "no images: npm run setup builds one" : images.map(line).join("\n"),
})

const imagesDirectory = (io: CliIo): string => join(afgHome(io.env), "images")

/** Puts an image into the engine and into the record; only what the engine took is recorded. */
const adopt = async (image: ImageRecord, io: CliIo): Promise<void> => {
  await loadImage(await ensureEngine(io.env), image)
  const home = afgHome(io.env)
  saveRecord(home, withImage(loadRecord(home), image))
}

const buildHere = async (io: CliIo): Promise<CommandResult> => {
  io.stderr("building the runner image (about 10 s) …\n")
  const image = await buildImage(imagesDirectory(io)).catch(async (error: unknown) => {
    if (!(error instanceof AfgError) || error.code !== "image-build-unavailable") throw error
    io.stderr("mmdebstrap is not installed: building with the container engine …\n")
    return buildImageWithEngine((await ensureEngine(io.env)).socket, imagesDirectory(io))
  })
  await adopt(image, io)
  return result([image])
}

const load = async (file: string, io: CliIo): Promise<CommandResult> => {
  const path = resolve(io.cwd, file)
  if (!existsSync(path)) throw new UsageError("file-unreadable", `there is no file ${file}`)
  const image = await importImage(path, imagesDirectory(io))
  await adopt(image, io)
  return result([image])
}

/** By name (its newest), by `sha256:…`, or by at least the first 12 digits of the digest. */
const chosen = (record: SetupRecord, wanted: string | undefined): ImageRecord => {
  const digits = wanted?.replace(/^sha256:/, "")
  const image = record.images.find(
    ({ name, runner_image }) =>
      wanted === undefined || name === wanted || (digits !== undefined && digits.length >= 12 && runner_image.slice(7).startsWith(digits)),
  )
  if (image) return image
  throw new UsageError(
    "image-unknown",
    wanted === undefined ? "there is no image: run `npm run setup`" : `there is no image ${wanted}: \`afg images list\` shows them`,
  )
}

const exportTo = async (file: string, wanted: string | undefined, io: CliIo): Promise<CommandResult> => {
  const image = chosen(readSetupRecord(io.env), wanted)
  if (!existsSync(image.archive)) throw new AfgError("image-missing", `${image.archive} is gone: run \`npx afg images build\``)
  await pipeline(createReadStream(image.archive), createWriteStream(resolve(io.cwd, file)))
  return { ...result([image]), text: `${image.name} ${image.runner_image} → ${file}` }
}

export const build = (command: Command, io: CliIo, run: Run): void => {
  const leaf = (name: string, summary: string): Command =>
    command.command(name).description(summary).option("--json", "print one JSON document")
  leaf("list", "the images known on this machine").action(() => run(async () => result(readSetupRecord(io.env).images)))
  leaf("build", "build the runner image from the packages of today").action(() => run(() => buildHere(io)))
  leaf("export", "write an image's archive to a file, to take elsewhere or to publish")
    .argument("<file>", "where to write the archive")
    .argument("[image]", "name or digest; the newest by default")
    .action((file: string, image: string | undefined) => run(() => exportTo(file, image, io)))
  leaf("load", "add an image from an archive of `afg images export`, `docker save` or `podman save`")
    .argument("<file>", "the archive")
    .action((file: string) => run(() => load(file, io)))
}
