/** `afg contract`: everything about a job contract that can be done offline, and what a chain adds. */
import type { Command } from "commander"
import { contractHashOf, contractJsonSchema, parseContract, plain, termsToSign } from "../../contract/index.ts"
import type { Run } from "../commands.ts"
import { type LintFlags, lintCommand } from "../contract/lint.ts"
import { type SignFlags, sign, type VerifyFlags, verify } from "../contract/signatures.ts"
import { template } from "../contract/template.ts"
import { type CliIo, type CommandResult, readInput } from "../io.ts"

const FILE = "a contract, or - for stdin"
const ROSTER = "the panel roster, where the contract does not hold it"

const hash = async (file: string): Promise<CommandResult> => {
  const digest = contractHashOf(await readInput(file))
  return { exit: 0, json: { contract_hash: digest }, text: digest }
}

const terms = async (file: string, flags: { roster?: string }): Promise<CommandResult> => {
  const contract = parseContract(await readInput(file))
  const signing = termsToSign(contract, { roster: flags.roster === undefined ? undefined : await readInput(flags.roster) })
  return { exit: 0, json: { ...signing, terms: plain(signing.terms) } }
}

export const build = (command: Command, io: CliIo, run: Run): void => {
  command.description("job contracts: examples, hash, linter, Terms, signatures")

  command
    .command("template")
    .description("a complete example contract; without a name, the names")
    .argument("[name]", "code-fix, claim-file or schema")
    .option("--json", "print JSON and nothing else")
    .action((name: string | undefined) => run(() => template(name, io.env)))

  command
    .command("json-schema")
    .description("the JSON Schema of a contract, for editors and other languages")
    .option("--json", "print JSON and nothing else")
    .action(() => run(async () => ({ exit: 0, json: contractJsonSchema() })))

  command
    .command("hash")
    .description("sha256 of the canonical contract without signatures and contract_hash")
    .argument("<file>", FILE)
    .option("--json", "print {contract_hash}")
    .action((file: string) => run(() => hash(file)))

  command
    .command("lint")
    .description("whether a contract is acceptable: 0 yes, 1 no; run it before signing")
    .argument("<file>", FILE)
    .option("--rpc <url>", "also look at the price's chain")
    .option("--inputs <dir>", "check the hashes of the inputs in this directory")
    .option("--conflict-report <file>", "the mediator's conflict report")
    .option("--validators <file>", "JSON list of {validator, versions} that the verifier has")
    .option("--rubric-cap <amount>", "highest price without a deterministic check (25.00)")
    .option("--margin <seconds>", "wanted between the last window and the expiry (86400; 3600 on chain 31337)")
    .option("--now <time>", "also ask whether the job can still be funded at this time")
    .option("--roster <file>", ROSTER)
    .option("--json", "print {acceptable, contract_hash, checks, rejects, warnings}")
    .action((file: string, flags: LintFlags) => run(() => lintCommand(file, flags, io.env)))

  command
    .command("terms")
    .description("the Terms of a contract, as to be signed")
    .argument("<file>", FILE)
    .option("--roster <file>", ROSTER)
    .option("--json", "print {terms, terms_hash, typed_data, digest}")
    .action((file: string, flags: { roster?: string }) => run(() => terms(file, flags)))

  command
    .command("sign")
    .description("the contract with a signature added")
    .argument("<file>", FILE)
    .requiredOption("--role <role>", "buyer, provider or mediator")
    .requiredOption("--key-file <file>", "32-byte hex or a secp256k1 JWK")
    .option("--roster <file>", ROSTER)
    .option("--json", "print JSON and nothing else")
    .action((file: string, flags: SignFlags) => run(() => sign(file, flags, io)))

  command
    .command("verify")
    .description("whether buyer, provider and mediator signed: 0 all, 1 one did not, 3 not established")
    .argument("<file>", FILE)
    .option("--rpc <url>", "ask contract wallets (ERC-1271) on the price's chain")
    .option("--roster <file>", ROSTER)
    .option("--json", "print {contract_hash, buyer, provider, mediator}")
    .action((file: string, flags: VerifyFlags) => run(() => verify(file, flags, io)))
}
