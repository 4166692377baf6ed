/** `afg evidence`: verify a bundle, prove what is in it. */
import type { Command } from "commander"
import { AfgError } from "../../errors.ts"
import {
  type BundleFiles,
  type BundleReport,
  bundleOfBytes,
  type EvidenceBundle,
  labelsOf,
  loadBundle,
  proveLeaf,
  readBundle,
  verifyBundle,
} from "../../verifier-runner/index.ts"
import type { Run } from "../commands.ts"
import { type CliIo, type CommandResult, type ExitCode, readInput, UsageError } from "../io.ts"

const filesOf = async (bundle: string): Promise<BundleFiles> => (bundle === "-" ? bundleOfBytes(await readInput("-")) : loadBundle(bundle))

const exitOf = ({ valid }: BundleReport): ExitCode => {
  if (valid === null) return 3
  return valid ? 0 : 1
}

const textOf = (report: BundleReport): string => {
  const words = report.valid === null ? "not established" : report.valid ? "valid" : "not valid"
  const anchored = report.anchored === null ? "" : report.anchored ? ", anchored on chain" : ", another root is on chain"
  return [
    `${words}${anchored}`,
    `root ${report.merkle_root ?? "unknown"}, verifier ${report.verifier ?? "unknown"}`,
    ...report.problems.map(({ code, detail }) => `${code}: ${detail}`),
  ].join("\n")
}

const verify = async (bundle: string, flags: { contract?: string; rpc?: string }): Promise<CommandResult> => {
  if (flags.rpc !== undefined && !/^https?:\/\//.test(flags.rpc))
    throw new UsageError("usage", `--rpc takes an http(s) URL, not ${flags.rpc}`)
  const files = await filesOf(bundle)
  const contract = flags.contract === undefined ? undefined : await readInput(flags.contract)
  const report = await verifyBundle(files, { contract, rpc: flags.rpc })
  return { exit: exitOf(report), json: report, text: textOf(report) }
}

/** A bundle that can be proved from: one that reads, whose root is that of what is in it. */
const provable = async (path: string): Promise<EvidenceBundle> => {
  const read = readBundle((await filesOf(path)).bundle)
  if ("problem" in read) throw new AfgError("bundle-unreadable", read.problem.detail)
  return read.bundle
}

const prove = async (path: string, label: string | undefined): Promise<CommandResult> => {
  const bundle = await provable(path)
  if (label === undefined) {
    const labels = labelsOf(bundle)
    return { exit: 0, json: { labels }, text: labels.join("\n") }
  }
  if (!labelsOf(bundle).includes(label))
    return { exit: 1, json: { error: { code: "label-unknown", message: `the evidence has no leaf ${label}` } } }
  const proof = proveLeaf(bundle, label)
  if (proof.root !== `0x${bundle.merkle_root}`)
    return { exit: 1, json: { error: { code: "root-mismatch", message: `the root of what is in the bundle is ${proof.root}` } } }
  return { exit: 0, json: proof }
}

export const build = (command: Command, _io: CliIo, run: Run): void => {
  command
    .command("verify <bundle>")
    .description("check a bundle: a directory, its tar, or bundle.json")
    .option("--contract <file>", "the contract as you have it")
    .option("--rpc <url>", "a chain to look for the root on")
    .option("--json", "one JSON document")
    .action((bundle: string, flags: { contract?: string; rpc?: string }) => run(() => verify(bundle, flags)))
  command
    .command("prove <bundle> [label]")
    .description("a Merkle proof for one hash, or the labels there are")
    .option("--json", "one JSON document")
    .action((bundle: string, label: string | undefined) => run(() => prove(bundle, label)))
}
