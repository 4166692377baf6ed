/** `afg doctor`: whether everything that the project needs is there and works, looked at now. */
import type { Command } from "commander"
import type { Run } from "../commands.ts"
import { checkChain } from "../doctor/chain.ts"
import type { CheckResult, Env } from "../doctor/check.ts"
import { checkClock, checkEngine, checkImages, checkNode, checkTestServices } from "../doctor/machine.ts"
import { checkStoreAndQueue } from "../doctor/services.ts"
import type { CliIo, CommandResult } from "../io.ts"

const examine = async (env: Env): Promise<CheckResult[]> => {
  // The engine may have to be started, and the images are in it: one after the other. The rest looks at other things.
  const containers = async () => [await checkEngine(env), await checkImages(env)]
  const [node, engine, storage, chain, clock] = await Promise.all([
    checkNode(),
    containers(),
    checkStoreAndQueue(env),
    checkChain(env),
    checkClock(),
  ])
  return [node, ...engine, ...storage, chain, clock, checkTestServices()]
}

const asText = (checks: readonly CheckResult[]): string =>
  checks
    .map(({ name, ok, detail, fix }) => `${ok ? "✔" : "✖"} ${name}: ${detail}${fix === undefined ? "" : `\n  to fix: ${fix}`}`)
    .join("\n")

const doctor = async (env: Env): Promise<CommandResult> => {
  const checks = await examine(env)
  const ok = checks.every((one) => one.ok)
  return { exit: ok ? 0 : 1, json: { ok, checks }, text: asText(checks) }
}

export const build = (command: Command, io: CliIo, run: Run): void => {
  command.option("--json", "print one JSON document").action(() => run(() => doctor(io.env)))
}
