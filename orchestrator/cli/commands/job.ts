/** `afg job …`: what an agent does by hand, over the same client that agents use. */
import { readFile } from "node:fs/promises"
import type { Command } from "commander"
import { type Hex, keccak256, stringToHex } from "viem"
import { submitDocument } from "../../chain/rails/erc8183.ts"
import { type AfgClient, createAfgClient, type JobAnswer } from "../../client/client.ts"
import {
  accountOfKeyFile,
  asContract,
  domainOf,
  MESSAGE_TYPES,
  type SigningRole,
  signerOf,
  signTerms,
  termsOf,
} from "../../contract/index.ts"
import { type JsonValue, parseStrictJson } from "../../json/index.ts"
import { type Sha256, toBytes32 } from "../../types.ts"
import type { CommandModule } from "../commands.ts"
import { type CliIo, type CommandResult, readInput, UsageError } from "../io.ts"

type ApiFlags = { api?: string; keyFile?: string; idempotencyKey?: string; json?: boolean }
type Account = ReturnType<typeof accountOfKeyFile>
type Session = { afg: AfgClient; account: Account; act: { idempotencyKey?: string } }

const ZERO = `0x${"00".repeat(32)}` as const

const sessionOf = async (io: CliIo, flags: ApiFlags): Promise<Session> => {
  const api = flags.api ?? io.env.AFG_API
  if (api === undefined || !/^https?:\/\//.test(api)) throw new UsageError("usage", "--api URL (or AFG_API) is needed")
  const keyFile = flags.keyFile ?? io.env.AFG_KEY_FILE
  if (keyFile === undefined) throw new UsageError("usage", "--key-file F (or AFG_KEY_FILE) is needed")
  const account = accountOfKeyFile(await readInput(keyFile))
  const afg = createAfgClient({
    api: api.replace(/\/+$/, ""),
    signer: { address: account.address, signMessage: (message) => account.signMessage({ message }) },
    patienceMs: 15_000,
    onRetry: (reason) => io.stderr(`retrying: ${reason}\n`),
  })
  return { afg, account, act: flags.idempotencyKey === undefined ? {} : { idempotencyKey: flags.idempotencyKey } }
}

const shown = (json: unknown): CommandResult => ({ exit: 0, json })

const roleOf = (job: JobAnswer, account: Account): SigningRole => {
  const contract = asContract(job.contract as JsonValue)
  const role = (["buyer", "provider", "mediator"] as const).find(
    (one) => signerOf(contract, one).toLowerCase() === account.address.toLowerCase(),
  )
  if (role === undefined) throw new UsageError("key-not-role", `${account.address} is neither buyer, provider nor mediator of this job`)
  return role
}

const sign = async ({ afg, account, act }: Session, jobId: string): Promise<JobAnswer> => {
  const job = await afg.getJob(jobId)
  const role = roleOf(job, account)
  return afg.sign(jobId, role, await signTerms(asContract(job.contract as JsonValue), role, account), act)
}

type FundFlags = ApiFlags & { evidence?: string }

/** The evidence file: what the confirmation service answered (`{evidence, confirmation}`), or the compact JWS alone. */
const readEvidence = async (file: string): Promise<{ evidence: string; confirmation: never | undefined }> => {
  const text = new TextDecoder().decode(await readInput(file)).trim()
  if (!text.startsWith("{")) return { evidence: text, confirmation: undefined }
  const document = parseStrictJson(text) as { evidence?: string; confirmation?: never }
  if (typeof document.evidence !== "string") throw new UsageError("usage", `${file} holds no evidence`)
  return { evidence: document.evidence, confirmation: document.confirmation }
}

const fund = async ({ afg, act }: Session, jobId: string, flags: FundFlags): Promise<CommandResult> => {
  if (flags.evidence === undefined) return { exit: 1, json: { request: await afg.confirmationRequest(jobId) } }
  const { evidence, confirmation } = await readEvidence(flags.evidence)
  return shown(await afg.fund(jobId, evidence, confirmation, act))
}

const submit = async ({ afg, account, act }: Session, jobId: string, file: string): Promise<CommandResult> => {
  const job = await afg.getJob(jobId)
  const contract = asContract(job.contract as JsonValue)
  const { sha256, uri } = await afg.putArtifact(await readFile(file), contract.deliverable.phi, jobId)
  const n = job.submissions.length + 1
  const deliverableHash = toBytes32(sha256 as Sha256)
  const message = { termsHash: job.terms_hash as Hex, n, deliverableHash, uriHash: keccak256(stringToHex(uri)) }
  const domain = domainOf(contract)
  const signature = await account.signTypedData({
    domain,
    types: { Submission: MESSAGE_TYPES.Submission },
    primaryType: "Submission",
    message,
  })
  // The escrow's own hand-in, once: its EIP-712 document is the rail's, not the resolver's.
  const railAuthorization =
    n > 1 || contract.escrow.rail !== "erc8183"
      ? undefined
      : await account.signTypedData(
          submitDocument(
            { chainId: contract.price.chain_id, escrow: contract.escrow.contract },
            termsOf(contract),
            sha256 as Sha256,
          ) as never,
        )
  return shown(
    await afg.submit(jobId, { n, uri, sha256, signature, ...(railAuthorization === undefined ? {} : { railAuthorization }) }, act),
  )
}

const giveIn = async ({ afg, account, act }: Session, jobId: string): Promise<CommandResult> => {
  const job = await afg.getJob(jobId)
  const last = job.submissions.at(-1)
  const message = { termsHash: job.terms_hash as Hex, n: last?.n ?? 0, merkleRoot: (last?.merkle_root ?? ZERO) as Hex, rulingDigest: ZERO }
  const domain = domainOf(asContract(job.contract as JsonValue))
  const signature = await account.signTypedData({
    domain,
    types: { Concession: MESSAGE_TYPES.Concession },
    primaryType: "Concession",
    message,
  })
  const { n, merkleRoot, rulingDigest } = message
  return shown(await afg.concede(jobId, { n, merkleRoot, rulingDigest, signature }, act))
}

const watch = async (io: CliIo, { afg }: Session, jobId: string): Promise<CommandResult> => {
  const stop = new AbortController()
  process.once("SIGINT", () => stop.abort())
  process.once("SIGTERM", () => stop.abort())
  for await (const event of afg.events(jobId, 0, stop.signal)) io.stdout(`${JSON.stringify(event)}\n`)
  return { exit: 0, text: "" }
}

export const build: CommandModule["build"] = (command: Command, io, run) => {
  const leaf = (name: string, summary: string): Command =>
    command
      .command(name)
      .description(summary)
      .option("--api <url>", "the orchestrator (default: AFG_API)")
      .option("--key-file <file>", "32-byte hex or JWK (default: AFG_KEY_FILE)")
      .option("--idempotency-key <key>", "the same key makes a repeated call answer as the first did")
      .option("--json", "print one JSON document")
  const act =
    <F extends ApiFlags>(perform: (session: Session, id: string, flags: F) => Promise<CommandResult>) =>
    (id: string, flags: F): Promise<void> =>
      run(async () => perform(await sessionOf(io, flags), id, flags))

  leaf("post", "post a contract as a job (buyer)")
    .argument("<file>")
    .action((file: string, flags: ApiFlags) =>
      run(async () => {
        const { afg, act: options } = await sessionOf(io, flags)
        return shown(await afg.postJob(parseStrictJson(await readInput(file)), options))
      }),
    )
  leaf("sign", "sign the job's Terms (buyer, provider or mediator, by the key)")
    .argument("<id>")
    .action(act(async (session, id) => shown(await sign(session, id))))
  leaf("fund", "what to confirm (exit 1), or with --evidence: bind, and the funding call")
    .argument("<id>")
    .option("--evidence <file>", "the confirmation service's answer")
    .action(act<FundFlags>(fund))
  leaf("submit", "submit a deliverable (provider)")
    .argument("<id>")
    .requiredOption("--deliverable <file>")
    .action(act<ApiFlags & { deliverable: string }>((session, id, flags) => submit(session, id, flags.deliverable)))
  leaf("get", "the job as the API shows it")
    .argument("<id>")
    .action(act(async ({ afg }, id) => shown(await afg.getJob(id))))
  leaf("watch", "print the job's events as they come, one JSON line each")
    .argument("<id>")
    .action(act((session, id) => watch(io, session, id)))
  leaf("accept", "accept the work and release early (buyer)").argument("<id>").action(act(giveIn))
  leaf("concede", "give the job up and refund (provider)").argument("<id>").action(act(giveIn))
}
