/** From a patch's bytes to the tree that it makes of the base commit, or the reason why not. */
import { AfgError } from "../../errors.ts"
import type { TreeFile } from "../files/tree.ts"
import type { Change, Repository } from "../git/repository.ts"
import { lookalikes } from "./lookalike.ts"
import { checkPath } from "./paths.ts"
import { readPatch } from "./read.ts"
import { type PatchRefusal, PatchRefused } from "./types.ts"
import { writePatch } from "./write.ts"

export type AppliedPatch = { changes: Change[]; files: TreeFile[] }

const PLAIN_MODES: ReadonlySet<string | null> = new Set(["100644", "100755", null])

const checkChanges = (changes: readonly Change[], announced: ReadonlySet<string>): void => {
  if (changes.length === 0) throw new PatchRefused("patch_empty", "the tree is the same as before")
  for (const { path, before, after } of changes) {
    if (!announced.has(path)) throw new AfgError("patch-misread", `git changed ${path}, which the patch as we read it does not name`)
    if (after !== null && !PLAIN_MODES.has(after)) throw new PatchRefused("patch_mode", `${path} would have mode ${after}`, path)
    if (before !== null && !PLAIN_MODES.has(before)) throw new PatchRefused("patch_mode", `${path} is no plain file`, path)
    if (before !== null && after !== null && before !== after) throw new PatchRefused("patch_mode", `${path} would change its mode`, path)
  }
}

/**
 * Applies `patch` to a tree of the repository, in a temporary index. `known` are paths besides the tree's own that no new path may look like,
 * such as those of a hidden suite.
 *
 * Throws `patch-misread` should git ever do what our reading of the patch does not say; what is wrong with the patch is returned.
 */
export const applyPatch = async (
  repository: Repository,
  base: { tree: string; files: readonly TreeFile[] },
  patch: Uint8Array,
  known: readonly string[] = [],
): Promise<AppliedPatch | { refused: PatchRefusal }> => {
  try {
    const sections = readPatch(patch)
    const own = new Set(base.files.map((file) => file.path))
    const twinOf = lookalikes([...base.files.map(({ path }) => path), ...known])
    for (const { path, kind } of sections) {
      checkPath(path)
      const twin = kind === "add" ? twinOf(path) : undefined
      // Paths of a sealed suite are not told.
      const named = twin !== undefined && own.has(twin) ? twin : "a path that is there already"
      if (twin !== undefined) throw new PatchRefused("patch_lookalike", `${path} looks like ${named}`, path)
    }
    const applied = await repository.apply(base.tree, writePatch(sections))
    if ("refused" in applied) throw new PatchRefused("patch_does_not_apply", applied.refused)
    const changes = await repository.changes(base.tree, applied.tree)
    checkChanges(changes, new Set(sections.map(({ path }) => path)))
    return { changes, files: await repository.filesOf(applied.tree) }
  } catch (error) {
    if (error instanceof PatchRefused) return { refused: error.refusal }
    throw error
  }
}
