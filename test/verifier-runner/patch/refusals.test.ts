/** Patches that are refused before anything is written, each for its own reason. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { Repository } from "../../../orchestrator/verifier-runner/git/repository.ts"
import { type AppliedPatch, applyPatch } from "../../../orchestrator/verifier-runner/patch/apply.ts"
import type { PatchRefusal, PatchRefusalCode } from "../../../orchestrator/verifier-runner/patch/types.ts"
import { makeBundle } from "../../../scripts/fixtures/git-bundle.ts"
import { addFile, deleteFile, replaceFile } from "../support/diff.ts"
import { file } from "../support/tiny.ts"

const BASE = [
  file("src/a.py", "one\ntwo\n"),
  file("tests/test_a.py", "x\n"),
  file("run.sh", "#!/bin/sh\n", "100755"),
  file("link", "src/a.py", "120000"),
]

type Base = { tree: string; files: Awaited<ReturnType<Repository["filesOf"]>> }
let repository: Repository
let base: Base

before(async () => {
  const { bundle, ids } = await makeBundle([{ message: "Begin", at: 1_785_571_200, files: BASE }])
  repository = await Repository.open(bundle)
  const tree = await repository.treeOf(ids[0] ?? "")
  base = { tree, files: await repository.filesOf(tree) }
})
after(() => repository[Symbol.asyncDispose]())

const apply = (patch: string | Buffer, known: string[] = []): Promise<AppliedPatch | { refused: PatchRefusal }> =>
  applyPatch(repository, base, typeof patch === "string" ? Buffer.from(patch) : patch, known)

const section = (header: string, ...lines: string[]): string => `diff --git ${header}\n${lines.map((line) => `${line}\n`).join("")}`
const ADDED = ["--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+x"]

const REFUSED: readonly [name: string, patch: string | Buffer, code: PatchRefusalCode][] = [
  ["nothing", "", "patch_empty"],
  ["only words", "Please pay me.\n", "patch_empty"],
  ["a symbolic link", section("a/x b/x", "new file mode 120000", "index 0000000..1", ...ADDED), "patch_mode"],
  [
    "a symbolic link, then written through",
    section("a/x b/x", "new file mode 120000", ...ADDED) + addFile("x/conftest.py", "y\n"),
    "patch_mode",
  ],
  ["a submodule (mode 160000)", section("a/x b/x", "new file mode 160000", ...ADDED.slice(0, 3), "+Subproject commit 0"), "patch_mode"],
  ["a change of mode alone", section("a/run.sh b/run.sh", "old mode 100755", "new mode 100644"), "patch_mode"],
  ["a strange mode", section("a/x b/x", "new file mode 104755", ...ADDED), "patch_mode"],
  [
    "an index line with a link's mode",
    section("a/link b/link", "index 1111111..2222222 120000", "--- a/link", "+++ b/link", "@@ -1 +1 @@", "-src/a.py", "+/etc/passwd"),
    "patch_mode",
  ],
  ["changing what a link of the base points to", replaceFile("link", "src/a.py", "/etc/passwd"), "patch_does_not_apply"],
  ["a rename", section("a/src/a.py b/src/b.py", "similarity index 100%", "rename from src/a.py", "rename to src/b.py"), "patch_rename"],
  ["a copy", section("a/src/a.py b/src/b.py", "similarity index 100%", "copy from src/a.py", "copy to src/b.py"), "patch_rename"],
  [
    "two paths in one section",
    section("a/src/a.py b/src/a.py", "--- a/src/a.py", "+++ b/src/b.py", "@@ -1 +1 @@", "-one", "+1"),
    "patch_rename",
  ],
  [
    "headers that disagree with markers",
    section("a/x b/x", "new file mode 100644", "--- /dev/null", "+++ b/conftest.py", "@@ -0,0 +1 @@", "+x"),
    "patch_rename",
  ],
  ["a binary patch", section("a/x b/x", "new file mode 100644", "GIT binary patch", "literal 1", "IcmZ"), "patch_binary"],
  ["a binary file", section("a/x b/x", "Binary files a/x and b/x differ"), "patch_binary"],
  ["a NUL byte", Buffer.from(addFile("x", "a\0b\n")), "patch_binary"],
  ["an absolute path", "--- a/src/a.py\n+++ /etc/passwd\n@@ -1 +1 @@\n-one\n+1\n", "patch_path"],
  ["an absolute path behind the prefix", addFile("/etc/passwd", "x\n"), "patch_path"],
  ["a path that leaves the repository", addFile("../outside", "x\n"), "patch_path"],
  ["a path that leaves it later", addFile("src/../../outside", "x\n"), "patch_path"],
  [
    "a quoted path that leaves it",
    section('"a/\\056\\056/x" "b/\\056\\056/x"', "new file mode 100644", "--- /dev/null", '+++ "b/\\056\\056/x"', "@@ -0,0 +1 @@", "+x"),
    "patch_path",
  ],
  ["dots of another width", addFile("src/\uff0e\uff0e/x", "x\n"), "patch_path"],
  ["a path that is not normal", addFile("src//b.py", "x\n"), "patch_path"],
  ["a path with a dot", addFile("./x", "x\n"), "patch_path"],
  ["a drive's letter", addFile("C:/x", "x\n"), "patch_path"],
  ["backslashes", addFile("src\\b.py", "x\n"), "patch_path"],
  [
    "a line break in a path",
    section('"a/x\\ny" "b/x\\ny"', "new file mode 100644", "--- /dev/null", '+++ "b/x\\ny"', "@@ -0,0 +1 @@", "+x"),
    "patch_path",
  ],
  [
    "bytes that are no UTF-8",
    section('"a/\\377" "b/\\377"', "new file mode 100644", "--- /dev/null", '+++ "b/\\377"', "@@ -0,0 +1 @@", "+x"),
    "patch_path",
  ],
  [".git", addFile(".git/hooks/post-checkout", "x\n"), "patch_git_path"],
  [".GIT", addFile("src/.GIT/config", "x\n"), "patch_git_path"],
  ["GIT~1", addFile("GIT~1/config", "x\n"), "patch_git_path"],
  [".git with a blank", addFile(".git /config", "x\n"), "patch_git_path"],
  [".git with a dot", addFile(".git./config", "x\n"), "patch_git_path"],
  [".git as a stream", addFile(".git::$INDEX_ALLOCATION/config", "x\n"), "patch_git_path"],
  [".git with an ignorable character", addFile(".g\u200cit/config", "x\n"), "patch_git_path"],
  [".git in another width", addFile("\uff0egit/config", "x\n"), "patch_git_path"],
  [".gitmodules", addFile(".gitmodules", "x\n"), "patch_git_path"],
  ["one path twice", addFile("x", "x\n") + addFile("x", "y\n"), "patch_duplicate"],
  ["a path in other case", addFile("tests/Test_A.py", "x\n"), "patch_lookalike"],
  ["a folder in other case", addFile("Tests/test_b.py", "x\n"), "patch_lookalike"],
  ["a letter of another script", addFile("tests/test_\u0430.py", "x\n"), "patch_lookalike"],
  ["an ignorable character", addFile("tests/test\u200b_a.py", "x\n"), "patch_lookalike"],
  ["a file that is there", addFile("src/a.py", "x\n"), "patch_does_not_apply"],
  ["a file below a file", addFile("src/a.py/b", "x\n"), "patch_does_not_apply"],
  ["a file below a link", addFile("link/b", "x\n"), "patch_does_not_apply"],
  ["a file that is not there", replaceFile("src/zz.py", "a\n", "b\n"), "patch_does_not_apply"],
  ["lines that are not there", replaceFile("src/a.py", "three\n", "b\n"), "patch_does_not_apply"],
  ["deleting what is not so", deleteFile("src/a.py", "other\n"), "patch_does_not_apply"],
  ["no change", replaceFile("src/a.py", "one\ntwo\n", "one\ntwo\n"), "patch_empty"],
  [
    "a hunk that is too short",
    section("a/src/a.py b/src/a.py", "--- a/src/a.py", "+++ b/src/a.py", "@@ -1,2 +1,2 @@", "-one"),
    "patch_malformed",
  ],
  [
    "a hunk with a strange line",
    section("a/src/a.py b/src/a.py", "--- a/src/a.py", "+++ b/src/a.py", "@@ -1,2 +1,2 @@", "!one", " two"),
    "patch_malformed",
  ],
  ["a hunk without a file", "@@ -1 +1 @@\n-one\n+1\n", "patch_malformed"],
  ["headers without a section", "new file mode 100644\n", "patch_malformed"],
  ["a section without hunks", section("a/src/a.py b/src/a.py", "index 1111111..2222222 100644"), "patch_malformed"],
  ["new and deleted at once", section("a/x b/x", "new file mode 100644", "deleted file mode 100644", ...ADDED), "patch_malformed"],
  [
    "new, with a file before",
    section("a/src/a.py b/src/a.py", "new file mode 100644", "--- a/src/a.py", "+++ b/src/a.py", "@@ -1 +1 @@", "-one", "+1"),
    "patch_malformed",
  ],
]

describe("patches that are refused", () => {
  for (const [name, patch, code] of REFUSED)
    it(name, async () => {
      const result = await apply(patch)
      assert.ok("refused" in result, "it was applied")
      assert.equal(result.refused.code, code, result.refused.detail)
      assert.deepEqual(await repository.filesOf(base.tree), base.files)
    })

  it("a path that looks like one of the hidden suite", async () => {
    const result = await apply(addFile("hidden/Test_secret.py", "x\n"), ["hidden/test_secret.py"])
    assert.ok("refused" in result && result.refused.code === "patch_lookalike")
  })
})

describe("patches that are taken", () => {
  const TAKEN: readonly [name: string, patch: string, paths: readonly string[]][] = [
    ["a change", replaceFile("src/a.py", "one\ntwo\n", "one\n2\n"), ["src/a.py"]],
    ["a new file, a deletion", addFile("src/b.py", "b\n") + deleteFile("tests/test_a.py", "x\n"), ["src/b.py", "tests/test_a.py"]],
    ["a new program", addFile("bin/tool", "#!/bin/sh\n", "100755"), ["bin/tool"]],
    [
      "a plain unified diff",
      "--- a/src/a.py\t2026-01-01 00:00:00\n+++ b/src/a.py\t2026-01-02\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n",
      ["src/a.py"],
    ],
    [
      "a mailed patch",
      `From 0 Mon Sep 17\nSubject: [PATCH] Fix\n\n---\n src/a.py | 2 +-\n\n${replaceFile("src/a.py", "one\ntwo\n", "1\ntwo\n")}-- \n2.39.5\n`,
      ["src/a.py"],
    ],
    ["a file without a last line break", addFile("x", "x").replace(/\n$/, "\n\\ No newline at end of file\n"), ["x"]],
    ["a path with blanks and letters", addFile("docs/a b ä.md", "x\n"), ["docs/a b ä.md"]],
    [
      "a quoted path",
      section(
        '"a/d\\303\\244.md" "b/d\\303\\244.md"',
        "new file mode 100644",
        "--- /dev/null",
        '+++ "b/d\\303\\244.md"',
        "@@ -0,0 +1 @@",
        "+x",
      ),
      ["dä.md"],
    ],
    ["an empty file", section("a/empty b/empty", "new file mode 100644", "index 0000000..e69de29"), ["empty"]],
    ["changing a program without changing its mode", replaceFile("run.sh", "#!/bin/sh\n", "#!/bin/sh\ntrue\n"), ["run.sh"]],
  ]
  for (const [name, patch, paths] of TAKEN)
    it(name, async () => {
      const result = await apply(patch)
      assert.ok("changes" in result, JSON.stringify(result))
      assert.deepEqual(result.changes.map(({ path }) => path).sort(), [...paths].sort())
    })

  it("keeps a file without a last line break so", async () => {
    const result = await apply(addFile("x", "x").replace(/\n$/, "\n\\ No newline at end of file\n"))
    assert.ok("files" in result)
    assert.equal(Buffer.from(result.files.find(({ path }) => path === "x")?.bytes ?? []).toString(), "x")
  })
})
