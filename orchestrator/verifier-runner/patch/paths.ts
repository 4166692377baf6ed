/** Which paths a patch may touch at all, whatever the contract says. */
import { foldPath } from "./lookalike.ts"
import { PatchRefused } from "./types.ts"

const MOST_BYTES = 1_024
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** `.git` as file systems may see it: other case, width or ignorable characters, DOS short names, streams, blanks and dots at its end. */
const isGitName = (part: string): boolean => {
  const folded = foldPath(part)
    .replace(/:.*$/s, "")
    .replace(/[ .]+$/, "")
  return folded === ".git" || /^git~\d+$/.test(folded) || folded === ".gitmodules" || /^gitmod~\d+$/.test(folded)
}

/** Throws {@link PatchRefused} for a path that is absolute, leaves the root, is not normal, or is git's own. */
export const checkPath = (path: string): void => {
  const refuse = (detail: string): never => {
    throw new PatchRefused("patch_path", `${JSON.stringify(path)} ${detail}`, path)
  }
  if (path === "" || Buffer.byteLength(path) > MOST_BYTES) refuse("is empty or too long")
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) refuse("is absolute")
  if (path.includes("\\")) refuse("has a backslash")
  if (CONTROL.test(path)) refuse("has a control character")
  for (const part of path.split("/")) {
    if (part === "" || part === ".") refuse("is not normal")
    if (foldPath(part).replace(/[ ]+$/, "") === "..") refuse("leaves the repository")
    if (isGitName(part)) throw new PatchRefused("patch_git_path", `${JSON.stringify(path)} is git's own`, path)
  }
}
