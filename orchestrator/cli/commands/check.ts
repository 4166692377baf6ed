/** `afg check run`: a contract's checks on a deliverable, with no chain and no job. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Command } from "commander"
import { accountOfKeyFile, parseContract } from "../../contract/index.ts"
import { lazyEngine, runVerification, sha256Of, type VerdictSigner, type Verification } from "../../verifier-runner/index.ts"
import type { Run } from "../commands.ts"
import { inputFiles } from "../input-files.ts"
import { type CliIo, type CommandResult, type ExitCode, readInput } from "../io.ts"

type Flags = { contract: string; inputs: string; deliverable: string; reveal?: string; keyFile?: string; out?: string; json?: boolean }

const EXITS: Readonly<Record<Verification["verdict"], ExitCode>> = { PASS: 0, FAIL: 1, INCONCLUSIVE: 3 }

const signerOf = async (file: string | undefined): Promise<VerdictSigner | null> => {
  if (file === undefined) return null
  const account = accountOfKeyFile(await readInput(file))
  return {
    address: account.address,
    signTypedData: (document) => account.signTypedData(document as Parameters<typeof account.signTypedData>[0]),
  }
}

/** `{bundle.json, contract.json, blobs/<sha256>}`. The blobs are the verifier's own: sealed ones are not for everyone. */
const writeOut = async (directory: string, contract: Uint8Array, { bundleBytes, blobs }: Verification): Promise<void> => {
  await mkdir(join(directory, "blobs"), { recursive: true })
  for (const { sha256, bytes } of blobs) await writeFile(join(directory, "blobs", sha256), bytes)
  await writeFile(join(directory, "contract.json"), contract)
  await writeFile(join(directory, "bundle.json"), bundleBytes)
}

const textOf = ({ verdict, bundle }: Verification): string =>
  [
    ...bundle.check_results.map(({ check_id, type, status, summary }) => `${check_id} ${type}: ${status} ${JSON.stringify(summary)}`),
    verdict,
  ].join("\n")

const run = async (flags: Flags, io: CliIo): Promise<CommandResult> => {
  const contractBytes = await readInput(flags.contract)
  const contract = parseContract(contractBytes)
  const deliverable = await readInput(flags.deliverable)
  const signer = await signerOf(flags.keyFile)
  const engine = lazyEngine(io.env)
  const clock = () => Math.floor(Date.now() / 1000)
  try {
    const verification = await runVerification({
      contract,
      submission: { n: 1, deliverable, sha256: sha256Of(deliverable), submittedAt: clock() },
      resolveInput: await inputFiles([flags.inputs], contract.inputs),
      reveal: await inputFiles([...(flags.reveal === undefined ? [] : [flags.reveal]), flags.inputs], contract.inputs),
      signer,
      engine,
      clock,
      onProgress: (text) => io.stderr(`${text}\n`),
    })
    if (flags.out !== undefined) await writeOut(flags.out, contractBytes, verification)
    const { verdict, bundle } = verification
    return { exit: EXITS[verdict], json: { verdict, check_results: bundle.check_results, bundle }, text: textOf(verification) }
  } finally {
    await engine.close()
  }
}

export const build = (command: Command, io: CliIo, start: Run): void => {
  command
    .command("run")
    .description("run the checks of a contract on a deliverable")
    .requiredOption("--contract <file>", "the job contract")
    .requiredOption("--inputs <dir>", "files or folders named after the inputs, or by sha256")
    .requiredOption("--deliverable <file>", "what was delivered")
    .option("--reveal <dir>", "sealed inputs, as in --inputs")
    .option("--key-file <file>", "the verifier's key, to sign the evidence")
    .option("--out <dir>", "where to write bundle.json, contract.json and blobs/")
    .option("--json", "one JSON document")
    .action((flags: Flags) => start(() => run(flags, io)))
}
