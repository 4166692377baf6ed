/** Pinned inputs, resolved once and believed only by their hash. */
import type { Contract } from "../../contract/index.ts"
import { FILE_MODES, type FileMode, folderPrefix } from "../../contract/tree-hash.ts"
import { isAfgError } from "../../errors.ts"
import { canonicalBytes, parseStrictJson } from "../../json/index.ts"
import type { BlobStore } from "../../store/blobs.ts"
import { isSha256, type Sha256 } from "../../types.ts"
import { CheckError, type ResolvedInput } from "../checks/check.ts"
import { folderOfTar } from "../files/folder.ts"
import { hashFiles, sha256Of, type TreeFile, withPrefix } from "../files/tree.ts"
import type { RawInput } from "./types.ts"

type ContractInput = Contract["inputs"][number]
export type InputSources = {
  resolveInput: (name: string) => Promise<RawInput>
  reveal?: ((name: string) => Promise<RawInput>) | undefined
}

/** The prefix with which a folder's files have the pinned hash: that of its uri, none, or its name. */
const pinnedFolder = (input: ContractInput, files: readonly TreeFile[]): TreeFile[] | undefined => {
  for (const prefix of new Set([folderPrefix(input), "", `${input.name}/`])) {
    const placed = withPrefix(files, prefix)
    if (placed.length > 0 && hashFiles(placed) === input.sha256) return placed
  }
  return undefined
}

const folderIn = async (bytes: Uint8Array): Promise<TreeFile[] | undefined> => {
  try {
    return await folderOfTar(bytes)
  } catch (error) {
    if (isAfgError(error)) return undefined
    throw error
  }
}

const isFiles = (raw: RawInput): raw is readonly TreeFile[] => Array.isArray(raw)

/** What was handed over as an input, if it is what the contract pins. */
export const checkedInput = async (input: ContractInput, raw: RawInput): Promise<ResolvedInput> => {
  const { name, sha256 } = input
  const sealed = input.sealed === true
  if (raw === null) throw new CheckError("input-missing", `input ${name} cannot be had`, true)
  const bytes = isFiles(raw) ? undefined : raw
  if (bytes !== undefined && sha256Of(bytes) === sha256) return { name, sha256, sealed, bytes }
  const files = isFiles(raw) ? raw : await folderIn(raw)
  const placed = files && pinnedFolder(input, files)
  if (placed === undefined) throw new CheckError("input-hash-mismatch", `input ${name} is not what the contract pins (${sha256})`)
  return { name, sha256, sealed, files: placed }
}

/** Each input is fetched at most once, sealed ones by revealing them. */
export const inputResolver = (contract: Contract, sources: InputSources): ((name: string) => Promise<ResolvedInput>) => {
  const resolved = new Map<string, Promise<ResolvedInput>>()
  const resolve = async (name: string): Promise<ResolvedInput> => {
    const input = contract.inputs.find((one) => one.name === name)
    if (input === undefined) throw new CheckError("input-unknown", `the contract has no input ${name}`)
    if (!input.sealed) return checkedInput(input, await sources.resolveInput(name))
    if (sources.reveal === undefined) throw new CheckError("input-missing", `input ${name} is sealed and was not revealed`)
    return checkedInput(input, await sources.reveal(name))
  }
  return (name) => {
    const known = resolved.get(name) ?? resolve(name)
    resolved.set(name, known)
    return known
  }
}

type ManifestLine = [path: string, mode: FileMode, sha256: Sha256]

const isLine = (value: unknown): value is ManifestLine =>
  Array.isArray(value) &&
  value.length === 3 &&
  typeof value[0] === "string" &&
  FILE_MODES.some((mode) => mode === value[1]) &&
  typeof value[2] === "string" &&
  isSha256(value[2])

/** The lines of a stored folder: the bytes whose sha256 is its tree hash. Undefined for any other bytes. */
const manifestOf = (bytes: Uint8Array): ManifestLine[] | undefined => {
  try {
    const value = parseStrictJson(bytes)
    return Array.isArray(value) && value.length > 0 && value.every(isLine) ? (value as ManifestLine[]) : undefined
  } catch {
    return undefined
  }
}

/** Puts a folder's files (paths relative to the repository's root) into a store: found again by its tree hash. */
export const storeFolder = async (blobs: BlobStore, files: readonly TreeFile[]): Promise<Sha256> => {
  const hash = hashFiles(files)
  const lines: ManifestLine[] = []
  for (const { path, mode, bytes } of files) lines.push([path, mode, (await blobs.put(bytes)).sha256])
  lines.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  await blobs.put(canonicalBytes(lines))
  return hash
}

/** An input's bytes, or a folder's files, by hash from a store; null where the store does not have it (or all of it). */
export const storedInput = async (blobs: BlobStore, hash: Sha256): Promise<RawInput> => {
  if (!(await blobs.has(hash))) return null
  const bytes = await blobs.get(hash)
  const lines = manifestOf(bytes)
  if (lines === undefined || !(await Promise.all(lines.map(([, , sha256]) => blobs.has(sha256)))).every(Boolean)) return bytes
  return Promise.all(lines.map(async ([path, mode, sha256]) => ({ path, mode, bytes: await blobs.get(sha256) })))
}

/** Input sources over a content-addressed store that holds everything, sealed inputs included. */
export const storeInputs = (contract: Contract, blobs: BlobStore): Required<InputSources> => {
  const get = async (name: string): Promise<RawInput> => {
    const input = contract.inputs.find((one) => one.name === name)
    return input === undefined ? null : storedInput(blobs, input.sha256)
  }
  return { resolveInput: get, reveal: get }
}
