/** What Debian's package manager says is installed, for images that do not say it themselves. */
import { text } from "node:stream/consumers"
import type { Layer } from "./oci-archive.ts"
import { forEachEntry } from "./tar.ts"

const STATUS = "var/lib/dpkg/status"

/** `name=version` of each installed package in dpkg's status file, sorted. */
export const packagesOfStatus = (status: string): string[] =>
  status
    .split("\n\n")
    .flatMap((paragraph) => {
      const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(paragraph)?.[1]
      const [name, version] = [field("Package"), field("Version")]
      return name && version && field("Status") === "install ok installed" ? [`${name}=${version}`] : []
    })
    .sort()

/** The packages of an image; a later layer's status file replaces an earlier one's. */
export const packagesOfLayers = async (layers: readonly Layer[]): Promise<string[]> => {
  let status = ""
  for (const { file } of layers)
    await forEachEntry(file, async (entry) => {
      if (entry.header.name.replace(/^\.?\//, "") === STATUS) status = await text(entry)
      else entry.resume()
    })
  return packagesOfStatus(status)
}
