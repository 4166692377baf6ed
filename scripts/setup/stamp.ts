/** Remembers what a step was done for, so that it is done again only when that changes. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const filesUnder = (path: string): string[] => {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
}

/** Digest of all files under the paths that `wanted` accepts, with their names, and of `extra`. */
export const digestOf = (
  paths: readonly string[],
  extra: readonly string[] = [],
  wanted: (file: string) => boolean = () => true,
): string => {
  const hash = createHash("sha256").update(JSON.stringify(extra))
  for (const file of paths.flatMap(filesUnder).filter(wanted)) hash.update(`\0${file}\0`).update(readFileSync(file))
  return hash.digest("hex")
}

/** Whether the stamp in `file` is this digest. */
export const isStamped = (file: string, digest: string): boolean => existsSync(file) && readFileSync(file, "utf8").trim() === digest

export const writeStamp = (file: string, digest: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${digest}\n`)
}
