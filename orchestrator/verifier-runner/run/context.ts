/** What the checks of one verification share: inputs, the repository, the patched tree. */
import type { Contract } from "../../contract/index.ts"
import { isAfgError } from "../../errors.ts"
import type { Sha256 } from "../../types.ts"
import { type BaseTree, type CheckContext, CheckError, type ResolvedInput } from "../checks/check.ts"
import { hashFiles, type TreeFile } from "../files/tree.ts"
import { Repository } from "../git/repository.ts"
import { applyPatch } from "../patch/apply.ts"
import { inputResolver } from "./inputs.ts"
import type { VerificationRequest } from "./types.ts"

/** Computes once per key, failures included: what failed for one check fails for the next. */
const memo = <T>() => {
  const known = new Map<string, Promise<T>>()
  return (key: string, make: () => Promise<T>): Promise<T> => {
    const value = known.get(key) ?? make()
    known.set(key, value)
    return value
  }
}

const asInputFault = (error: unknown): never => {
  if (isAfgError(error)) throw new CheckError(error.code, error.message, error.code === "git-unavailable")
  throw error
}

/** The part of a base tree that an input's uri names, for folders that are in the repository anyway. */
const folderInTree = (contract: Contract, hash: Sha256, base: BaseTree): (ResolvedInput & { files: TreeFile[] }) | undefined => {
  for (const { name, uri, sha256, sealed } of contract.inputs) {
    if (sha256 !== hash || sealed || !uri.endsWith("/")) continue
    const files = base.files.filter(({ path }) => path.startsWith(uri))
    if (files.length > 0 && hashFiles(files) === hash) return { name, sha256, sealed: false, files }
  }
  return undefined
}

export type SharedContext = { context: CheckContext; close: () => Promise<void> }

export const shareContext = (request: VerificationRequest): SharedContext => {
  const { contract, submission, engine } = request
  const input = inputResolver(contract, request)
  const repositories = new Map<string, Promise<Repository>>()
  const open = (repo: string): Promise<Repository> => {
    const opened =
      repositories.get(repo) ??
      input(repo).then(({ bytes, name }) => {
        if (bytes === undefined) throw new CheckError("repo-unusable", `input ${name} is a folder, not a git bundle`)
        return Repository.open(bytes).catch(asInputFault)
      })
    repositories.set(repo, opened)
    return opened
  }
  const bases = memo<BaseTree>()
  const base = (repo: string, commit: string) =>
    bases(`${repo} ${commit}`, async () => {
      const repository = await open(repo)
      try {
        const tree = await repository.treeOf(commit)
        return { tree, files: await repository.filesOf(tree) }
      } catch (error) {
        return asInputFault(error)
      }
    })
  const patches = memo<Awaited<ReturnType<CheckContext["patched"]>>>()
  const folder: CheckContext["folder"] = async (hash, tree) => {
    const inTree = folderInTree(contract, hash, tree)
    if (inTree) return inTree
    const named = contract.inputs.find(({ sha256 }) => sha256 === hash)
    if (named === undefined) throw new CheckError("input-unknown", `no input has the hash ${hash}`)
    const resolved = await input(named.name)
    if (resolved.files === undefined) throw new CheckError("input-not-folder", `input ${named.name} is a file, not a folder`)
    return { ...resolved, files: resolved.files }
  }
  return {
    context: {
      contract,
      deliverable: { bytes: submission.deliverable, sha256: submission.sha256 },
      input,
      folder,
      base,
      patched: (repo, commit, known = []) =>
        patches(`${repo} ${commit} ${known.join("\0")}`, async () => {
          const tree = await base(repo, commit)
          return applyPatch(await open(repo), tree, submission.deliverable, known).catch(asInputFault)
        }),
      engine,
      signal: request.signal,
      progress: request.onProgress ?? (() => {}),
    },
    close: async () => {
      for (const repository of await Promise.allSettled(repositories.values()))
        if (repository.status === "fulfilled") await repository.value[Symbol.asyncDispose]()
    },
  }
}
