/** Builds the runner image out of the distribution's packages and describes it. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { ImageRecord } from "../../setup-record.ts"
import { archivePath } from "./import.ts"
import { writeLayer } from "./layer.ts"
import { imageConfig, writeArchive } from "./oci-archive.ts"
import { IMAGE_NAME, recipeDigest } from "./recipe.ts"
import { buildRootfs } from "./rootfs.ts"

/** Builds `<directory>/runner-python-<digest>.tar`. Throws `image-build-unavailable` or `image-build-failed`. */
export const buildImage = async (directory: string): Promise<ImageRecord> => {
  await mkdir(directory, { recursive: true })
  const work = await mkdtemp(join(directory, ".build-"))
  try {
    const rootfs = join(work, "rootfs.tar")
    await buildRootfs(rootfs)
    const { layer, packages } = await writeLayer(rootfs, join(work, "layer.tar"))
    const partial = join(work, "archive.tar")
    const digests = await writeArchive(imageConfig(layer, packages), [layer], partial)
    const archive = archivePath(directory, IMAGE_NAME, digests.config)
    const { size } = await stat(partial)
    await rename(partial, archive)
    return {
      name: IMAGE_NAME,
      runner_image: `sha256:${digests.config}`,
      manifest_digest: `sha256:${digests.manifest}`,
      size,
      packages,
      archive,
      recipe: recipeDigest(),
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
