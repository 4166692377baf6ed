// The Node that the project runs on, whatever the host has. Plain JavaScript for any Node >= 18.
import { existsSync } from "node:fs"
import { join } from "node:path"

/** The line of Node that code, tests and types are written for. */
export const NODE_MAJOR = 24

/** Where set-up puts it: `.afg/boot/node_modules/node-<platform>-<arch>/bin/node`. */
export const bootNode = (root) => {
  const platform = process.platform === "win32" ? "win" : process.platform
  return join(
    root,
    ".afg",
    "boot",
    "node_modules",
    `node-${platform}-${process.arch}`,
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  )
}

/** The boot Node, or this process's own when it is recent enough; null when neither. */
export const projectNode = (root) => {
  if (existsSync(bootNode(root))) return bootNode(root)
  return Number(process.versions.node.split(".")[0]) === NODE_MAJOR ? process.execPath : null
}
