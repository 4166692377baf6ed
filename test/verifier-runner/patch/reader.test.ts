/** The patch reader against git itself, and against noise. */
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, describe, it } from "node:test"
import fc from "fast-check"
import { checkPath } from "../../../orchestrator/verifier-runner/patch/paths.ts"
import { readPatch } from "../../../orchestrator/verifier-runner/patch/read.ts"
import { PatchRefused } from "../../../orchestrator/verifier-runner/patch/types.ts"
import { writePatch } from "../../../orchestrator/verifier-runner/patch/write.ts"
import { addFile, replaceFile } from "../support/diff.ts"

const directory = mkdtempSync(join(tmpdir(), "afg-reader-"))
after(() => rmSync(directory, { recursive: true }))

const git = (...args: string[]): Buffer =>
  execFileSync("git", ["-c", "core.autocrlf=false", "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  })

const write = (files: ReadonlyMap<string, string>): void => {
  for (const [path, text] of files) {
    mkdirSync(join(directory, dirname(path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

const PATHS = ["a.txt", "src/b c.py", "src/ä.py", 'odd"name', "deep/er/x"] as const
const line = fc.constantFrom(
  "",
  "one",
  "two  ",
  "+plus",
  "-minus",
  "--- a/x",
  "+++ b/x",
  "@@ -1 +1 @@",
  "diff --git a/x b/x",
  "\\ back",
  "\ttab",
  "ü",
)
const content = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.boolean())
  .map(([lines, newline]) => lines.join("\n") + (newline ? "\n" : ""))
const tree = fc.uniqueArray(fc.tuple(fc.constantFrom(...PATHS), content), { selector: ([path]) => path, maxLength: PATHS.length })

describe("reading patches", () => {
  it("reads what git writes, and writes what git applies to the same end", () => {
    git("init", "--quiet")
    fc.assert(
      fc.property(tree, tree, (before, now) => {
        git("rm", "-rq", "--cached", "--ignore-unmatch", ".")
        for (const path of PATHS) rmSync(join(directory, path), { force: true })
        write(new Map(before))
        git("add", "--all")
        const base = git("write-tree").toString().trim()
        for (const path of PATHS) rmSync(join(directory, path), { force: true })
        write(new Map(now))
        git("add", "--all")
        const wanted = git("write-tree").toString().trim()
        const patch = git("diff", "--no-renames", base, wanted)
        if (patch.length === 0) return
        const again = join(directory, ".git", "again.diff")
        writeFileSync(again, writePatch(readPatch(patch)))
        git("read-tree", base)
        git("apply", "--cached", "--whitespace=nowarn", again)
        assert.equal(git("write-tree").toString().trim(), wanted)
      }),
      { numRuns: process.env.AFG_DEEP ? 500 : 25 },
    )
  })

  it("answers noise with a refusal, never with a crash", () => {
    const whole = Buffer.from(addFile("x", "a\nb\n") + replaceFile("src/a.py", "one\n", "two\n"))
    const edit = fc.record({ at: fc.nat(whole.length - 1), with: fc.uint8Array({ maxLength: 6 }), drop: fc.nat(8) })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
        let bytes = whole
        for (const one of edits) bytes = Buffer.concat([bytes.subarray(0, one.at), one.with, bytes.subarray(one.at + one.drop)])
        try {
          for (const { path, hunks } of readPatch(bytes)) {
            assert.equal(typeof path, "string")
            for (const hunk of hunks) {
              const kinds = hunk.lines.map((text) => String.fromCharCode(text[0] ?? 0))
              assert.equal(kinds.filter((kind) => kind === " " || kind === "-").length, hunk.oldLines)
              assert.equal(kinds.filter((kind) => kind === " " || kind === "+").length, hunk.newLines)
            }
          }
        } catch (error) {
          assert.ok(error instanceof PatchRefused, String(error))
        }
      }),
      { numRuns: 500 },
    )
  })

  it("reads its own writing as the same thing", () => {
    const files = readPatch(Buffer.from(addFile("ä b", "x\n") + replaceFile('q"uote', "one\n", "two\n")))
    assert.deepEqual(readPatch(writePatch(files)), files)
  })

  it("refuses or takes any path without crashing, and never one that leaves the root", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("..", ".", "", "a", ".git", "\u200b", "．", "A", "/", "\\", "\n", ":"), { maxLength: 6 }),
        (parts) => {
          const path = parts.join("")
          try {
            checkPath(path)
          } catch (error) {
            assert.ok(error instanceof PatchRefused)
            return
          }
          const resolved = new URL(`file:///tree/${path.split("/").map(encodeURIComponent).join("/")}`).pathname
          assert.ok(resolved.startsWith("/tree/") && !/(?:^|\/)\.git(?:\/|$)/i.test(path.normalize("NFKC")))
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
