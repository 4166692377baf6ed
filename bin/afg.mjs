#!/usr/bin/env node
// Plain JavaScript for any Node >= 18: finds the project's Node 24 and hands over to the TypeScript command.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { projectNode } from "../scripts/setup/node.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const command = join(root, "orchestrator", "cli", "afg.ts")
const node = projectNode(root)

if (!node || !existsSync(join(root, "node_modules", "commander"))) {
  process.stderr.write("afg: this checkout is not set up yet. Run: npm run setup\n")
  process.exit(2)
}

const child = spawn(node, ["--disable-warning=ExperimentalWarning", command, ...process.argv.slice(2)], { stdio: "inherit" })
// The child decides when to stop; forwarding lets it end its own children first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
child.on("exit", (code, signal) => {
  if (signal) process.kill(process.pid, signal)
  else process.exit(code ?? 2)
})
