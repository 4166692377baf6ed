/** The lines of a section before its hunks: which path, what is done to it. */
import { pathText, readQuoted } from "./quoted-path.ts"
import { PatchRefused } from "./types.ts"

export const DEV_NULL = "/dev/null"

/** The path of a `--- ` or `+++ ` line, without the time that some tools write after a tab. */
export const markerPath = (line: Buffer, marker: "--- " | "+++ "): string => {
  const rest = line.subarray(marker.length)
  if (rest[0] === 0x22) {
    const { path, next } = readQuoted(rest, 0)
    if (next !== rest.length && rest[next] !== 0x09) throw new PatchRefused("patch_malformed", `text after the path in ${marker.trim()}`)
    return path
  }
  const tab = rest.indexOf(0x09)
  return pathText(tab < 0 ? rest : rest.subarray(0, tab))
}

/** `a/x` or `b/x` without its first part; `/dev/null` stays. */
export const stripPrefix = (path: string, prefix: "a/" | "b/"): string => {
  if (path === DEV_NULL) return path
  if (!path.startsWith(prefix)) throw new PatchRefused("patch_path", `${JSON.stringify(path)} does not begin with ${prefix}`, path)
  return path.slice(prefix.length)
}

/** The one path of `diff --git a/x b/x`. Two different ones are a rename. */
export const gitHeaderPath = (line: Buffer): string => {
  const rest = line.subarray("diff --git ".length)
  if (rest[0] === 0x22) {
    const first = readQuoted(rest, 0)
    if (rest[first.next] !== 0x20) throw new PatchRefused("patch_malformed", "diff --git names no second path")
    const tail = rest.subarray(first.next + 1)
    const second = tail[0] === 0x22 ? readQuoted(tail, 0) : { path: pathText(tail), next: tail.length }
    if (second.next !== tail.length) throw new PatchRefused("patch_malformed", "text after the paths of diff --git")
    return samePath(stripPrefix(first.path, "a/"), stripPrefix(second.path, "b/"))
  }
  const text = pathText(rest)
  if (text.includes(' "')) {
    const space = rest.indexOf(Buffer.from(' "'))
    const second = readQuoted(rest, space + 1)
    if (second.next !== rest.length) throw new PatchRefused("patch_malformed", "text after the paths of diff --git")
    return samePath(stripPrefix(pathText(rest.subarray(0, space)), "a/"), stripPrefix(second.path, "b/"))
  }
  // Unquoted paths may have blanks; both being the same, the blank between them is in the middle.
  const middle = (text.length - 1) / 2
  if (Number.isInteger(middle) && text[middle] === " ") {
    const [first, second] = [text.slice(0, middle), text.slice(middle + 1)]
    if (first.startsWith("a/") && second.startsWith("b/") && first.slice(2) === second.slice(2)) return first.slice(2)
  }
  if (/^a\/.* b\//s.test(text)) throw new PatchRefused("patch_rename", `diff --git names two paths: ${text.slice(0, 200)}`)
  throw new PatchRefused("patch_path", `diff --git without a/ and b/: ${text.slice(0, 200)}`)
}

const samePath = (first: string, second: string): string => {
  if (first !== second) throw new PatchRefused("patch_rename", `diff --git names ${first} and ${second}`, second)
  return first
}

export type ExtendedHeader =
  | { kind: "new"; mode: string }
  | { kind: "deleted"; mode: string }
  | { kind: "index" }
  | { kind: "refused"; code: "patch_mode" | "patch_rename" | "patch_binary" }

const EXTENDED: readonly [RegExp, (match: RegExpExecArray) => ExtendedHeader][] = [
  [/^new file mode (\d{6})$/, (match) => ({ kind: "new", mode: match[1] ?? "" })],
  [/^deleted file mode (\d{6})$/, (match) => ({ kind: "deleted", mode: match[1] ?? "" })],
  [/^index [0-9a-f]{4,64}\.\.[0-9a-f]{4,64}(?: \d{6})?$/, (match) => indexLine(match[0])],
  [/^(?:old|new) mode \d+$/, () => ({ kind: "refused", code: "patch_mode" })],
  [/^(?:copy|rename) (?:from|to) /, () => ({ kind: "refused", code: "patch_rename" })],
  [/^(?:dis)?similarity index /, () => ({ kind: "refused", code: "patch_rename" })],
  [/^GIT binary patch$|^Binary files .* differ$/, () => ({ kind: "refused", code: "patch_binary" })],
]

const indexLine = (line: string): ExtendedHeader => {
  const mode = / (\d{6})$/.exec(line)?.[1]
  return mode === undefined || mode === "100644" || mode === "100755" ? { kind: "index" } : { kind: "refused", code: "patch_mode" }
}

/** A line between `diff --git` and the hunks; null for anything else. */
export const extendedHeader = (line: string): ExtendedHeader | null => {
  for (const [pattern, make] of EXTENDED) {
    const match = pattern.exec(line)
    if (match) return make(match)
  }
  return null
}
