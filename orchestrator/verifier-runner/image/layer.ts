/** Turns a root file system's tar into the image's one layer: chosen paths, fixed times, no privileges. */
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { Transform } from "node:stream"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { type Header, type Pack, pack } from "tar-stream"
import type { Sha256 } from "../../types.ts"
import type { Layer } from "./oci-archive.ts"
import { DIRECTORIES, FILES, KEPT, LEFT_OUT, LINKS, PACKAGE_LIST, SOURCE_DATE_EPOCH } from "./recipe.ts"
import { packageOfArchive } from "./rootfs.ts"
import { forEachEntry } from "./tar.ts"

const pattern = (glob: string, below: boolean): RegExp =>
  new RegExp(`^${glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*")}${below ? "(?:/|$)" : "$"}`)

const leftOut = LEFT_OUT.map((glob) => pattern(glob, true))
const kept = KEPT.map((glob) => pattern(glob, false))
const own = new Set([...DIRECTORIES, ...FILES, ...LINKS].map(({ path }) => path))

/** Whether a path of the distribution's file system (no leading `./`) goes into the layer. */
export const isInLayer = (path: string): boolean =>
  path !== "" && !own.has(path) && (kept.some((one) => one.test(path)) || !leftOut.some((one) => one.test(path)))

/** `./usr/bin/` → `usr/bin`; the root itself is empty. */
const normalPath = (name: string): string => name.replace(/^\.?\/+/, "").replace(/\/+$/, "")

const mtime = new Date(SOURCE_DATE_EPOCH * 1000)
/** No set-uid, set-gid or sticky program: whoever starts in the container stays what it is. */
const plainMode = (mode: number | undefined): number => (mode ?? 0o644) & 0o777

const addOwn = (layer: Pack): void => {
  for (const { path, mode, uid } of DIRECTORIES) layer.entry({ name: path, type: "directory", mode, uid, gid: uid, mtime })
  for (const { path, mode, content } of FILES) layer.entry({ name: path, mode, uid: 0, gid: 0, mtime }, content)
  for (const { path, target } of LINKS) layer.entry({ name: path, type: "symlink", linkname: target, mode: 0o777, uid: 0, gid: 0, mtime })
}

const entryHeaders = (path: string, headers: Header): Partial<Header> & { name: string } => ({
  name: path,
  type: headers.type ?? "file",
  mode: headers.type === "symlink" ? 0o777 : plainMode(headers.mode),
  uid: headers.uid ?? 0,
  gid: headers.gid ?? 0,
  mtime,
  size: headers.size ?? 0,
  // A hard link names its target as the archive does; a symbolic link's text is its content.
  ...(headers.linkname ? { linkname: headers.type === "link" ? normalPath(headers.linkname) : headers.linkname } : {}),
})

/** Copies what belongs into the layer; returns the text of the package list. */
const copyEntries = async (rootfsTar: string, layer: Pack): Promise<string> => {
  let list = ""
  await forEachEntry(rootfsTar, async (entry) => {
    const path = normalPath(entry.header.name)
    const type = entry.header.type ?? "file"
    if (path === PACKAGE_LIST) {
      list = await text(entry)
      return
    }
    if (!["file", "directory", "symlink", "link"].includes(type) || !isInLayer(path)) {
      entry.resume()
      return
    }
    const headers = entryHeaders(path, entry.header)
    if (type === "file") await pipeline(entry, layer.entry(headers))
    else {
      layer.entry(headers)
      entry.resume()
    }
  })
  return list
}

/** Writes the layer's tar to `file`; returns its digest and size, and the packages (`name=version`, sorted) it is made of. */
export const writeLayer = async (rootfsTar: string, file: string): Promise<{ layer: Layer; packages: string[] }> => {
  const layer = pack()
  const hash = createHash("sha256")
  let size = 0
  const meter = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  const writing = pipeline(layer, meter, createWriteStream(file))
  const filling = copyEntries(rootfsTar, layer).then((names) => {
    addOwn(layer)
    layer.finalize()
    return names
  })
  const [list] = await Promise.all([filling, writing])
  const packages = list.split("\n").flatMap((name) => packageOfArchive(name) ?? [])
  return { layer: { file, digest: hash.digest("hex") as Sha256, size }, packages: packages.sort() }
}
