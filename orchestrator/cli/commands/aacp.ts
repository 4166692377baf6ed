/** `afg aacp`: digests, verification and CBOR forms of the confirmation protocol, offline (`docs/cli.md`). */
import { type Command, Option } from "commander"
import { CBOR_TYPES, type CborType, fromCbor, toCbor } from "../../aacp/cbor/objects.ts"
import { actionDigest, parseDescriptor } from "../../aacp/descriptor.ts"
import { parseJson } from "../../aacp/json.ts"
import { parseJwks } from "../../aacp/keys/service-key.ts"
import { keySetSource } from "../../aacp/keys/source.ts"
import { digestOfRendering, renderingSet } from "../../aacp/rendering.ts"
import { fileReplayStore } from "../../aacp/replay/file.ts"
import { parseRequest } from "../../aacp/request.ts"
import { parseStatus } from "../../aacp/status.ts"
import { errorOf } from "../../aacp/verify/outcome.ts"
import { parsePolicy } from "../../aacp/verify/policy.ts"
import { type Verification, verifyEvidence } from "../../aacp/verify/verify.ts"
import { parseAnnotation } from "../../aacp/x-aacp.ts"
import { isAfgError } from "../../errors.ts"
import type { Run } from "../commands.ts"
import { bytesOrHex } from "../hex-input.ts"
import { type CliIo, type CommandResult, type ExitCode, parseNow, readInput, UsageError } from "../io.ts"

type VerifyOptions = {
  evidence?: string
  status?: string
  jwks: string
  payload?: string
  descriptor?: string
  xAacp?: string
  request?: string
  audience?: string
  policy?: string
  now?: string
  margin?: string
  seen?: string
}

const digest = async (file: string, options: { xAacp?: string }): Promise<CommandResult> => {
  const descriptor = parseDescriptor(await readInput(file))
  const rules = options.xAacp === undefined ? {} : parseAnnotation(await readInput(options.xAacp))
  const rendering = renderingSet(descriptor, rules)
  const action = actionDigest(descriptor)
  const shown = digestOfRendering(rendering)
  const rows = rendering.map(([field, label, text]) => `  ${label} (${field}): ${text}`)
  return {
    exit: 0,
    json: { action_digest: action, rendering_digest: shown, rendering },
    text: [`action digest     ${action}`, `rendering digest  ${shown}`, ...rows].join("\n"),
  }
}

/** Evidence as a file holds it: a compact JWS, or a COSE_Sign1 as bytes or hex. */
const evidenceFrom = (bytes: Uint8Array): string | Uint8Array => {
  const text = Buffer.from(bytes).toString("utf8").trim()
  if (/^[\x20-\x7e]*$/.test(text) && !/^[0-9a-fA-F]{8,}$/.test(text)) return text
  return bytesOrHex(bytes)
}

const optional = async <T>(file: string | undefined, read: (bytes: Uint8Array) => T): Promise<T | undefined> =>
  file === undefined ? undefined : read(await readInput(file))

const seconds = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new UsageError("margin-malformed", `${text} is no number of seconds`)
  return Number(text)
}

const EXIT: Partial<Record<string, ExitCode>> = { success: 0, unverifiable: 3, unobtainable: 3 }

const answer = (outcome: Verification["outcome"] | "unobtainable", detail: string, more: Record<string, unknown> = {}): CommandResult => {
  const error = errorOf(outcome)
  return {
    exit: EXIT[outcome] ?? 1,
    json: { outcome, error, detail, ...more },
    text: `${outcome}: ${detail}${error === null ? "" : ` (${error})`}`,
  }
}

/** An unsigned report that the person could not be asked: never a decision. */
const verifyStatus = async (file: string): Promise<CommandResult> => {
  const bytes = await readInput(file)
  try {
    const status = parseStatus(bytes)
    return answer(status.outcome, status.reason, { status })
  } catch (error) {
    if (!isAfgError(error)) throw error
    return answer("invalid", error.code)
  }
}

