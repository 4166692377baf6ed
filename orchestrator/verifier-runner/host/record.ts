/** Keeps `.afg/setup.json`: what set-up found and built, and the images that were added since. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ImageRecord, SetupRecord } from "../../setup-record.ts"

const fileIn = (home: string): string => join(home, "setup.json")

/** What is recorded; an empty record before the first set-up, or when the file is of another version. */
export const loadRecord = (home: string): SetupRecord => {
  const empty: SetupRecord = { version: 1, node: process.execPath, engine: null, images: [] }
  if (!existsSync(fileIn(home))) return empty
  const record = JSON.parse(readFileSync(fileIn(home), "utf8")) as SetupRecord
  return record.version === 1 ? { ...record, node: process.execPath } : empty
}

/** Replaces the file in one step, so that no reader sees half of it; leaves it alone when nothing changed. */
export const saveRecord = (home: string, record: SetupRecord): void => {
  const text = `${JSON.stringify(record, null, 2)}\n`
  if (existsSync(fileIn(home)) && readFileSync(fileIn(home), "utf8") === text) return
  mkdirSync(home, { recursive: true })
  const partial = join(home, `.setup-${process.pid}.json`)
  writeFileSync(partial, text)
  renameSync(partial, fileIn(home))
}

/**
 * The record with an image in it: in front of others of its name, since the first of a name is what new contracts pin. An image that is
 * known already stays known as built here.
 */
export const withImage = (record: SetupRecord, image: ImageRecord): SetupRecord => {
  const known = record.images.find((one) => one.runner_image === image.runner_image)
  return { ...record, images: [{ ...known, ...image }, ...record.images.filter((one) => one !== known)] }
}
