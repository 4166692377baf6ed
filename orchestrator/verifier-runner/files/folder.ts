/** Reads folders: from a directory of this machine, or from a tar archive of one. */
import { lstat, readdir, readFile, readlink } from "node:fs/promises"
import { join } from "node:path"
import { extract } from "tar-stream"
import { AfgError } from "../../errors.ts"
import type { TreeFile } from "./tree.ts"

export type FolderLimits = { files: number; bytes: number }

export const FOLDER_LIMITS: FolderLimits = { files: 100_000, bytes: 512 * 1024 * 1024 }

const meter = (limits: FolderLimits) => {
  let files = 0
  let bytes = 0
  return (size: number): void => {
    files += 1
    bytes += size
    if (files > limits.files || bytes > limits.bytes)
      throw new AfgError("folder-too-large", `the folder has more than ${limits.files} files or ${limits.bytes} bytes`)
  }
}

const EXECUTABLE = 0o100

/** All files below a directory; symbolic links are kept as links. Throws `folder-unreadable` for devices, sockets and pipes. */
export const readFolder = async (directory: string, limits: FolderLimits = FOLDER_LIMITS): Promise<TreeFile[]> => {
  const files: TreeFile[] = []
  const count = meter(limits)
  const walk = async (prefix: string): Promise<void> => {
    for (const name of (await readdir(join(directory, prefix))).sort()) {
      const path = prefix === "" ? name : `${prefix}/${name}`
      const stats = await lstat(join(directory, path))
      if (stats.isDirectory()) await walk(path)
      else if (stats.isSymbolicLink()) {
        count(0)
        files.push({ path, mode: "120000", bytes: Buffer.from(await readlink(join(directory, path))) })
      } else if (stats.isFile()) {
        count(stats.size)
        files.push({ path, mode: stats.mode & EXECUTABLE ? "100755" : "100644", bytes: await readFile(join(directory, path)) })
      } else throw new AfgError("folder-unreadable", `${path} is neither a file, a folder nor a link`)
    }
  }
  await walk("")
  return files
}

const normal = (name: string): string => name.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "")

/** The files of a tar archive, in memory; nothing is written. Throws `folder-unreadable` for hard links, devices and paths that leave the folder. */
export const folderOfTar = async (archive: Uint8Array, limits: FolderLimits = FOLDER_LIMITS): Promise<TreeFile[]> => {
  const files = new Map<string, TreeFile>()
  const count = meter(limits)
  const source = extract()
  source.end(Buffer.from(archive))
  try {
    for await (const entry of source) {
      const { name, type, mode = 0, linkname, size = 0 } = entry.header
      const path = normal(name)
      if (type === "directory") {
        entry.resume()
        continue
      }
      if (path === "" || path.startsWith("/") || path.split("/").some((part) => part === "" || part === "." || part === ".."))
        throw new AfgError("folder-unreadable", `${JSON.stringify(name)} is not a path below the folder`)
      count(size)
      const chunks: Buffer[] = []
      for await (const chunk of entry) chunks.push(chunk as Buffer)
      if (files.has(path)) throw new AfgError("folder-unreadable", `${path} is in the archive twice`)
      if (type === "file") files.set(path, { path, mode: mode & EXECUTABLE ? "100755" : "100644", bytes: Buffer.concat(chunks) })
      else if (type === "symlink" && linkname) files.set(path, { path, mode: "120000", bytes: Buffer.from(linkname) })
      else throw new AfgError("folder-unreadable", `${path} is a ${type}`)
    }
  } catch (cause) {
    if (cause instanceof AfgError) throw cause
    throw new AfgError("folder-unreadable", `not a tar archive: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  return [...files.values()]
}
