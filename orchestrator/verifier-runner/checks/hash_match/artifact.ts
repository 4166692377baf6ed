/** What an `artifact` names: the deliverable, an input, or files of the tree that the deliverable makes. */
import type { Contract } from "../../../contract/index.ts"
import { DELIVERABLE_NAME } from "../../../contract/schema/work.ts"
import type { Sha256 } from "../../../types.ts"
import { globMatcher, isGlob } from "../../files/glob.ts"
import { hashFiles, sha256Of, type TreeFile } from "../../files/tree.ts"
import type { PatchRefusal } from "../../patch/types.ts"
import { type CheckContext, CheckError, type ResolvedInput } from "../check.ts"

export type Found = { sha256: Sha256; files: number; inputs: Record<string, Sha256> }

const hashOf = (artifact: string, files: readonly TreeFile[], inputs: Record<string, Sha256>): Found => {
  const single = isGlob(artifact) ? undefined : files.find(({ path }) => path === artifact)
  if (single) return { sha256: sha256Of(single.bytes), files: 1, inputs }
  const matches = globMatcher(artifact)
  const chosen = files.filter(({ path }) => matches(path))
  // An empty set says nothing about the deliverable: the contract asks about files that are not there.
  if (chosen.length === 0) throw new CheckError("artifact-missing", `nothing matches ${artifact}`)
  return { sha256: hashFiles(chosen), files: chosen.length, inputs }
}

/** The repository that a patch is for: the one that the contract's test suites name. */
const patchedRepository = (context: CheckContext): { repo: string; commit: string } => {
  for (const check of context.contract.acceptance.checks)
    if (check.type === "test_suite_pass") return { repo: check.repo, commit: check.base_commit }
  throw new CheckError("tree-unknown", "no check of the contract says which repository and commit the patch is for")
}

const hiddenPaths = async (context: CheckContext): Promise<string[]> => {
  const { repo, commit } = patchedRepository(context)
  const base = await context.base(repo, commit)
  const suites = context.contract.acceptance.checks.flatMap((check) =>
    check.type === "test_suite_pass" && check.hidden_suite_sha256 !== undefined ? [check.hidden_suite_sha256] : [],
  )
  const folders = await Promise.all(suites.map((hash) => context.folder(hash, base)))
  return folders.flatMap(({ files }) => files.map(({ path }) => path))
}

/** Inputs and deliverable as one set of files, for deliverables that are no patches. */
const laidOut = async (context: CheckContext): Promise<{ files: TreeFile[]; inputs: Record<string, Sha256> }> => {
  const files: TreeFile[] = [{ path: DELIVERABLE_NAME, mode: "100644", bytes: context.deliverable.bytes }]
  const inputs: Record<string, Sha256> = {}
  for (const { name, sealed } of context.contract.inputs) {
    if (sealed) continue
    const input = await context.input(name)
    inputs[name] = input.sha256
    if (input.bytes) files.push({ path: name, mode: "100644", bytes: input.bytes })
    files.push(...(input.files ?? []))
  }
  return { files, inputs }
}

/** An input that is a folder of the repository need not be handed over. */
const resolveNamed = async (input: Contract["inputs"][number], context: CheckContext): Promise<ResolvedInput> => {
  if (context.contract.deliverable.type !== "git_patch" || !input.uri.endsWith("/")) return context.input(input.name)
  const { repo, commit } = patchedRepository(context)
  return context.folder(input.sha256, await context.base(repo, commit))
}

/** Throws {@link CheckError} when nothing is there to be hashed; a patch that cannot be applied is returned as refused. */
export const findArtifact = async (artifact: string, context: CheckContext): Promise<Found | { refused: PatchRefusal }> => {
  if (artifact === DELIVERABLE_NAME) return { sha256: context.deliverable.sha256, files: 1, inputs: {} }
  const named = context.contract.inputs.find(({ name }) => name === artifact)
  if (named !== undefined) {
    const input = await resolveNamed(named, context)
    return { sha256: input.sha256, files: input.files?.length ?? 1, inputs: { [artifact]: input.sha256 } }
  }
  if (context.contract.deliverable.type !== "git_patch") {
    const { files, inputs } = await laidOut(context)
    return hashOf(artifact, files, inputs)
  }
  const { repo, commit } = patchedRepository(context)
  const applied = await context.patched(repo, commit, await hiddenPaths(context))
  if ("refused" in applied) return applied
  return hashOf(artifact, applied.files, { [repo]: (await context.input(repo)).sha256 })
}
