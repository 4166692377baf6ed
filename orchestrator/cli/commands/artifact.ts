/** `afg artifact`: bytes by their hash, in this checkout's own store or an orchestrator's. */
import { lstat, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import type { Command } from "commander"
import { createAfgClient } from "../../client/client.ts"
import { accountOfKeyFile } from "../../contract/index.ts"
import { afgHome } from "../../setup-record.ts"
import { type BlobStore, blobHash, describeBlob, openBlobs } from "../../store/blobs.ts"
import { folderBlobs, readFolder, type TreeFile, withPrefix } from "../../verifier-runner/index.ts"
import type { Run } from "../commands.ts"
import { type CliIo, type CommandResult, readInput, UsageError } from "../io.ts"

type Flags = { api?: string; keyFile?: string; sealed?: boolean; prefix?: string; out?: string; json?: boolean }
type Stored = { sha256: string; uri: string; size: number }

/** Where artifacts go: one interface over the local store and an orchestrator's. */
type Shelf = { put: (bytes: Uint8Array) => Promise<Stored>; get: (hash: string) => Promise<Uint8Array> }

const localShelf = async (io: CliIo): Promise<Shelf> => {
  const blobs: BlobStore = await openBlobs(join(afgHome(io.env), "artifacts"))
  return { put: blobs.put, get: blobs.get }
}

const remoteShelf = async (api: string, flags: Flags, io: CliIo): Promise<Shelf> => {
  const keyFile = flags.keyFile ?? io.env.AFG_KEY_FILE
  if (keyFile === undefined) throw new UsageError("usage", "--key-file F (or AFG_KEY_FILE) is needed with --api")
  const account = accountOfKeyFile(await readInput(keyFile))
  const afg = createAfgClient({
    api: api.replace(/\/+$/, ""),
    signer: { address: account.address, signMessage: (message) => account.signMessage({ message }) },
    patienceMs: 15_000,
    onRetry: (reason) => io.stderr(`retrying: ${reason}\n`),
  })
  return { put: (bytes) => afg.putArtifact(bytes, flags.sealed === true), get: (hash) => afg.getArtifact(hash) }
}

const shelfOf = (flags: Flags, io: CliIo): Promise<Shelf> => {
  const api = flags.api
  if (api === undefined) return localShelf(io)
  if (!/^https?:\/\//.test(api)) throw new UsageError("usage", `--api takes an http(s) URL, not ${api}`)
  return remoteShelf(api, flags, io)
}

/** A folder goes in as its files and their manifest, whose hash is the tree hash. */
const putFolder = async (shelf: Shelf, files: readonly TreeFile[]): Promise<Stored> => {
  if (files.length === 0) throw new UsageError("tree-empty", "the folder has no files")
  let last: Stored | undefined
  for (const bytes of folderBlobs(files)) last = await shelf.put(bytes)
  if (last === undefined) throw new UsageError("tree-empty", "the folder has no files")
  return last
}

const isDirectory = async (path: string): Promise<boolean> =>
  path === "-" ? false : (await lstat(path).catch(() => null))?.isDirectory() === true

const put = async (path: string, flags: Flags, io: CliIo): Promise<CommandResult> => {
  const shelf = await shelfOf(flags, io)
  const folder = await isDirectory(path)
  const prefix = flags.prefix ?? (flags.sealed ? "" : `${basename(path)}/`)
  const { sha256, uri, size } = folder
    ? await putFolder(shelf, withPrefix(await readFolder(path), prefix))
    : await shelf.put(await readInput(path))
  return { exit: 0, json: { sha256, uri, size }, text: `${sha256}\n${uri}` }
}

const get = async (reference: string, flags: Flags, io: CliIo): Promise<CommandResult> => {
  const shelf = await shelfOf(flags, io)
  const bytes = await shelf.get(blobHash(reference))
  const { sha256, uri, size } = describeBlob(bytes)
  if (sha256 !== blobHash(reference)) throw new UsageError("blob-corrupt", `what came back has the hash ${sha256}`)
  if (flags.out !== undefined) await writeFile(flags.out, bytes)
  else if (flags.json !== true) return { exit: 0, bytes }
  return { exit: 0, json: { sha256, uri, size }, text: sha256 }
}

export const build = (command: Command, io: CliIo, run: Run): void => {
  const common = (one: Command): Command =>
    one
      .option("--api <url>", "an orchestrator; without it, this checkout's own store")
      .option("--key-file <file>", "the key that signs requests to it")
      .option("--json", "one JSON document")
  common(command.command("put <file>").description("store a file or a folder"))
    .option("--sealed", "never to be served back (with --api)")
    .option("--prefix <path>", "what precedes a folder's paths in its hash; its name and / unless said otherwise, nothing if sealed")
    .action((file: string, flags: Flags) => run(() => put(file, flags, io)))
  common(command.command("get <reference>").description("bytes by sha256 or ipfs:// URI"))
    .option("--out <file>", "where to write them; standard output otherwise")
    .action((reference: string, flags: Flags) => run(() => get(reference, flags, io)))
}
