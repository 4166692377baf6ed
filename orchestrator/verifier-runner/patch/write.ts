/** Writes a patch anew, in the one form that git reads in one way. */
import { writePath } from "./quoted-path.ts"
import type { FilePatch } from "./types.ts"

const section = (file: FilePatch): Buffer[] => {
  const [before, after] = [writePath(`a/${file.path}`), writePath(`b/${file.path}`)]
  const head = [
    `diff --git ${before} ${after}`,
    ...(file.kind === "add" ? [`new file mode ${file.mode ?? "100644"}`] : []),
    ...(file.kind === "delete" ? ["deleted file mode 100644"] : []),
    ...(file.hunks.length === 0 ? [`index ${"0".repeat(40)}..${"0".repeat(40)}`] : []),
    ...(file.hunks.length === 0
      ? []
      : [`--- ${file.kind === "add" ? "/dev/null" : before}`, `+++ ${file.kind === "delete" ? "/dev/null" : after}`]),
  ]
  const body = file.hunks.flatMap((hunk) => [
    Buffer.from(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`),
    ...hunk.lines,
  ])
  return [...head.map((line) => Buffer.from(line)), ...body]
}

export const writePatch = (files: readonly FilePatch[]): Buffer =>
  Buffer.concat(files.flatMap(section).flatMap((line) => [line, Buffer.from("\n")]))
