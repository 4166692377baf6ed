/** `afg contract sign` and `afg contract verify`. */
import {
  accountOfKeyFile,
  asContract,
  type Contract,
  parseContract,
  SIGNING_ROLES,
  type SignatureReport,
  type SigningRole,
  signTerms,
  verifySignatures,
  withSignature,
} from "../../contract/index.ts"
import { isAfgError } from "../../errors.ts"
import { parseStrictJson } from "../../json/index.ts"
import { type CliIo, type CommandResult, errorDocument, readInput, UsageError } from "../io.ts"
import { rpcClient } from "../rpc.ts"

const roleOf = (text: string): SigningRole => {
  const role = SIGNING_ROLES.find((name) => name === text)
  if (role === undefined) throw new UsageError("usage", `--role is one of ${SIGNING_ROLES.join(", ")}, not ${text}`)
  return role
}

const rosterAt = (file: string | undefined): Promise<Uint8Array> | undefined => (file === undefined ? undefined : readInput(file))

/** A definite no is said on stdout with `--json`, like every answer, and on stderr otherwise. */
const definiteNo = (error: unknown, io: CliIo, json: boolean): CommandResult => {
  const document = errorDocument(error)
  if (!json) io.stderr(`afg: ${document.error.code}: ${document.error.message}\n`)
  return json ? { exit: 1, json: document } : { exit: 1, text: "" }
}

export type SignFlags = { role: string; keyFile: string; roster?: string; json?: boolean }

/** The contract with the signature added; exit 1 if the key is not that role's. */
export const sign = async (file: string, flags: SignFlags, io: CliIo): Promise<CommandResult> => {
  const role = roleOf(flags.role)
  const account = accountOfKeyFile(await readInput(flags.keyFile))
  const document = parseStrictJson(await readInput(file))
  const contract = asContract(document)
  try {
    const signature = await signTerms(contract, role, account, { roster: await rosterAt(flags.roster) })
    // The document as it was read: everything but the signature stays in its place.
    return { exit: 0, json: withSignature(document as unknown as Contract, role, signature) }
  } catch (error) {
    if (isAfgError(error) && error.code === "key-not-role") return definiteNo(error, io, flags.json === true)
    throw error
  }
}

export type VerifyFlags = { rpc?: string; roster?: string; json?: boolean }

const statuses = (report: SignatureReport): (boolean | null)[] => SIGNING_ROLES.map((role) => report[role].valid)

const exitOf = (report: SignatureReport): 0 | 1 | 3 => {
  if (statuses(report).includes(false)) return 1
  return statuses(report).includes(null) ? 3 : 0
}

const WORDS = new Map<boolean | null, string>([
  [true, "valid"],
  [false, "not valid"],
  [null, "not established"],
])

const asText = (report: SignatureReport): string =>
  [
    report.contract_hash,
    ...SIGNING_ROLES.map((role) => `${role}  ${report[role].address}  ${WORDS.get(report[role].valid)} (${report[role].kind})`),
  ].join("\n")

/** A false → 1, else a null → 3. A document that is no contract carries no valid signature: 1. */
export const verify = async (file: string, flags: VerifyFlags, io: CliIo): Promise<CommandResult> => {
  const bytes = await readInput(file)
  const roster = await rosterAt(flags.roster)
  const client = flags.rpc === undefined ? undefined : rpcClient(flags.rpc)
  let contract: Contract
  try {
    contract = parseContract(bytes)
  } catch (error) {
    if (isAfgError(error)) return definiteNo(error, io, flags.json === true)
    throw error
  }
  const report = await verifySignatures(contract, { client, roster })
  return { exit: exitOf(report), json: report, text: asText(report) }
}
