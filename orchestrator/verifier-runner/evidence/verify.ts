/** Verifies an evidence bundle: everything that follows from it alone, and from the contract and the chain where these are given. */
import { asContract, type Contract } from "../../contract/index.ts"
import { isAfgError } from "../../errors.ts"
import { parseStrictJson } from "../../json/index.ts"
import type { Sha256 } from "../../types.ts"
import { overallVerdict } from "../run/run-check.ts"
import { contractProblems } from "./against-contract.ts"
import { readAnchor } from "./anchor.ts"
import { blobProblems } from "./blobs.ts"
import type { BundleFiles } from "./load.ts"
import { merkleRoot } from "./merkle.ts"
import { type Problem, validity } from "./problems.ts"
import { bundleSchema, type EvidenceBundle } from "./schema.ts"
import { signatureProblems } from "./signature.ts"

export type BundleReport = {
  /** Null: nothing speaks against it, but its signature could not be established. */
  valid: boolean | null
  /** As the bundle says it; null when that cannot be read. */
  merkle_root: Sha256 | null
  verifier: string | null
  /** Null without a chain, or when the job is not settled yet. */
  anchored: boolean | null
  problems: Problem[]
}

export type VerifyOptions = {
  /** The contract as the asker has it; without it, the one that came with the bundle. */
  contract?: Uint8Array | undefined
  /** JSON-RPC of the contract's chain. */
  rpc?: string | undefined
}

const UNREAD: Omit<BundleReport, "problems"> = { valid: false, merkle_root: null, verifier: null, anchored: null }

/** Reads the bundle's bytes strictly. */
export const readBundle = (bytes: Uint8Array): { bundle: EvidenceBundle } | { problem: Problem } => {
  const malformed = (detail: string): { problem: Problem } => ({ problem: { code: "bundle-malformed", detail } })
  try {
    const parsed = bundleSchema.safeParse(parseStrictJson(bytes))
    if (parsed.success) return { bundle: parsed.data }
    const [issue] = parsed.error.issues
    return malformed(`${issue?.path.join("/") ?? ""}: ${issue?.message ?? "not a bundle"}`)
  } catch (error) {
    if (!isAfgError(error)) throw error
    return malformed(`${error.code}: ${error.message}`)
  }
}

const readContract = (bytes: Uint8Array): { contract: Contract } | { problem: Problem } => {
  try {
    return { contract: asContract(parseStrictJson(bytes)) }
  } catch (error) {
    if (!isAfgError(error)) throw error
    return { problem: { code: "contract-malformed", detail: `${error.code}: ${error.message}` } }
  }
}

const ownProblems = (bundle: EvidenceBundle): Problem[] => {
  const problems: Problem[] = []
  const root = merkleRoot(bundle)
  if (root !== bundle.merkle_root) problems.push({ code: "root-mismatch", detail: `the root of what is in it is ${root}` })
  const ids = bundle.check_results.map(({ check_id }) => check_id)
  for (const id of new Set(ids.filter((one, index) => ids.indexOf(one) !== index))) problems.push({ code: "check-duplicate", detail: id })
  const verdict = overallVerdict(bundle.check_results.map(({ status }) => status))
  if (verdict !== bundle.verdict)
    problems.push({ code: "verdict-inconsistent", detail: `the checks say ${verdict}, the bundle ${bundle.verdict}` })
  return problems
}

/**
 * Everything wrong with a bundle, each kind under a code of its own (`problems.ts`).
 *
 * Throws only for the chain: `rpc-unreachable`, `rpc-wrong-chain`.
 */
export const verifyBundle = async (files: BundleFiles, options: VerifyOptions = {}): Promise<BundleReport> => {
  const read = readBundle(files.bundle)
  if ("problem" in read) return { ...UNREAD, problems: [read.problem] }
  const { bundle } = read
  const problems = ownProblems(bundle)
  const contractBytes = options.contract ?? files.contract
  const given = contractBytes === undefined ? undefined : readContract(contractBytes)
  const contract = given !== undefined && "contract" in given ? given.contract : undefined
  if (given === undefined) problems.push({ code: "signature-not-established", detail: "no contract was given" })
  else if ("problem" in given) problems.push(given.problem)
  problems.push(...blobProblems(bundle, files.blobs, contract))
  let anchored: boolean | null = null
  if (contract !== undefined) {
    const mismatches = contractProblems(bundle, contract)
    problems.push(...mismatches)
    // What another contract's keys would have signed is no question.
    const related = !mismatches.some(({ code }) => code === "contract-mismatch")
    if (related) problems.push(...(await signatureProblems(bundle, contract)))
    if (related && options.rpc !== undefined) anchored = await readAnchor(options.rpc, contract, bundle.merkle_root)
  }
  return { valid: validity(problems), merkle_root: bundle.merkle_root, verifier: bundle.verifier_id, anchored, problems }
}
