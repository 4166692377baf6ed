/**
 * The confirmation service as a process of its own: `node orchestrator/confirmation-service/main.ts`.
 *
 * Configured by its environment. Prints one line of JSON when it is ready, `{url, jwks, kid, signer}`; logs go to stderr.
 */
import { pino } from "pino"
import { isAfgError } from "../errors.ts"
import { clockFor } from "./clock.ts"
import { readServiceConfig } from "./config.ts"
import { startService } from "./service.ts"

const main = async (): Promise<void> => {
  const config = readServiceConfig(process.env)
  const log = pino({ name: "confirmation", level: config.logLevel }, pino.destination(2))
  const service = await startService(config, {
    log,
    clock: clockFor(config.clockRpcUrl),
  })
  const { url, jwks, kid, signer } = service
  process.stdout.write(`${JSON.stringify({ url, jwks, kid, signer })}\n`)
  const stop = (): void => {
    service.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}

main().catch((error: unknown) => {
  process.stderr.write(isAfgError(error) ? `${error.code}: ${error.message}\n` : `${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
})
