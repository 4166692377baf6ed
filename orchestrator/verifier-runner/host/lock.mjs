// A lock between processes of this machine: a file that names its holder, taken over when the holder is gone.
// Plain JavaScript for any Node >= 18, because set-up takes it before the project's own Node is there.
import { randomUUID } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

/** @param {number} pid */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM"
  }
}

/** The process that holds a lock file; null when none does. @param {string} file */
const holderOf = (file) => {
  try {
    const pid = Number(readFileSync(file, "utf8"))
    return pid > 0 && isAlive(pid) ? pid : null
  } catch {
    return null
  }
}

/** No one needs longer to delete one file. */
const BREAKING_MS = 10_000

/**
 * Deletes a lock whose holder is gone. One at a time, and looking again once alone: or the second to notice would delete the lock that
 * the first has meanwhile taken.
 * @param {string} file
 */
const breakStale = (file) => {
  const guard = `${file}.breaking`
  try {
    mkdirSync(guard)
  } catch {
    try {
      if (Date.now() - statSync(guard).mtimeMs > BREAKING_MS) rmdirSync(guard)
    } catch {
      // Someone else has just ended it.
    }
    return
  }
  try {
    if (holderOf(file) === null) rmSync(file, { force: true })
  } finally {
    rmdirSync(guard)
  }
}

/**
 * True when this call took the lock. A link shows the whole file from its first moment, so no one reads half a holder.
 * @param {string} file
 */
const tryTake = (file) => {
  const own = `${file}.${process.pid}.${randomUUID()}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error
    if (holderOf(file) === null) breakStale(file)
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

/**
 * Takes a lock, waiting for whoever holds it, and returns how to release it (once; also when the process exits).
 *
 * @param {string} file
 * @param {{ patienceMs: number, onWait?: (holder: number) => void }} options
 * @returns {Promise<() => void>}
 */
export const takeLock = async (file, { patienceMs, onWait }) => {
  mkdirSync(dirname(file), { recursive: true })
  const deadline = Date.now() + patienceMs
  let told = false
  while (!tryTake(file)) {
    const holder = holderOf(file)
    if (holder !== null && !told) {
      told = true
      onWait?.(holder)
    }
    if (Date.now() > deadline) throw new Error(`process ${holder} still holds ${file}; wait for it to end, or end it`)
    await delay(50)
  }
  const release = () => {
    process.removeListener("exit", release)
    rmSync(file, { force: true })
  }
  process.on("exit", release)
  return release
}
