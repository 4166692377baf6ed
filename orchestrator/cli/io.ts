/**
 * What a command writes and how it ends. Results go to stdout, progress to stderr (`docs/cli.md`).
 */
import { readFile } from "node:fs/promises"
import { AfgError, isAfgError } from "../errors.ts"

/** 0 yes / done · 1 a definite no · 2 usage or unreadable input · 3 could not be established. */
export type ExitCode = 0 | 1 | 2 | 3

export type CliIo = {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** What a command's action returns; `afg.ts` prints it and exits. */
export type CommandResult = {
  exit: ExitCode
  /** The one JSON document of `--json`. */
  json?: unknown
  /** What a person reads without `--json`. Defaults to indented JSON. */
  text?: string
  /** Exact bytes for stdout, with or without `--json` (for `jcs`, `aacp cbor encode`). */
  bytes?: Uint8Array
}

/** Ends a command with exit 2: usage, a missing file, or bytes that no command could judge. */
export class UsageError extends AfgError {}

/** Reads a FILE argument; `-` is stdin. Throws `file-unreadable` (exit 2). */
export const readInput = async (file: string): Promise<Uint8Array> => {
  try {
    if (file !== "-") return await readFile(file)
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  } catch (cause) {
    throw new UsageError("file-unreadable", `cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** `--now`: RFC 3339 or Unix seconds. Throws `time-malformed` (exit 2). */
export const parseNow = (text: string): number => {
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Number(text)
  const millis = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(millis)) throw new UsageError("time-malformed", `${text} is neither RFC 3339 nor Unix seconds`)
  return millis / 1000
}

/** The `--json` form of a failure: `{"error":{"code","message","path"?}}`. */
export const errorDocument = (error: unknown): { error: { code: string; message: string; path?: string } } => {
  if (!isAfgError(error)) return { error: { code: "internal", message: error instanceof Error ? error.message : String(error) } }
  return { error: { code: error.code, message: error.message, ...(error.path === undefined ? {} : { path: error.path }) } }
}
