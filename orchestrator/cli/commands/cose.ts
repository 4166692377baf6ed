/** `afg cose`: COSE_Sign1 messages, offline. */
import type { Command } from "commander"
import { keyFromCose, keysFromJson, type VerificationKey } from "../../aacp/cose/key.ts"
import { openSign1, type Sign1, verifySign1 } from "../../aacp/cose/sign1.ts"
import { parseJson } from "../../aacp/json.ts"
import { isAfgError } from "../../errors.ts"
import type { Run } from "../commands.ts"
import { bytesOrHex } from "../hex-input.ts"
import { type CliIo, type CommandResult, readInput, UsageError } from "../io.ts"

/** A JWK, a JWK Set or a COSE_Key (raw or hex). */
const readKeys = (bytes: Uint8Array): VerificationKey[] => {
  const text = Buffer.from(bytes).toString("utf8").trimStart()
  return text.startsWith("{") ? keysFromJson(parseJson(bytes)) : [keyFromCose(bytesOrHex(bytes))]
}

/** In a set, the key that the message names; a lone key is the one meant. */
const keysFor = (message: Sign1, keys: VerificationKey[]): VerificationKey[] => {
  if (keys.length === 1 || message.kid === null) return keys
  const kid = Buffer.from(message.kid).toString("utf8")
  return keys.filter((key) => key.kid === kid)
}

const hexOf = (text: string): Uint8Array => {
  if (!/^([0-9a-fA-F]{2})*$/.test(text)) throw new UsageError("hex-malformed", "--external takes hex digits in pairs")
  return new Uint8Array(Buffer.from(text, "hex"))
}

const invalid = (detail: string): CommandResult => ({ exit: 1, json: { valid: false, detail }, text: `not valid: ${detail}` })

const judge = (
  message: Sign1,
  keys: VerificationKey[],
  external: Uint8Array | undefined,
  payload: Uint8Array | undefined,
): CommandResult => {
  const verdicts = keysFor(message, keys).map((key) => verifySign1(message, key, { external, payload }))
  if (verdicts.includes(true)) return { exit: 0, json: { valid: true }, text: "valid" }
  if (verdicts.includes(null))
    return { exit: 3, json: { valid: null, detail: "payload_not_given" }, text: "not established: the payload is detached" }
  return verdicts.length === 0
    ? { exit: 3, json: { valid: null, detail: "key_unknown" }, text: "not established: no such key" }
    : invalid("signature_wrong")
}

const verify = async (file: string, options: { key: string; external?: string; payload?: string }): Promise<CommandResult> => {
  const keys = readKeys(await readInput(options.key))
  const external = options.external === undefined ? undefined : hexOf(options.external)
  const payload = options.payload === undefined ? undefined : new Uint8Array(await readInput(options.payload))
  const bytes = bytesOrHex(await readInput(file))
  try {
    return judge(openSign1(bytes), keys, external, payload)
  } catch (error) {
    if (!isAfgError(error)) throw error
    return invalid(error.code)
  }
}

export const build = (command: Command, _io: CliIo, run: Run): void => {
  command
    .command("verify <file>")
    .description("check a COSE_Sign1, raw or hex")
    .requiredOption("--key <file>", "JWK, JWK Set or COSE_Key")
    .option("--external <hex>", "external authenticated data")
    .option("--payload <file>", "the payload of a detached message")
    .option("--json", "one JSON document")
    .action((file: string, options: { key: string; external?: string; payload?: string }) => run(() => verify(file, options)))
}
