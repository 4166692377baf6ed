/** Reads and writes `.afg/setup.json`. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SetupRecord } from "../../orchestrator/setup-record.ts"

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
