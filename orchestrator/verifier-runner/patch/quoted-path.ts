/** Git's C-style quoting of paths: `"a/\303\244.py"`. */
import { PatchRefused } from "./types.ts"

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** UTF-8 text of a path's bytes. */
export const pathText = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new PatchRefused("patch_path", "a path is not UTF-8")
  }
}

/** Reads a quoted path from its opening quote; `next` is the offset after the closing one. */
export const readQuoted = (line: Buffer, from: number): { path: string; next: number } => {
  const bytes: number[] = []
  let at = from + 1
  for (;;) {
    const byte = line[at]
    if (byte === undefined) throw new PatchRefused("patch_malformed", "a quoted path does not end")
    if (byte === 0x22) return { path: pathText(Buffer.from(bytes)), next: at + 1 }
    if (byte !== 0x5c) {
      bytes.push(byte)
      at += 1
      continue
    }
    const octal = /^[0-3][0-7]{2}/.exec(line.subarray(at + 1, at + 4).toString("latin1"))?.[0]
    const simple = ESCAPES[String.fromCharCode(line[at + 1] ?? 0)]
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (simple !== undefined) bytes.push(simple)
    else throw new PatchRefused("patch_malformed", "a quoted path has an unknown escape")
    at += octal === undefined ? 2 : 4
  }
}

/** A path as git would write it: quoted when it needs to be. */
export const writePath = (path: string): string => {
  const bytes = Buffer.from(path, "utf8")
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c)) return path
  let quoted = '"'
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) quoted += `\\${String.fromCharCode(byte)}`
    else if (byte >= 0x20 && byte < 0x7f) quoted += String.fromCharCode(byte)
    else quoted += `\\${byte.toString(8).padStart(3, "0")}`
  }
  return `${quoted}"`
}
