/** Puts a built image into an engine and finds it there by the digest that contracts pin. */
import { createReadStream, existsSync } from "node:fs"
import { AfgError } from "../../errors.ts"
import type { EngineRecord, ImageRecord } from "../../setup-record.ts"
import { engineJson, engineRequest } from "../host/engine-http.ts"
import { imageTag } from "./oci-archive.ts"

type Engine = Pick<EngineRecord, "socket">
type Image = Pick<ImageRecord, "runner_image" | "manifest_digest" | "archive">

/** The config digest of an image in the engine, by any reference; null when there is none. */
const configDigest = async (engine: Engine, reference: string): Promise<{ id: string; labelled: string } | null> => {
  const { status, body } = await engineRequest(engine.socket, `/images/${encodeURIComponent(reference)}/json`)
  if (status !== 200) return null
  const { Id } = JSON.parse(body.toString("utf8")) as { Id: string }
  return { id: Id.startsWith("sha256:") ? Id : `sha256:${Id}`, labelled: reference }
}

/**
 * What to name the image by when creating a container; null when the engine does not have it. Podman and Docker's classic store
 * identify an image by its config digest; Docker's containerd store by its manifest digest, which the record pairs with it.
 */
export const findImage = async (engine: Engine, image: Pick<Image, "runner_image" | "manifest_digest">): Promise<string | null> => {
  for (const digest of [image.runner_image, image.manifest_digest]) {
    const found = await configDigest(engine, digest)
    if (found?.id === digest) return digest
  }
  const tagged = await configDigest(engine, imageTag(image.runner_image))
  return tagged && [image.runner_image, image.manifest_digest].includes(tagged.id) ? tagged.id : null
}

/**
 * Loads the archive unless the engine has the image, and returns the reference to create containers from.
 *
 * Throws `image-missing` without the archive, `image-digest-mismatch` when the engine made something else of it.
 */
export const loadImage = async (engine: Engine, image: Image): Promise<string> => {
  const present = await findImage(engine, image)
  if (present !== null) return present
  if (!existsSync(image.archive)) throw new AfgError("image-missing", `${image.archive} is gone: run \`npx afg images build\``)
  await engineJson(engine.socket, "/images/load?quiet=true", {
    method: "POST",
    stream: createReadStream(image.archive),
    timeoutMs: 300_000,
  })
  const loaded = await findImage(engine, image)
  if (loaded === null)
    throw new AfgError("image-digest-mismatch", `${image.archive} was loaded, but the engine has no image ${image.runner_image} afterwards`)
  return loaded
}
