/** A patch as we read it: what each of its sections does to one path. */

export type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: readonly Buffer[] }

export type FilePatch = {
  /** Decoded, without `a/` or `b/`. */
  path: string
  kind: "add" | "modify" | "delete"
  /** Git's mode of an added file. */
  mode?: "100644" | "100755"
  hunks: readonly Hunk[]
}

/** Why a patch is refused; nothing has been written. `path` where one path is at fault. */
export type PatchRefusal = { code: PatchRefusalCode; path?: string; detail: string }

export const PATCH_REFUSALS = {
  patch_empty: "it changes nothing",
  patch_malformed: "it is not a unified diff",
  patch_binary: "binary patches are not taken: a reader must be able to see what changes",
  patch_rename: "renames and copies are not taken: write them as a deletion and an addition (`git diff --no-renames`)",
  patch_mode: "symbolic links, submodules and changes of mode are not taken",
  patch_path: "a path is absolute, leaves the repository, or is not normal",
  patch_git_path: "a path is git's own, in some spelling",
  patch_duplicate: "one path is changed twice",
  patch_lookalike: "a new path looks like one that is there",
  patch_does_not_apply: "it does not apply to the base commit",
  patch_too_large: "it has too many files or lines",
} as const

export type PatchRefusalCode = keyof typeof PATCH_REFUSALS

export class PatchRefused extends Error {
  readonly refusal: PatchRefusal
  constructor(code: PatchRefusalCode, detail: string, path?: string) {
    super(detail)
    this.refusal = { code, detail, ...(path === undefined ? {} : { path }) }
  }
}
