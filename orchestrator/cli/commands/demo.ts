/** `afg demo`: worked example A for real, on a local network that is gone afterwards. */
import { type Command, Option } from "commander"
import type { CommandModule } from "../commands.ts"
import type { CommandResult } from "../io.ts"

type DemoFlags = { path: "happy" | "deadline" | "refuse"; redis?: boolean; interactive?: boolean; json?: boolean }

const describe = (summary: {
  state: string
  cause: string | null
  balances: { before: Record<string, string>; after: Record<string, string> }
  bundle: string | null
  evidence: string | null
}): string => {
  const rows = Object.entries(summary.balances.before).map(
    ([who, before]) => `  ${who.padEnd(10)} ${before.padStart(12)}  →  ${(summary.balances.after[who] ?? "").padStart(12)} USDC`,
  )
  const files = [
    summary.bundle === null ? null : `  evidence bundle      ${summary.bundle}`,
    summary.evidence === null ? null : `  human's confirmation ${summary.evidence}`,
  ].filter((line) => line !== null)
  return ["", ...rows, "", ...files, ""].join("\n")
}

export const build: CommandModule["build"] = (command: Command, _io, run) => {
  command
    .addOption(new Option("--job <job>", "which worked example").choices(["a"]).default("a"))
    .addOption(new Option("--path <path>", "how it ends").choices(["happy", "deadline", "refuse"]).default("happy"))
    .addOption(new Option("--rail <rail>", "which escrow rail").choices(["erc8183"]).default("erc8183"))
    .option("--redis", "run the timers on Redis (REDIS_URL, or a server of our own)")
    .option("--interactive", "you are the human: confirm in your browser")
    .option("--json", "print one JSON document on stdout and nothing else there")
    .action((flags: DemoFlags) =>
      run(async (): Promise<CommandResult> => {
        const { runDemo } = await import("../../../scripts/demo/demo.ts")
        const summary = await runDemo({
          path: flags.path,
          redis: flags.redis === true,
          interactive: flags.interactive === true,
          output: process.stderr,
        })
        return { exit: 0, json: summary, text: describe(summary) }
      }),
    )
}
