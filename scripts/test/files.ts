/** Which test files there are, and which of them want a server. */
import { globSync, readFileSync } from "node:fs"

export const allTestFiles = (root: string): string[] => globSync("test/**/*.test.ts", { cwd: root }).sort()

/** Test files whose text, or that of a module beside them, names an environment variable. */
export const filesThatUse = (root: string, files: readonly string[], variable: string): string[] =>
  files.filter((file) => readFileSync(`${root}/${file}`, "utf8").includes(variable))
