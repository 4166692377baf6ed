/** `afg confirm`: the confirmation service's administration, on its own directory (`docs/confirmation-service.md`). */
import type { Command } from "commander"
import { enrolScriptedDemo, makeLink, publishedKeys, serviceTime } from "../../confirmation-service/admin.ts"
import { confirmationDataDir } from "../../confirmation-service/config.ts"
import type { Run } from "../commands.ts"
import { type CliIo, type CommandResult, UsageError } from "../io.ts"

/** One day. */
const SESSION_SECONDS = 86_400

const utc = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace(".000Z", "Z")

const keys = (dataDir: string): CommandResult => {
  const published = publishedKeys(dataDir)
  return { exit: 0, json: published, text: JSON.stringify(published.jwks, null, 2) }
}

const link = async (dataDir: string, requestId: string | undefined): Promise<CommandResult> => {
  const made = makeLink({ dataDir, requestId, now: await serviceTime(dataDir) })
  return {
    exit: 0,
    json: made,
    text: `${made.url}\n(for ${made.subject}, request ${made.request_id}, once, until ${utc(made.expires_at)})`,
  }
}

type EnrolOptions = { subject: string; method: string; secretFile: string; validFor: string }

const enrol = async (dataDir: string, options: EnrolOptions): Promise<CommandResult> => {
  if (options.method !== "scripted-demo") {
    throw new UsageError("usage", `the only method to enrol by hand is scripted-demo; a person gets a link (afg confirm link)`)
  }
  const lifetime = /^[1-9]\d{0,6}$/.test(options.validFor) ? Number(options.validFor) : null
  if (lifetime === null) throw new UsageError("usage", "--valid-for is a number of seconds")
  const session = enrolScriptedDemo({
    dataDir,
    subject: options.subject,
    secretFile: options.secretFile,
    now: await serviceTime(dataDir),
    lifetime,
  })
  return { exit: 0, json: session, text: `${session.subject}: ${session.method} (loa ${session.loa}), secret in ${session.secret_file}` }
}

export const build = (command: Command, io: CliIo, run: Run): void => {
  const leaf = (name: string, summary: string): Command =>
    command
      .command(name)
      .description(summary)
      .option("--data <dir>", "the service's directory (default: $CONFIRMATION_DATA_DIR or .afg/confirmation)")
      .option("--json", "print one JSON document")
  const dataDir = (options: { data?: string }): string => options.data ?? confirmationDataDir(io.env)

  leaf("keys", "the service's public keys and its signer bytes for buyer.confirmer").action((options: { data?: string }) =>
    run(async () => keys(dataDir(options))),
  )
  leaf("link", "a one-time link that opens a session for a pending request")
    .argument("[request]", "the request's id; may be left out while only one waits")
    .action((requestId: string | undefined, options: { data?: string }) => run(async () => link(dataDir(options), requestId)))
  leaf("enrol", "a session for a program that plays the person (local chain only)")
    .requiredOption("--subject <name>", "the person, as in the service's buyers file")
    .requiredOption("--secret-file <file>", "new file for the session's secret, mode 0600")
    .option("--method <name>", "scripted-demo", "scripted-demo")
    .option("--valid-for <seconds>", "how long the session lives", String(SESSION_SECONDS))
    .action((options: EnrolOptions & { data?: string }) => run(async () => enrol(dataDir(options), options)))
}
