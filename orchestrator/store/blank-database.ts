/**
 * A new embedded database costs several seconds of work that is the same every time, so it is done once on a machine: the blank database is kept beside
 * what set-up made, and copied from then on.
 */
import { randomUUID } from "node:crypto"
import { constants, existsSync } from "node:fs"
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"

/** Another version may lay out its files differently. */
const pgliteVersion = async (): Promise<string> => {
  const file = join(dirname(fileURLToPath(import.meta.resolve("@electric-sql/pglite"))), "../package.json")
  return (JSON.parse(await readFile(file, "utf8")) as { version: string }).version
}

/** Makes a directory appear whole: filled under another name first. Whoever comes second leaves what is there. */
const placeWhole = async (target: string, fill: (directory: string) => Promise<void>): Promise<void> => {
  const temporary = `${target}.${randomUUID()}`
  try {
    await fill(temporary)
    await rename(temporary, target)
  } catch (error) {
    if (!existsSync(target)) throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Puts a blank database at `target`, unless one is there. `cache`: where the one to copy is kept. */
export const placeBlankDatabase = async (target: string, cache: string): Promise<void> => {
  if (existsSync(target)) return
  const blank = join(cache, `pglite-${await pgliteVersion()}`)
  if (!existsSync(blank)) {
    await mkdir(cache, { recursive: true })
    await placeWhole(blank, async (directory) => (await PGlite.create(directory)).close())
  }
  await placeWhole(target, (directory) => cp(blank, directory, { recursive: true, mode: constants.COPYFILE_FICLONE }))
}
