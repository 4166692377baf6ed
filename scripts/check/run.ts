/** Runs every check that needs no running program, and says which failed. */
import { spawn } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { longFiles, resolvedEntries, unhashedEntries } from "./house-rules.ts"
import { importViolations } from "./imports.ts"

type Outcome = { ok: boolean; output: string }
type Check = { name: string; run: () => Promise<Outcome> }

const tool = (script: string, ...args: string[]): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join("node_modules", script), ...args], {
      cwd: projectRoot,
      env: { ...process.env, NO_COLOR: "1" },
    })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ ok: code === 0, output }))
  })

const problems = async (find: () => string[]): Promise<Outcome> => {
  const found = find()
  return { ok: found.length === 0, output: found.join("\n") }
}

const solhint = async (config: string, wanted: (file: string) => boolean): Promise<Outcome> => {
  const files = globSync("contracts/**/*.sol", { cwd: projectRoot }).filter(wanted)
  if (files.length === 0) return { ok: true, output: "" }
  return tool("solhint/solhint.js", "--noPoster", "--max-warnings", "0", "-c", config, ...files)
}

const isDouble = (file: string): boolean => file.startsWith("contracts/test-doubles/")
const lock = (): string => readFileSync(join(projectRoot, "package-lock.json"), "utf8")

const CHECKS: readonly Check[] = [
  { name: "types", run: () => tool("typescript/bin/tsc", "--noEmit") },
  { name: "format and lint", run: () => tool("@biomejs/biome/bin/biome", "check", "--error-on-warnings") },
  { name: "Solidity lint", run: () => solhint(".solhint.json", (file) => !isDouble(file)) },
  { name: "Solidity lint of test doubles", run: () => solhint("contracts/test-doubles/.solhint.json", isDouble) },
  { name: "directions of imports", run: () => problems(() => importViolations(projectRoot)) },
  { name: "unused code", run: () => tool("knip/bin/knip.js", "--no-progress", "--no-config-hints") },
  { name: "lengths of files", run: () => problems(() => longFiles(projectRoot)) },
  { name: "lock file", run: () => problems(() => [...resolvedEntries(lock()), ...unhashedEntries(lock())]) },
]

/** Runs those whose name has one of the words given, or all. */
const main = async (words: readonly string[]): Promise<number> => {
  if (!existsSync(join(projectRoot, "node_modules"))) throw new Error("run `npm run setup` first")
  let failed = 0
  for (const { name, run } of CHECKS.filter((check) => words.length === 0 || words.some((word) => check.name.includes(word)))) {
    const started = performance.now()
    const { ok, output } = await run()
    if (!ok) failed += 1
    process.stdout.write(`${ok ? "✔" : "✖"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`)
    if (!ok) process.stdout.write(`${output.trim().replace(/^/gm, "    ")}\n`)
  }
  process.stdout.write(failed === 0 ? "check: all is well\n" : `check: ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
