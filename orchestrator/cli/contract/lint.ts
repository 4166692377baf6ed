/** `afg contract lint`: gathers what the options name, and lets the linter judge. */
import { z } from "zod"
import {
  type KnownContracts,
  type KnownValidator,
  type LintOptions,
  type LintResult,
  lint,
  lintOnChain,
  parseAmount,
} from "../../contract/index.ts"
import { readMembers } from "../../contract/lint/read.ts"
import { isAfgError } from "../../errors.ts"
import { isJsonObject, parseStrictJson } from "../../json/index.ts"
import { hashInputs } from "../inputs-dir.ts"
import { type CliIo, type CommandResult, parseNow, readInput, UsageError } from "../io.ts"
import { deploymentOf, rpcClient } from "../rpc.ts"

export type LintFlags = {
  rpc?: string
  inputs?: string
  conflictReport?: string
  validators?: string
  rubricCap?: string
  margin?: string
  now?: string
  roster?: string
}

const USDC_PLACES = 6

const validatorsSchema = z.array(z.object({ validator: z.string(), versions: z.array(z.string()) }))

const readValidators = async (file: string): Promise<KnownValidator[]> => {
  try {
    return validatorsSchema.parse(parseStrictJson(await readInput(file)))
  } catch (cause) {
    if (isAfgError(cause)) throw cause
    throw new UsageError("validators-malformed", `${file} is not a JSON list of {validator, versions}`, { cause })
  }
}

const wholeSeconds = (text: string): number => {
  if (!/^\d{1,10}$/.test(text)) throw new UsageError("usage", `--margin takes whole seconds, not ${text}`)
  return Number(text)
}

const decimal = (text: string): string => {
  parseAmount(text, USDC_PLACES)
  return text
}

/** The inputs' hashes, as far as the contract can be read at all. */
const inputsAtHand = async (directory: string, document: Uint8Array): Promise<LintOptions["inputs"]> => {
  try {
    const value = parseStrictJson(document)
    return await hashInputs(directory, isJsonObject(value) ? (readMembers(value).members.inputs ?? []) : [])
  } catch (error) {
    // The linter reports what keeps the contract from being read; an unreadable directory is the caller's.
    if (isAfgError(error) && error.code.startsWith("json-")) return undefined
    throw error
  }
}

const optionsOf = async (flags: LintFlags, document: Uint8Array): Promise<LintOptions> => ({
  inputs: flags.inputs === undefined ? undefined : await inputsAtHand(flags.inputs, document),
  conflictReport: flags.conflictReport === undefined ? undefined : await readInput(flags.conflictReport),
  validators: flags.validators === undefined ? undefined : await readValidators(flags.validators),
  rubricCap: flags.rubricCap === undefined ? undefined : decimal(flags.rubricCap),
  margin: flags.margin === undefined ? undefined : wholeSeconds(flags.margin),
  now: flags.now === undefined ? undefined : parseNow(flags.now),
  roster: flags.roster === undefined ? undefined : await readInput(flags.roster),
})

/** What our deployment on a chain admits. */
const knownOn = (chainId: number, env: CliIo["env"]): KnownContracts | undefined => {
  const contracts = deploymentOf(chainId, env)?.contracts
  if (contracts === undefined) return undefined
  const { ERC8183Escrow: escrow, AFGResolver: resolver } = contracts
  return {
    escrows: [{ rail: "erc8183", address: escrow.address, code_hash: escrow.codeHash, ours: true }],
    resolvers: [{ address: resolver.address, code_hash: resolver.codeHash }],
  }
}

const asText = ({ acceptable, contract_hash, rejects, warnings }: LintResult): string =>
  [
    `${acceptable ? "acceptable" : "not acceptable"}${contract_hash === null ? "" : `  ${contract_hash}`}`,
    ...rejects.map(({ code, path, message }) => `reject  ${code}  ${path || "/"}  ${message}`),
    ...warnings.map(({ code, path, message }) => `warn    ${code}  ${path || "/"}  ${message}`),
  ].join("\n")

export const lintCommand = async (file: string, flags: LintFlags, env: CliIo["env"]): Promise<CommandResult> => {
  const document = await readInput(file)
  const options = await optionsOf(flags, document)
  const client = flags.rpc === undefined ? undefined : rpcClient(flags.rpc)
  const result =
    client === undefined ? lint(document, options) : await lintOnChain(document, { ...options, client, known: (id) => knownOn(id, env) })
  return { exit: result.acceptable ? 0 : 1, json: result, text: asText(result) }
}
