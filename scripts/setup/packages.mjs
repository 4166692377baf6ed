// The packages of package-lock.json, installed by the project's own Node. Plain JavaScript for any Node >= 18.
import { readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { findNpm } from "./node.mjs"
import { spawnQuiet } from "./spawn.mjs"

const glibc = () => process.report?.getReport()?.header?.glibcVersionRuntime !== undefined

const allows = (list, value) => {
  if (!list) return true
  if (list.includes(`!${value}`)) return false
  return list.includes(value) || list.every((one) => one.startsWith("!"))
}

/** Whether an optional package is meant for this very platform, so that its absence is a fault. */
const isForThisPlatform = (entry, host) =>
  Boolean(entry.os || entry.cpu) &&
  allows(entry.os, host.platform) &&
  allows(entry.cpu, host.arch) &&
  (host.platform !== "linux" || allows(entry.libc, host.glibc ? "glibc" : "musl"))

/**
 * What differs between the lock file and what npm wrote of its last installation; empty when they agree. An installation by an
 * older Node lacks optional packages whose `engines` want more, which shows only much later, so those of this platform count.
 */
export const packageDifferences = (locked, installed, host) => {
  const differences = []
  for (const [path, entry] of Object.entries(locked)) {
    if (path === "" || entry.link) continue
    const present = installed[path]
    if (present === undefined) {
      if (!entry.optional || isForThisPlatform(entry, host)) differences.push(`${path} is missing`)
    } else if (present.version !== entry.version || present.integrity !== entry.integrity)
      differences.push(`${path} is ${present.version}, not ${entry.version}`)
  }
  for (const path of Object.keys(installed)) if (locked[path] === undefined) differences.push(`${path} is not in the lock file`)
  return differences
}

const readPackages = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? {}
  } catch {
    return {}
  }
}

const differencesIn = (root) =>
  packageDifferences(readPackages(join(root, "package-lock.json")), readPackages(join(root, "node_modules", ".package-lock.json")), {
    platform: process.platform,
    arch: process.arch,
    glibc: glibc(),
  })

/** Runs `npm ci` with the project's Node unless node_modules is what the lock file says. */
export const ensurePackages = async (root, node, step) => {
  if (differencesIn(root).length === 0) return
  await step("npm ci", async () => {
    const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` }
    await spawnQuiet(node, [findNpm(), "ci", "--no-audit", "--no-fund"], { cwd: root, env })
    const left = differencesIn(root)
    if (left.length > 0)
      throw new Error(`npm ci ended well, but node_modules is not what package-lock.json says:\n  ${left.slice(0, 10).join("\n  ")}`)
  })
}
