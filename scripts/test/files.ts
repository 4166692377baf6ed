/** Which test files there are, and which of them want a server. */
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

export const allTestFiles = (root: string): string[] => globSync("test/**/*.test.ts", { cwd: root }).sort()

/** Test files that name an environment variable. */
export const filesThatUse = (root: string, files: readonly string[], variable: string): string[] =>
  files.filter((file) => readFileSync(resolve(root, file), "utf8").includes(variable))
