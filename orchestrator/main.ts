/**
 * The orchestrator as a process: `node orchestrator/main.ts`. Plays the roles that `ROLES` names, prints one JSON line when it is ready,
 * ends on SIGTERM.
 */
import { pino } from "pino"
import { readConfig } from "./config.ts"
import { isAfgError } from "./errors.ts"
import { startOrchestrator } from "./orchestrator.ts"

const run = async (): Promise<void> => {
  const config = readConfig(process.env)
  const logger = pino({ name: "afg", level: config.logLevel }, pino.destination(2))
  const orchestrator = await startOrchestrator(config, (level, message, details = {}) => logger[level](details, message))
  const ready = {
    ready: true,
    api: orchestrator.api,
    chain_id: orchestrator.core.chainId,
    roles: [...config.roles],
    pid: process.pid,
  }
  process.stdout.write(`${JSON.stringify(ready)}\n`)
  const stop = async (): Promise<void> => {
    await orchestrator.close()
    process.exit(0)
  }
  process.once("SIGTERM", () => void stop())
  process.once("SIGINT", () => void stop())
}

run().catch((error: unknown) => {
  process.stderr.write(
    isAfgError(error) ? `${error.code}: ${error.message}\n` : `${error instanceof Error ? error.stack : String(error)}\n`,
  )
  process.exit(1)
})
