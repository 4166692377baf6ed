/**
 * Used request ids in a JSON file, `[[service, request-id], …]`: for commands and auditors that run now and then. Marks
 * are kept for ever.
 */
import { randomUUID } from "node:crypto"
import { open, readFile, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { AfgError } from "../../errors.ts"
import { type Json, parseJson } from "../json.ts"
import type { ReplayKey, ReplayStore } from "./store.ts"

type Pair = readonly [service: string, requestId: string]

const unreadable = (file: string, why: string, cause?: unknown): AfgError =>
  new AfgError("aacp-seen-unreadable", `${file}: ${why}`, { cause })

const isPair = (value: Json): value is Pair => Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string")

const isCode = (error: unknown, code: string): boolean => error instanceof Error && (error as NodeJS.ErrnoException).code === code

const load = async (file: string): Promise<readonly Pair[]> => {
  let text: Uint8Array
  try {
    text = await readFile(file)
  } catch (cause) {
    if (isCode(cause, "ENOENT")) return []
    throw unreadable(file, "cannot be read", cause)
  }
  let value: Json
  try {
    value = parseJson(text)
  } catch (cause) {
    throw unreadable(file, "is not JSON", cause)
  }
  if (!Array.isArray(value) || !value.every(isPair)) throw unreadable(file, "must be a list of [service, request-id] pairs")
  return value
}

/** Replaces the file in one step, on disk before it counts. */
const store = async (file: string, pairs: readonly Pair[]): Promise<void> => {
  const next = join(dirname(file), `.${randomUUID()}.seen`)
  const handle = await open(next, "wx", 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(pairs)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(next, file)
}

const LOCK_TRIES = 200
const LOCK_PAUSE_MS = 10

/** One writer at a time, across processes. There is no event for another process's lock, so it is asked for again. */
const locked = async <T>(file: string, act: () => Promise<T>): Promise<T> => {
  const lock = `${file}.lock`
  for (let attempt = 0; ; attempt++) {
    try {
      await (await open(lock, "wx")).close()
      break
    } catch (cause) {
      if (!isCode(cause, "EEXIST")) throw unreadable(lock, "cannot be made", cause)
      if (attempt >= LOCK_TRIES) throw unreadable(lock, "is held; remove it if no other process runs", cause)
      await delay(LOCK_PAUSE_MS)
    }
  }
  try {
    return await act()
  } finally {
    await rm(lock, { force: true })
  }
}

const holds = (pairs: readonly Pair[], { service, requestId }: ReplayKey): boolean =>
  pairs.some(([iss, id]) => iss === service && id === requestId)

/** Throws `aacp-seen-unreadable`; a file that is not there yet is empty. */
export const fileReplayStore = (file: string): ReplayStore => ({
  seen: async (key) => holds(await load(file), key),
  consume: (mark) =>
    locked(file, async () => {
      const pairs = await load(file)
      if (holds(pairs, mark)) return false
      await store(file, [...pairs, [mark.service, mark.requestId]])
      return true
    }),
})