const verify = async (options: VerifyOptions): Promise<CommandResult> => {
  if (options.status !== undefined && options.evidence !== undefined) throw new UsageError("usage", "give --evidence or --status, not both")
  const keys = keySetSource(parseJwks(await readInput(options.jwks)))
  if (options.status !== undefined) return verifyStatus(options.status)
  const replay = options.seen === undefined ? undefined : fileReplayStore(options.seen)
  // A file that cannot be read is a mistake of the call, to be said before anything is judged.
  await replay?.seen({ service: "", requestId: "" })
  const result = await verifyEvidence({
    evidence: await optional(options.evidence, evidenceFrom),
    payload: await optional(options.payload, (bytes) => bytes),
    keys,
    descriptor: await optional(options.descriptor, parseDescriptor),
    rendering: await optional(options.xAacp, parseAnnotation),
    request: await optional(options.request, parseRequest),
    audience: options.audience,
    policy: await optional(options.policy, parsePolicy),
    replay,
    now: options.now === undefined ? Date.now() / 1000 : parseNow(options.now),
    margin: seconds(options.margin),
  })
  const { evidence, service, kid, evidenceDigest } = result
  return answer(result.outcome, result.detail, evidence === undefined ? {} : { evidence, service, kid, evidence_digest: evidenceDigest })
}

const encode = async (file: string, options: { type: CborType; hex?: boolean; json?: boolean }): Promise<CommandResult> => {
  const bytes = toCbor(options.type, parseJson(await readInput(file)))
  const hex = Buffer.from(bytes).toString("hex")
  if (options.json === true) return { exit: 0, json: { cbor: hex } }
  return options.hex === true ? { exit: 0, text: hex } : { exit: 0, bytes }
}

const decode = async (file: string, options: { type: CborType }): Promise<CommandResult> => ({
  exit: 0,
  json: fromCbor(options.type, bytesOrHex(await readInput(file))),
})

const typeOption = (): Option => new Option("--type <type>", "which object it is").choices(CBOR_TYPES).makeOptionMandatory()

const buildCbor = (command: Command, run: Run): void => {
  const cbor = command.command("cbor").description("the CBOR forms of the protocol's objects")
  cbor
    .command("encode <file>")
    .description("the deterministic CBOR of a JSON object: raw bytes, or hex")
    .addOption(typeOption())
    .option("--hex", "write hex")
    .option("--json", 'write {"cbor": hex}')
    .action((file: string, options: { type: CborType; hex?: boolean; json?: boolean }) => run(() => encode(file, options)))
  cbor
    .command("decode <file>")
    .description("the JSON form of CBOR bytes, raw or hex")
    .addOption(typeOption())
    .option("--hex", "the file holds hex (noticed anyway)")
    .option("--json", "one JSON document")
    .action((file: string, options: { type: CborType }) => run(() => decode(file, options)))
}

export const build = (command: Command, _io: CliIo, run: Run): void => {
  command
    .command("digest <file>")
    .description("an action descriptor's digest, what a person would be shown, and its digest")
    .option("--x-aacp <file>", "the operation's annotation, for order, labels and value maps")
    .option("--json", "one JSON document")
    .action((file: string, options: { xAacp?: string }) => run(() => digest(file, options)))
  command
    .command("verify")
    .description("judge evidence by the eight steps; a step whose input is not given makes it unverifiable")
    .option("--evidence <file>", "compact JWS, or COSE_Sign1")
    .option("--status <file>", "a status object instead")
    .requiredOption("--jwks <file>", "the confirmation services' keys")
    .option("--payload <file>", "the payload of detached evidence")
    .option("--descriptor <file>", "the descriptor of the action at hand")
    .option("--x-aacp <file>", "the operation's annotation, for the order and labels that were shown")
    .option("--request <file>", "the request that was made")
    .option("--audience <name>", "who verifies")
    .option("--policy <file>", "accepted services, methods and levels")
    .option("--now <time>", "RFC 3339 or Unix seconds; default: now")
    .option("--margin <seconds>", "taken off the lifetime, for clocks that differ")
    .option("--seen <file>", "used request ids, rewritten with the new one on success")
    .option("--json", "one JSON document")
    .action((options: VerifyOptions) => run(() => verify(options)))
  buildCbor(command, run)
}
