/** Rules of the house that no linter knows. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Longer than this a file has more than one reason to exist. */
const LONGEST_FILE = 550

/** Files made by programs or holding data, whose length says nothing. */
const MADE = [/^package-lock\.json$/, /^deployments\//, /(?:^|\/)(?:fixtures|vectors)\//, /\.(?:json|svg|md|lock|hex|jws)$/]

const trackedFiles = (root: string): string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)))

/** Source files with too many lines. */
export const longFiles = (root: string, files: readonly string[] = trackedFiles(root)): string[] =>
  files
    .filter((file) => !MADE.some((pattern) => pattern.test(file)))
    .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > LONGEST_FILE)
    .map(({ file, lines }) => `${file} has ${lines} lines; ${LONGEST_FILE} is the most`)

/** Lock entries that name the host they came from: another's registry must do as well. */
export const resolvedEntries = (lockText: string): string[] => {
  const { packages } = JSON.parse(lockText) as { packages: Record<string, { resolved?: string; link?: boolean }> }
  return Object.entries(packages)
    .filter(([, entry]) => entry.resolved !== undefined && !entry.link)
    .map(([path]) => `package-lock.json: ${path} has \`resolved\``)
}

/** Lock entries without a hash of what they should be. */
export const unhashedEntries = (lockText: string): string[] => {
  const { packages } = JSON.parse(lockText) as { packages: Record<string, { integrity?: string; link?: boolean; inBundle?: boolean }> }
  return Object.entries(packages)
    .filter(([path, entry]) => path !== "" && entry.integrity === undefined && !entry.link && !entry.inBundle)
    .map(([path]) => `package-lock.json: ${path} has no \`integrity\``)
}
