/** A pinned repository: opened from its bundle, read at a commit, patched in a temporary index. No work tree is ever written. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FileMode } from "../../contract/tree-hash.ts"
import { AfgError } from "../../errors.ts"
import type { TreeFile } from "../files/tree.ts"
import { type GitResult, runGit } from "./git.ts"

/** One path that differs between two trees; null where it is not there. */
export type Change = { path: string; before: string | null; after: string | null }

const GITLINK = "160000"
const LIMITS = { files: 200_000, bytes: 1024 ** 3 }
const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

const unusable = (why: string): AfgError => new AfgError("repo-unusable", `the repository cannot be used: ${why}`)

const lastLine = (result: GitResult): string => result.stderr.trim().split("\n").at(-1) ?? ""

const textOf = (bytes: Buffer): string => {
  const text = bytes.toString("utf8")
  if (!Buffer.from(text, "utf8").equals(bytes)) throw unusable("a path in it is not UTF-8")
  return text
}

export class Repository implements AsyncDisposable {
  readonly #directory: string
  #indexes = 0

  private constructor(directory: string) {
    this.#directory = directory
  }

  /** Unpacks a git bundle that needs nothing else. Throws `repo-unusable`. */
  static async open(bundle: Uint8Array): Promise<Repository> {
    const directory = await mkdtemp(join(tmpdir(), "afg-repo-"))
    const repository = new Repository(directory)
    try {
      const format = objectFormat(bundle)
      const file = join(directory, "bundle")
      await writeFile(file, bundle, { mode: 0o600 })
      await repository.#must(["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, join(directory, "git")])
      await repository.#must(["bundle", "unbundle", file])
      await rm(file)
      return repository
    } catch (error) {
      await repository[Symbol.asyncDispose]()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true })
  }

  #run(args: readonly string[], options: { index?: string; input?: Uint8Array } = {}): Promise<GitResult> {
    return runGit(args, { gitDir: join(this.#directory, "git"), ...options })
  }

  async #must(args: readonly string[], options: { index?: string; input?: Uint8Array } = {}): Promise<Buffer> {
    const result = await this.#run(args, options)
    if (result.code !== 0) throw unusable(`git ${args[0]}: ${lastLine(result)}`)
    return result.stdout
  }

  /** The tree of a full commit id. Throws `repo-unusable` when the bundle does not have it, or has not all of it. */
  async treeOf(commit: string): Promise<string> {
    if (!OBJECT_ID.test(commit)) throw unusable(`${commit} is no full commit id`)
    const type = await this.#run(["cat-file", "-t", commit])
    if (type.code !== 0 || type.stdout.toString().trim() !== "commit") throw unusable(`it has no commit ${commit}`)
    return (await this.#must(["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{tree}`])).toString().trim()
  }

  /** All files of a tree, submodules left out. Throws `repo-unusable`. */
  async filesOf(tree: string): Promise<TreeFile[]> {
    const listing = (await this.#must(["ls-tree", "-r", "-z", "--full-tree", tree])).toString("latin1")
    const entries = listing
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => {
        const tab = line.indexOf("\t")
        const [mode = "", , id = ""] = line.slice(0, tab).split(" ")
        return { mode, id, path: textOf(Buffer.from(line.slice(tab + 1), "latin1")) }
      })
      .filter(({ mode }) => mode !== GITLINK)
    if (entries.length > LIMITS.files) throw unusable(`it has more than ${LIMITS.files} files`)
    const blobs = await this.#blobs(entries.map(({ id }) => id))
    return entries.map(({ path, mode, id }) => ({ path, mode: fileMode(mode, path), bytes: blobs.get(id) ?? new Uint8Array() }))
  }

  async #blobs(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const wanted = [...new Set(ids)]
    const output = await this.#must(["cat-file", "--batch", "--buffer"], { input: Buffer.from(wanted.map((id) => `${id}\n`).join("")) })
    const found = new Map<string, Uint8Array>()
    let at = 0
    let total = 0
    for (const id of wanted) {
      const end = output.indexOf(0x0a, at)
      const [name, type, length] = output.subarray(at, end).toString("latin1").split(" ")
      const size = Number(length)
      if (name !== id || type !== "blob" || !Number.isSafeInteger(size)) throw unusable(`object ${id} is missing`)
      total += size
      if (total > LIMITS.bytes) throw unusable(`its files have more than ${LIMITS.bytes} bytes`)
      found.set(id, output.subarray(end + 1, end + 1 + size))
      at = end + 1 + size + 1
    }
    return found
  }

  /** The tree with a patch applied, or git's words why it does not apply. */
  async apply(tree: string, patch: Uint8Array): Promise<{ tree: string } | { refused: string }> {
    this.#indexes += 1
    const index = join(this.#directory, `index-${this.#indexes}`)
    await this.#must(["read-tree", tree], { index })
    const applied = await this.#run(["apply", "--cached", "--whitespace=nowarn", "-p1", "-"], { index, input: patch })
    if (applied.code !== 0) return { refused: lastLine(applied).replace(/^error: /, "") }
    const written = await this.#run(["write-tree"], { index })
    if (written.code !== 0) return { refused: lastLine(written).replace(/^error: /, "") }
    return { tree: written.stdout.toString().trim() }
  }

  /** Every path that differs, with modes: what a patch really did. */
  async changes(before: string, after: string): Promise<Change[]> {
    const raw = await this.#must(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", before, after])
    const fields = raw.toString("latin1").split("\0")
    const changes: Change[] = []
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [from = "", to = ""] = (fields[at] ?? "").slice(1).split(" ")
      const absent = (mode: string) => (/^0+$/.test(mode) ? null : mode)
      changes.push({ path: textOf(Buffer.from(fields[at + 1] ?? "", "latin1")), before: absent(from), after: absent(to) })
    }
    return changes
  }
}

/** A bundle says in its header when its ids are SHA-256. */
const objectFormat = (bundle: Uint8Array): "sha1" | "sha256" => {
  const header = Buffer.from(bundle.subarray(0, 4_096)).toString("latin1")
  if (!/^# v[23] git bundle\n/.test(header)) throw unusable("it is not a git bundle")
  return /^@object-format=sha256$/m.test(header.split("\n\n")[0] ?? "") ? "sha256" : "sha1"
}

const fileMode = (mode: string, path: string): FileMode => {
  if (mode === "100644" || mode === "100755" || mode === "120000") return mode
  // Old repositories have modes such as 100664.
  if (mode.startsWith("100")) return Number.parseInt(mode, 8) & 0o100 ? "100755" : "100644"
  throw unusable(`${path} has mode ${mode}`)
}
