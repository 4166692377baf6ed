/**
 * Runs the tests: starts the servers that some of them want, then the Solidity tests, then Node's test runner, whose closing lines end the
 * output. Stops everything it started, however it ends.
 *
 * With file names as arguments only these are run. `AFG_REQUIRE_SERVICES=1` fails where a server cannot be had.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { servicesAdvice } from "../../orchestrator/verifier-runner/host/advice.ts"
import { hostPlatform } from "../../orchestrator/verifier-runner/host/platform.ts"
import { tied } from "../services/server.ts"
import { startTestServices, type TestServices } from "../services/test-services.ts"
import { hardhatEnv } from "../setup/artifacts.ts"
import { allTestFiles, filesThatUse } from "./files.ts"

/** No single test may hang a run. The large numbers of a deep run take longer. */
const TEST_TIMEOUT_MS = process.env.AFG_DEEP ? 60 * 60_000 : 10 * 60_000

const say = (text: string) => process.stderr.write(`test: ${text}\n`)

let running: ChildProcess | undefined
let interrupted: NodeJS.Signals | undefined

/** Runs one program to its end, its output being ours. It has a process group of its own, so that nothing it started outlives it. */
const run = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    const [command, words] = tied(process.execPath, args)
    const child = spawn(command, words, { cwd: projectRoot, env, stdio: ["ignore", "inherit", "inherit"], detached: true })
    running = child
    child.once("error", reject)
    child.once("close", (code) => {
      running = undefined
      endGroup(child, "SIGKILL")
      resolve(code ?? 1)
    })
  })

const endGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (child.pid) process.kill(-child.pid, signal)
  } catch {
    // Nothing of it is left.
  }
}

const announceMissing = (services: TestServices, files: readonly string[]): void => {
  for (const { variable, what, why } of services.missing) {
    const left = filesThatUse(projectRoot, files, variable)
    say(`${what}: ${why}. Left out are the tests on it in ${left.length === 0 ? "no file chosen" : left.join(", ")}`)
  }
  if (services.missing.length > 0) say(`to have them:\n${servicesAdvice(hostPlatform())}`)
}

const solidityTests = async (env: NodeJS.ProcessEnv): Promise<number> => {
  if (!existsSync(join(projectRoot, "hardhat.config.ts"))) {
    say("there is no hardhat.config.ts yet: no Solidity tests")
    return 0
  }
  return run(["node_modules/hardhat/dist/src/cli.js", "test", "solidity"], { ...env, ...hardhatEnv() })
}

const nodeTests = (files: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  run(
    [
      "--disable-warning=ExperimentalWarning",
      "--test",
      "--test-reporter=spec",
      `--test-concurrency=${Math.max(2, availableParallelism())}`,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      ...files,
    ],
    env,
  )

const main = async (args: readonly string[]): Promise<number> => {
  const named = args.filter((arg) => arg !== "--")
  const files = named.length > 0 ? named : allTestFiles(projectRoot)
  const services = await startTestServices(process.env)
  try {
    announceMissing(services, files)
    if (services.missing.length > 0 && process.env.AFG_REQUIRE_SERVICES) {
      say("AFG_REQUIRE_SERVICES is set: not going on without them")
      return 1
    }
    const env = { ...process.env, ...services.env }
    const solidity = named.length > 0 || interrupted ? 0 : await solidityTests(env)
    if (solidity !== 0) say("Solidity tests failed; going on, so that this run shows everything")
    const node = interrupted ? 1 : await nodeTests(files, env)
    return node === 0 ? solidity : node
  } finally {
    await services.stop()
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    interrupted = signal
    if (running) endGroup(running, signal)
  })

process.exitCode = await main(process.argv.slice(2))
if (interrupted) process.exitCode = interrupted === "SIGINT" ? 130 : 143
