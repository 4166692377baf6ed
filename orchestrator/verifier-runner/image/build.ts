/** Builds the runner image and describes it. */
import { mkdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { ImageRecord } from "../../setup-record.ts"
import { writeLayer } from "./layer.ts"
import { writeArchive } from "./oci-archive.ts"
import { IMAGE_NAME, recipeDigest } from "./recipe.ts"
import { buildRootfs } from "./rootfs.ts"

/** Builds `<directory>/runner-python.tar`, replacing an older one only when the new one is complete. */
export const buildImage = async (directory: string): Promise<ImageRecord> => {
  await mkdir(directory, { recursive: true })
  const archive = join(directory, `${IMAGE_NAME}.tar`)
  const layerFile = join(directory, `.layer-${process.pid}.tar`)
  const partial = join(directory, `.${IMAGE_NAME}-${process.pid}.tar`)
  const rootfs = await buildRootfs()
  try {
    const layer = await writeLayer(rootfs.tar, layerFile)
    const digests = await writeArchive({ file: layerFile, ...layer }, rootfs.packages, partial)
    const { size } = await stat(partial)
    await rename(partial, archive)
    return {
      name: IMAGE_NAME,
      runner_image: `sha256:${digests.config}`,
      manifest_digest: `sha256:${digests.manifest}`,
      size,
      packages: rootfs.packages,
      archive,
      recipe: recipeDigest(),
    }
  } finally {
    await Promise.all([rootfs.dispose(), rm(layerFile, { force: true }), rm(partial, { force: true })])
  }
}
