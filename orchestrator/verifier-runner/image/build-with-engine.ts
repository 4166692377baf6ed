/** Builds an equivalent image through the engine, where the host has no Debian packages. It needs an image registry. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { pack } from "tar-stream"
import { AfgError } from "../../errors.ts"
import { type ImageRecord, projectRoot } from "../../setup-record.ts"
import { engineJson, engineRequest } from "../host/engine-http.ts"
import { importImage } from "./import.ts"
import { IMAGE_NAME, recipeDigest } from "./recipe.ts"

const TAG = `localhost/afg/${IMAGE_NAME}-built:latest`
const BUILD_MS = 600_000

/** The last error in a build's stream of JSON lines; undefined when there was none. */
export const buildError = (stream: string): string | undefined => {
  let last: string | undefined
  for (const line of stream.split("\n")) {
    try {
      const { error } = JSON.parse(line) as { error?: string }
      if (error) last = error
    } catch {
      // Blank lines separate the objects.
    }
  }
  return last
}

/** Runs `docker/runner-python.Dockerfile` in the engine and keeps what comes out in `directory`. Throws `image-build-failed`. */
export const buildImageWithEngine = async (socket: string, directory: string): Promise<ImageRecord> => {
  await mkdir(directory, { recursive: true })
  const context = pack()
  context.entry({ name: "Dockerfile" }, await readFile(join(projectRoot, "docker", `${IMAGE_NAME}.Dockerfile`)))
  context.entry({ name: "hold.py", mode: 0o755 }, await readFile(fileURLToPath(new URL("hold.py", import.meta.url))))
  context.finalize()
  const query = new URLSearchParams({ t: TAG, forcerm: "true", pull: "false" })
  const built = await engineRequest(socket, `/build?${query}`, { method: "POST", stream: Readable.from(context), timeoutMs: BUILD_MS })
  const text = built.body.toString("utf8")
  const problem = built.status >= 300 ? text : buildError(text)
  if (problem !== undefined)
    throw new AfgError("image-build-failed", `the engine could not build ${IMAGE_NAME}.Dockerfile: ${problem.trim()}`)
  const { Id } = (await engineJson(socket, `/images/${encodeURIComponent(TAG)}/json`)) as { Id: string }
  const work = await mkdtemp(join(directory, ".save-"))
  try {
    const saved = join(work, "saved.tar")
    const { status, body } = await engineRequest(socket, `/images/${encodeURIComponent(TAG)}/get`, { timeoutMs: BUILD_MS })
    if (status !== 200) throw new AfgError("image-build-failed", `the engine built ${Id} but does not export it: ${status}`)
    await writeFile(saved, body)
    return { ...(await importImage(saved, directory)), recipe: recipeDigest() }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
