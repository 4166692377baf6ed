/** `afg jcs`: the canonical form of a JSON document (RFC 8785). */
import type { Command } from "commander"
import { canonicalBytes, parseStrictJson } from "../../json/index.ts"
import type { Run } from "../commands.ts"
import { type CliIo, readInput } from "../io.ts"

export const build = (command: Command, _io: CliIo, run: Run): void => {
  command
    .description("print the canonical bytes of a JSON document, nothing added")
    .argument("<file>", "a JSON document, or - for stdin")
    .option("--json", "the same bytes: they are one JSON document")
    .action((file: string) => run(async () => ({ exit: 0, bytes: canonicalBytes(parseStrictJson(await readInput(file))) })))
}
