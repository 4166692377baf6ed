// Hands over from whatever Node runs an npm script to the project's own. Plain JavaScript for any Node >= 18.
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { projectNode } from "./node.mjs"

/** Runs a script of this project with these arguments, and ends as it ends. @param {string} script relative to the project's root */
export const handOver = (script) => {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  const node = projectNode(root)
  if (node === null) {
    process.stderr.write("this checkout is not set up yet: npm run setup\n")
    process.exit(2)
  }
  const path = `${dirname(node)}:${process.env.PATH ?? ""}`
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", script, ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: path },
  })
  // The child stops what it started before it ends; ending before it would leave that running.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.once("exit", (code, signal) => process.exit(signal ? 143 : (code ?? 1)))
}
