/**
 * Reads a unified diff, git's or plain, strictly: every line is accounted for. What comes out is all that we go by; git never sees the original
 * text but a patch written anew from this (`write.ts`), so no two readers can disagree about it.
 */
import { DEV_NULL, extendedHeader, gitHeaderPath, markerPath, stripPrefix } from "./headers.ts"
import { type FilePatch, type Hunk, PatchRefused } from "./types.ts"

const LIMITS = { files: 10_000, lines: 2_000_000 }
const LF = 0x0a
const NO_NEWLINE = "\\ No newline at end of file"
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: |$)/

const startsWith = (line: Buffer | undefined, text: string): boolean => line?.subarray(0, text.length).toString("latin1") === text

const linesOf = (patch: Uint8Array): Buffer[] => {
  const bytes = Buffer.from(patch)
  const lines: Buffer[] = []
  let from = 0
  while (from < bytes.length) {
    const end = bytes.indexOf(LF, from)
    lines.push(bytes.subarray(from, end < 0 ? bytes.length : end))
    if (lines.length > LIMITS.lines) throw new PatchRefused("patch_too_large", `more than ${LIMITS.lines} lines`)
    if (end < 0) break
    from = end + 1
  }
  return lines
}

class Reader {
  readonly #lines: readonly Buffer[]
  #at = 0

  constructor(patch: Uint8Array) {
    this.#lines = linesOf(patch)
  }

  get line(): Buffer | undefined {
    return this.#lines[this.#at]
  }

  get next(): Buffer | undefined {
    return this.#lines[this.#at + 1]
  }

  take(): Buffer {
    const line = this.#lines[this.#at]
    if (line === undefined) throw new PatchRefused("patch_malformed", "the patch ends in the middle of a section")
    this.#at += 1
    return line
  }

  /** Whether a section begins here: `diff --git`, or the `---`, `+++` and `@@` of a plain diff. */
  atSection(): "git" | "plain" | null {
    if (startsWith(this.line, "diff --git ")) return "git"
    const third = this.#lines[this.#at + 2]
    return startsWith(this.line, "--- ") && startsWith(this.next, "+++ ") && startsWith(third, "@@ -") ? "plain" : null
  }

  hunks(): Hunk[] {
    const hunks: Hunk[] = []
    while (startsWith(this.line, "@@ ")) hunks.push(this.hunk())
    return hunks
  }

  private hunk(): Hunk {
    const header = this.take().toString("latin1")
    const match = HUNK.exec(header)
    if (!match) throw new PatchRefused("patch_malformed", `not a hunk's header: ${header.slice(0, 80)}`)
    const [oldStart = 0, oldLines = 1, newStart = 0, newLines = 1] = match
      .slice(1)
      .map((text) => (text === undefined ? undefined : Number(text)))
    const lines: Buffer[] = []
    let [oldLeft, newLeft] = [oldLines, newLines]
    while (oldLeft > 0 || newLeft > 0) {
      const line = this.take()
      // Some tools drop the blank of an empty context line.
      const kind = line.length === 0 ? " " : String.fromCharCode(line[0] ?? 0)
      if (kind === " ") [oldLeft, newLeft] = [oldLeft - 1, newLeft - 1]
      else if (kind === "-") oldLeft -= 1
      else if (kind === "+") newLeft -= 1
      else throw new PatchRefused("patch_malformed", `a hunk has a line that begins with ${JSON.stringify(kind)}`)
      if (line.includes(0)) throw new PatchRefused("patch_binary", "a line has a NUL byte")
      lines.push(line.length === 0 ? Buffer.from(" ") : line)
      if (startsWith(this.line, "\\ ")) {
        this.take()
        lines.push(Buffer.from(NO_NEWLINE))
      }
    }
    if (oldLeft < 0 || newLeft < 0) throw new PatchRefused("patch_malformed", "a hunk has more lines than its header says")
    return { oldStart, oldLines, newStart, newLines, lines }
  }
}

const fileKind = (before: string, after: string): FilePatch["kind"] => {
  if (before === DEV_NULL) return "add"
  return after === DEV_NULL ? "delete" : "modify"
}

