// The Node that the project runs on, whatever the host has. Plain JavaScript for any Node >= 18.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { spawnQuiet } from "./spawn.mjs"

/** The line of Node that code, tests and types are written for. */
export const NODE_MAJOR = 24
const NODE_VERSION = "24.22.3"

const platform = process.platform === "win32" ? "win" : process.platform
const packageName = `node-${platform}-${process.arch}`

/** Where set-up puts it: `.afg/boot/node_modules/node-<platform>-<arch>/bin/node`. */
export const bootNode = (root) =>
  join(root, ".afg", "boot", "node_modules", packageName, "bin", process.platform === "win32" ? "node.exe" : "node")

/** The boot Node, or this process's own when it is recent enough; null when neither. */
export const projectNode = (root) => {
  if (existsSync(bootNode(root))) return bootNode(root)
  return Number(process.versions.node.split(".")[0]) === NODE_MAJOR ? process.execPath : null
}

/** npm's own script: what ran us, or what came with this Node, or what is on PATH. */
export const findNpm = () => {
  const beside = dirname(realpathSync(process.execPath))
  const candidates = [
    process.env.npm_execpath ?? "",
    join(beside, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(beside, "node_modules", "npm", "bin", "npm-cli.js"),
    ...(process.env.PATH ?? "").split(":").map((directory) => join(directory, "npm")),
  ]
  for (const candidate of candidates) {
    if (!existsSync(candidate)) continue
    const file = realpathSync(candidate)
    if (file.endsWith("npm-cli.js")) return file
  }
  throw new Error("npm was not found. It comes with Node: install Node from your distribution with npm (Debian: apt-get install npm).")
}

const versionOf = (node) => {
  try {
    return execFileSync(node, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()
  } catch {
    return null
  }
}

/** Puts the project's Node in place and returns its path. The package holds the program itself: no script, no download besides. */
export const ensureNode = async (root, step) => {
  const present = projectNode(root)
  if (present) return present
  return step(`Node ${NODE_VERSION}`, async () => {
    const boot = join(root, ".afg", "boot")
    mkdirSync(boot, { recursive: true })
    const args = ["install", "--prefix", boot, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", `${packageName}@${NODE_VERSION}`]
    await spawnQuiet(process.execPath, [findNpm(), ...args], { cwd: boot })
    const version = versionOf(bootNode(root))
    if (version !== `v${NODE_VERSION}`)
      throw new Error(
        `Node ${NODE_VERSION} was installed but does not run on this ${process.platform} ${process.arch} (is its C library not glibc?).\n` +
          `Install Node ${NODE_MAJOR} from your distribution, put it first on PATH, delete .afg/boot, and run this again.`,
      )
    return bootNode(root)
  })
}
