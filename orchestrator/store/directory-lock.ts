/**
 * One process per data directory: PGlite itself lets two corrupt it silently.
 *
 * The lock is a SQLite transaction that is never ended, so it is the kernel's own file lock: it is released with its process, however that dies,
 * and holds between containers that share a volume. There is no stale lock to take over. The file beside it names the holder, for people.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AfgError } from "../errors.ts"

export type DirectoryLock = { release: () => void }

/** SQLITE_BUSY: someone else has the lock. */
const BUSY = 5

const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && error.errcode === BUSY

const holderOf = (file: string): string => {
  try {
    const { pid, since } = JSON.parse(readFileSync(file, "utf8")) as { pid: number; since: string }
    return `process ${pid} (since ${since})`
  } catch {
    return "another process"
  }
}

/** Takes the directory for this process. Throws `store-in-use`, naming the process that has it. */
export const lockDirectory = (directory: string): DirectoryLock => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const holder = join(directory, "store.holder.json")
  const database = new DatabaseSync(join(directory, "store.lock"), { timeout: 0 })
  try {
    database.exec("begin exclusive")
  } catch (cause) {
    database.close()
    if (!isBusy(cause)) throw cause
    throw new AfgError("store-in-use", `${holderOf(holder)} has ${directory} open`, { cause, details: { directory } })
  }
  writeFileSync(holder, `${JSON.stringify({ pid: process.pid, since: new Date().toISOString() })}\n`)
  return {
    release: () => {
      if (!database.isOpen) return
      rmSync(holder, { force: true })
      database.close()
    },
  }
}
