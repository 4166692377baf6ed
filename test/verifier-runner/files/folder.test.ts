/** Folders from disk and from archives: the same files, and nothing that leaves the folder. */
import assert from "node:assert/strict"
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { type Header, pack } from "tar-stream"
import { folderOfTar, readFolder } from "../../../orchestrator/verifier-runner/files/folder.ts"
import { hashFiles, overlay } from "../../../orchestrator/verifier-runner/files/tree.ts"
import { file } from "../support/tiny.ts"

type Entry = Partial<Header> & { name: string }

const directory = await mkdtemp(join(tmpdir(), "afg-folder-"))
after(() => rm(directory, { recursive: true }))

const archive = async (entries: readonly [Entry, string?][]): Promise<Buffer> => {
  const tar = pack()
  for (const [header, content] of entries) tar.entry(header as Header, content ?? "")
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe("folders", () => {
  it("reads files, modes and links of a directory", async () => {
    await mkdir(join(directory, "sub"))
    await writeFile(join(directory, "sub/b.txt"), "b")
    await writeFile(join(directory, "a.sh"), "a")
    await chmod(join(directory, "a.sh"), 0o755)
    await symlink("sub/b.txt", join(directory, "link"))
    const files = await readFolder(directory)
    assert.deepEqual(
      files.map(({ path, mode }) => [path, mode]),
      [
        ["a.sh", "100755"],
        ["link", "120000"],
        ["sub/b.txt", "100644"],
      ],
    )
    const tar = await archive([
      [{ name: "./sub/", type: "directory" }],
      [{ name: "./sub/b.txt", mode: 0o644 }, "b"],
      [{ name: "./a.sh", mode: 0o700 }, "a"],
      [{ name: "./link", type: "symlink", linkname: "sub/b.txt" }],
    ])
    assert.equal(hashFiles(await folderOfTar(tar)), hashFiles(files))
  })

  const hostile: readonly [string, [Entry, string?][]][] = [
    ["an absolute path", [[{ name: "/etc/passwd" }, "x"]]],
    ["a path that leaves the folder", [[{ name: "a/../../b" }, "x"]]],
    ["a hard link", [[{ name: "a", type: "link", linkname: "/etc/passwd" }]]],
    ["a device", [[{ name: "a", type: "character-device" }]]],
    [
      "a path twice",
      [
        [{ name: "a" }, "x"],
        [{ name: "./a" }, "y"],
      ],
    ],
  ]
  for (const [name, entries] of hostile)
    it(`refuses ${name} in an archive`, async () => {
      await assert.rejects(folderOfTar(await archive(entries)), { code: "folder-unreadable" })
    })

  it("refuses what is no archive", async () => {
    await assert.rejects(folderOfTar(Buffer.alloc(2_048, "x")), { code: "folder-unreadable" })
  })

  it("refuses more than it is told to take", async () => {
    const tar = await archive([[{ name: "a" }, "x".repeat(100)]])
    await assert.rejects(folderOfTar(tar, { files: 10, bytes: 50 }), { code: "folder-too-large" })
    await assert.rejects(readFolder(directory, { files: 1, bytes: 1_000 }), { code: "folder-too-large" })
  })

  it("lays one set of files over another, and refuses a file that is a folder", () => {
    const laid = overlay([file("a", "1"), file("b", "2")], [file("b", "3"), file("c/d", "4")])
    assert.deepEqual(
      laid.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
      [
        ["a", "1"],
        ["b", "3"],
        ["c/d", "4"],
      ],
    )
    assert.throws(() => overlay([file("tests", "x")], [file("tests/a.py", "y")]), { code: "tree-conflict" })
  })
})
