/** Pinned inputs, resolved once and believed only by their hash. */
import type { Contract } from "../../contract/index.ts"
import { folderPrefix } from "../../contract/tree-hash.ts"
import { isAfgError } from "../../errors.ts"
import { CheckError, type ResolvedInput } from "../checks/check.ts"
import { folderOfTar } from "../files/folder.ts"
import { hashFiles, sha256Of, type TreeFile, withPrefix } from "../files/tree.ts"
import type { RawInput } from "./types.ts"

type ContractInput = Contract["inputs"][number]
type InputSources = {
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
const checkedInput = async (input: ContractInput, raw: RawInput): Promise<ResolvedInput> => {
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