/** `---`, `+++` and hunks; the two markers must name the path that the section is about. */
const readBody = (reader: Reader, expected: string | undefined): { path: string; kind: FilePatch["kind"]; hunks: Hunk[] } => {
  const before = markerPath(reader.take(), "--- ")
  const after = stripPrefix(markerPath(reader.take(), "+++ "), "b/")
  const named = stripPrefix(before, "a/")
  const kind = fileKind(named, after)
  const path = kind === "add" ? after : named
  if (path === DEV_NULL || (kind === "modify" && named !== after) || (expected !== undefined && path !== expected))
    throw new PatchRefused("patch_rename", `one section names ${named} and ${after}`, path)
  const hunks = reader.hunks()
  if (hunks.length === 0) throw new PatchRefused("patch_malformed", `${path} has no hunks`, path)
  return { path, kind, hunks }
}

const plainMode = (mode: string, path: string): "100644" | "100755" => {
  if (mode !== "100644" && mode !== "100755") throw new PatchRefused("patch_mode", `${path} is given mode ${mode}`, path)
  return mode
}

const readGitSection = (reader: Reader): FilePatch => {
  const path = gitHeaderPath(reader.take())
  let added: string | undefined
  let deleted: string | undefined
  for (;;) {
    const header = reader.line === undefined ? null : extendedHeader(reader.line.toString("latin1"))
    if (header === null) break
    reader.take()
    if (header.kind === "refused") throw new PatchRefused(header.code, `${path}: ${header.code}`, path)
    if (header.kind === "new") added = plainMode(header.mode, path)
    if (header.kind === "deleted") deleted = plainMode(header.mode, path)
  }
  if (added !== undefined && deleted !== undefined) throw new PatchRefused("patch_malformed", `${path} is new and deleted`, path)
  const mode = added === undefined ? {} : { mode: plainMode(added, path) }
  if (!startsWith(reader.line, "--- ")) {
    // Only an empty file comes or goes without a hunk.
    if (added === undefined && deleted === undefined) throw new PatchRefused("patch_malformed", `${path} has no hunks`, path)
    return { path, kind: added === undefined ? "delete" : "add", hunks: [], ...mode }
  }
  const body = readBody(reader, path)
  if ((body.kind === "add") !== (added !== undefined) || (body.kind === "delete") !== (deleted !== undefined))
    throw new PatchRefused("patch_malformed", `${path}: its headers disagree about whether it is new or deleted`, path)
  return { ...body, ...mode }
}

const readPlainSection = (reader: Reader): FilePatch => {
  const body = readBody(reader, undefined)
  return body.kind === "add" ? { ...body, mode: "100644" } : body
}

/** Text that only git writes, where a section of its own was expected to begin. */
const STRAY =
  /^(?:--- |\+\+\+ |@@ |old mode |new mode |new file mode |deleted file mode |rename |copy |similarity index |GIT binary patch|Binary files )/

/**
 * All sections of a patch. Text before the first section and between sections (a mail's header, a commit's message) is skipped, as git does, but
 * nothing that looks like part of a section.
 *
 * Throws {@link PatchRefused}.
 */
export const readPatch = (patch: Uint8Array): FilePatch[] => {
  const reader = new Reader(patch)
  const files: FilePatch[] = []
  while (reader.line !== undefined) {
    const section = reader.atSection()
    if (section === null) {
      const text = reader.take().toString("latin1")
      // `--- ` alone separates a mail's message from its statistics.
      if (STRAY.test(text) && text !== "--- ") throw new PatchRefused("patch_malformed", `out of place: ${text.slice(0, 80)}`)
      continue
    }
    files.push(section === "git" ? readGitSection(reader) : readPlainSection(reader))
    if (files.length > LIMITS.files) throw new PatchRefused("patch_too_large", `more than ${LIMITS.files} files`)
  }
  if (files.length === 0) throw new PatchRefused("patch_empty", "the patch has no section")
  const seen = new Set<string>()
  for (const { path } of files) {
    if (seen.has(path)) throw new PatchRefused("patch_duplicate", `${path} is changed twice`, path)
    seen.add(path)
  }
  return files
}
