/** `afg dev`: the whole system on a local chain, for as long as you like. */
import { resolve as absolute, join } from "node:path"
import type { Command } from "commander"
import { afgHome } from "../../setup-record.ts"
import type { CommandModule } from "../commands.ts"
import { UsageError } from "../io.ts"

type DevFlags = { port?: string; data?: string; warp?: boolean; redis?: boolean }

const portOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UsageError("usage", `--port: ${text} is not a port`)
  return port
}

export const build: CommandModule["build"] = (command: Command, io, run) => {
  command
    .option("--port <n>", "port of the API (default: a free one)")
    .option("--data <dir>", "where everything is kept (default: .afg/dev)")
    .option("--warp", 'let POST {api}/dev/warp {"seconds":n} move the chain\'s time')
    .option("--redis", "run the timers on Redis (REDIS_URL, or a server of our own)")
    .option("--json", "the ready line is JSON anyway")
    .action((flags: DevFlags) =>
      run(async () => {
        const port = portOf(flags.port)
        const { startNetwork } = await import("../../../scripts/local/network.ts")
        // Before anything is started, so that an interruption during the start is not lost.
        const { promise: stopped, resolve } = Promise.withResolvers<void>()
        process.once("SIGINT", () => resolve())
        process.once("SIGTERM", () => resolve())
        const network = await startNetwork({
          dataDir: absolute(io.cwd, flags.data ?? join(afgHome(io.env), "dev")),
          ...(port === undefined ? {} : { port }),
          warp: flags.warp === true,
          redis: flags.redis === true,
          onRestart: (text) => io.stderr(`${text}\n`),
        })
        const { contracts } = network.deployment
        const ready = {
          api: network.api,
          rpc: network.chain.rpc,
          chain_id: network.deployment.chainId,
          confirmation: network.confirmation.url,
          confirmer: network.confirmation.signer,
          person: { session_file: network.confirmation.sessionFile },
          accounts: network.accounts.map(({ role, address, keyFile }) => ({ role, address, key_file: keyFile })),
          contracts: Object.fromEntries(Object.entries(contracts).map(([name, { address }]) => [name, address])),
        }
        io.stdout(`${JSON.stringify(ready)}\n`)
        await stopped
        await network.stop()
        return { exit: 0, text: "" }
      }),
    )
}
