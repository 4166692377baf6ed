#!/usr/bin/env node
// Sets this checkout up, from a bare clone on. Plain JavaScript for any Node >= 18 without dependencies: it runs before there are any.
// Everything it says goes to standard error, because it runs before commands whose standard output is a document.
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { takeLock } from "../orchestrator/verifier-runner/host/lock.mjs"
import { ensureNode, projectNode } from "./setup/node.mjs"
import { ensurePackages } from "./setup/packages.mjs"
import { spawnLoud } from "./setup/spawn.mjs"

const USAGE = `usage: node scripts/setup.mjs [--tests] [--stop]

Puts everything in place that the project needs, and does nothing when it is: Node 24, npm packages, a container engine,
the runner image, compiled contracts, fixtures. On Debian or Ubuntu as root it installs system packages.

  --tests  also what the tests need: Redis and PostgreSQL
  --stop   ends the Podman service that an earlier set-up started
`

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const say = (text) => process.stderr.write(`setup: ${text}\n`)

/** Runs one step that has something to do, saying what it does and how long it took. */
const step = async (what, work) => {
  const started = Date.now()
  say(`${what} …`)
  const result = await work()
  say(`${what}: done in ${((Date.now() - started) / 1000).toFixed(1)} s`)
  return result
}

const main = async (args) => {
  const unknown = args.find((arg) => !["--tests", "--stop", "--help"].includes(arg))
  if (unknown !== undefined || args.includes("--help")) {
    process.stderr.write(unknown === undefined ? USAGE : `setup: unknown argument ${unknown}\n${USAGE}`)
    return unknown === undefined ? 0 : 2
  }
  if (Number(process.versions.node.split(".")[0]) < 18)
    throw new Error(`Node ${process.versions.node} is too old: 18 or later is needed to begin`)
  const machine = (node, ...more) =>
    spawnLoud(node, ["--disable-warning=ExperimentalWarning", join(root, "scripts", "setup", "machine.ts"), ...more], { cwd: root })
  if (args.includes("--stop")) {
    const node = projectNode(root)
    return node === null ? 0 : machine(node, "--stop")
  }
  const started = Date.now()
  const release = await takeLock(join(root, ".afg", "setup.lock"), {
    patienceMs: 20 * 60_000,
    onWait: (holder) => say(`another set-up of this checkout is running (process ${holder}); waiting for it`),
  })
  try {
    const node = await ensureNode(root, step)
    await ensurePackages(root, node, step)
    const code = await machine(node, ...args)
    if (code === 0) say(`everything is in place (${((Date.now() - started) / 1000).toFixed(1)} s)`)
    return code
  } finally {
    release()
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    say(`failed: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  },
)
