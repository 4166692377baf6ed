/** The read-only input of a container as the tar archive that engines unpack. */
import { Readable } from "node:stream"
import { pack } from "tar-stream"
import type { TreeFile } from "../files/tree.ts"
import { SOURCE_DATE_EPOCH } from "../image/recipe.ts"

const MODES = { "100644": 0o644, "100755": 0o755, "120000": 0o777 } as const

/** Every folder before what is in it; owners and times are fixed, so that nothing of this machine is visible inside. */
export const inputArchive = (files: readonly TreeFile[]): Readable => {
  const archive = pack()
  const common = { uid: 0, gid: 0, mtime: new Date(SOURCE_DATE_EPOCH * 1000) }
  const folders = new Set<string>()
  for (const { path } of files)
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) folders.add(path.slice(0, slash))
  for (const name of [...folders].sort()) archive.entry({ ...common, name, type: "directory", mode: 0o755 })
  for (const { path, mode, bytes } of files) {
    if (mode === "120000")
      archive.entry({ ...common, name: path, type: "symlink", linkname: Buffer.from(bytes).toString("utf8"), mode: MODES[mode] })
    else archive.entry({ ...common, name: path, mode: MODES[mode] }, Buffer.from(bytes))
  }
  archive.finalize()
  return Readable.from(archive)
}
