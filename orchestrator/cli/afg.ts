/** The `afg` command: parses arguments, runs one command, prints its result, exits with its code. */
import { Command, CommanderError } from "commander"
import { commands } from "./commands.ts"
import { type CliIo, type CommandResult, errorDocument } from "./io.ts"

const io: CliIo = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
}

const wantsJson = (argv: readonly string[]): boolean => argv.includes("--json")

const print = (result: CommandResult, json: boolean): Promise<void> =>
  new Promise((resolve) => {
    if (result.bytes !== undefined) process.stdout.write(result.bytes, () => resolve())
    else if (json) process.stdout.write(`${JSON.stringify(result.json)}\n`, () => resolve())
    else {
      const text = result.text ?? JSON.stringify(result.json, null, 2)
      process.stdout.write(text.endsWith("\n") ? text : `${text}\n`, () => resolve())
    }
  })

export const main = async (argv: readonly string[]): Promise<number> => {
  const program = new Command("afg").description("Agents hire each other and are paid only for work that provably meets the contract.")
  program.exitOverride().configureOutput({ writeOut: io.stdout, writeErr: io.stderr }).showHelpAfterError("(afg --help lists the commands)")
  let outcome: CommandResult = { exit: 0, text: "" }
  const run = (action: () => Promise<CommandResult>) =>
    action().then((result) => {
      outcome = result
    })

  const wanted = argv.find((word) => !word.startsWith("-"))
  for (const { name, summary, load } of commands) {
    const command = program.command(name).description(summary).exitOverride()
    command.configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
    // Only the named command's module is loaded: most of them pull in a chain client or a store.
    if (name === wanted) (await load()).build(command, io, run)
    else command.allowUnknownOption().allowExcessArguments()
  }

  try {
    await program.parseAsync(argv, { from: "user" })
    if (outcome.text !== "" || outcome.json !== undefined || outcome.bytes !== undefined) await print(outcome, wantsJson(argv))
    return outcome.exit
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      if (wantsJson(argv)) io.stdout(`${JSON.stringify({ error: { code: "usage", message: error.message } })}\n`)
      return 2
    }
    const document = errorDocument(error)
    if (wantsJson(argv)) io.stdout(`${JSON.stringify(document)}\n`)
    else
      io.stderr(
        `afg: ${document.error.code}: ${document.error.message}${document.error.path === undefined ? "" : ` (at ${document.error.path || "/"})`}\n`,
      )
    if (document.error.code === "internal" && io.env.AFG_DEBUG) io.stderr(`${(error as Error).stack}\n`)
    return exitOf(error)
  }
}

/** Commands return definite answers themselves; what is thrown is usage (2) or could not be established (3). */
const exitOf = (error: unknown): number => {
  const code = errorDocument(error).error.code
  return code === "internal" || code.endsWith("-unavailable") || code.endsWith("-unreachable") ? 3 : 2
}

process.exitCode = await main(process.argv.slice(2))
// Some libraries keep sockets alive; a command that has answered is done.
process.exit()
