/** Runs a contract's checks on a submission, and makes and signs the evidence (AFG §8). */

import type { Check } from "../../contract/index.ts"
import { type Contract, contractHash, fromUnix } from "../../contract/index.ts"
import { AfgError } from "../../errors.ts"
import { canonicalBytes, type JsonValue } from "../../json/index.ts"
import type { CheckReport } from "../checks/check.ts"
import { merkleRoot } from "../evidence/merkle.ts"
import { checkResult, resultPreimage } from "../evidence/result.ts"
import type { EvidenceBundle } from "../evidence/schema.ts"
import { signVerdict } from "../evidence/sign.ts"
import { sha256Of } from "../files/tree.ts"
import { shareContext } from "./context.ts"
import { type FinishedCheck, overallVerdict, runCheck } from "./run-check.ts"
import type { EvidenceBlob, VerdictSigner, Verification, VerificationRequest } from "./types.ts"

/** The id of the verifier whose key signs. Throws `verifier-key-foreign` for a key that the contract does not name. */
const verifierOf = (contract: Contract, signer: VerdictSigner | null): string => {
  const { verifier } = contract
  if (signer === null) return verifier.verifier_id
  const same = (address: string) => address.toLowerCase() === signer.address.toLowerCase()
  if (same(verifier.attestation_key)) return verifier.verifier_id
  if (same(verifier.fallback.attestation_key)) return verifier.fallback.verifier_id
  throw new AfgError("verifier-key-foreign", `${signer.address} is neither the contract's verifier nor its fallback`, {
    path: "/verifier/attestation_key",
  })
}

/** A deliverable that is too large, or not the one that was submitted, is judged without running anything. */
const judgedUnseen = (request: VerificationRequest): Pick<CheckReport, "status" | "summary"> | null => {
  const { contract, submission } = request
  const found = sha256Of(submission.deliverable)
  if (found !== submission.sha256)
    return { status: "error", summary: { code: "deliverable-hash-mismatch", detail: `the bytes at hand have the hash ${found}` } }
  const most = contract.deliverable.max_size_bytes
  if (submission.deliverable.length > most)
    return {
      status: "fail",
      summary: { code: "deliverable_too_large", detail: `${submission.deliverable.length} bytes, more than ${most}` },
    }
  return null
}

const runChecks = async (request: VerificationRequest): Promise<FinishedCheck[]> => {
  const { contract, clock } = request
  const { checks } = contract.acceptance
  const unseen = judgedUnseen(request)
  if (unseen !== null)
    return checks.map((check) => ({
      check,
      report: { ...unseen, cases: [], counts: {}, input_hashes: { deliverable: request.submission.sha256 }, outputs: [] },
      started_at: clock(),
      finished_at: clock(),
      attempts: 1,
    }))
  const { context, close } = shareContext(request)
  try {
    const finished: FinishedCheck[] = []
    for (const check of checks) {
      context.progress(`${check.check_id}: ${check.type}`)
      finished.push(await runCheck(check, contract, context, clock))
    }
    return finished
  } finally {
    await close()
  }
}

const blobsOf = (check: Check, report: CheckReport): EvidenceBlob[] => {
  const blob = (what: string, bytes: Uint8Array, sealed: boolean): EvidenceBlob => ({
    sha256: sha256Of(bytes),
    bytes,
    sealed,
    what: `${check.check_id} ${what}`,
  })
  // Cases may name hidden tests.
  const sealed = report.outputs.some((output) => output.sealed) || report.log?.sealed === true
  return [
    blob("result", resultPreimage(check, report), sealed),
    ...report.outputs.map((output) => blob(output.name, output.bytes, output.sealed)),
    ...(report.log === undefined ? [] : [blob("log", report.log.bytes, report.log.sealed)]),
  ]
}

/**
 * Runs every check and returns the signed bundle with the blobs that it names. A fault of the verifier's makes a check an `error`, and the verdict
 * INCONCLUSIVE unless another check fails.
 *
 * Throws `verifier-key-foreign`, `run-aborted`, `terms-underivable`.
 */
export const runVerification = async (request: VerificationRequest): Promise<Verification> => {
  const { contract, submission, signer } = request
  const verifier_id = verifierOf(contract, signer)
  const finished = await runChecks(request)
  const verdict = overallVerdict(finished.map(({ report }) => report.status))
  const manifest = {
    job_id: contract.job_id,
    contract_hash: contractHash(contract),
    submission: { n: submission.n, deliverable_sha256: submission.sha256, submitted_at: fromUnix(submission.submittedAt) },
    check_results: finished.map(({ check, report, started_at, finished_at, attempts }) => {
      const noted = attempts === 1 ? report : { ...report, summary: { ...report.summary, attempts } }
      return checkResult(check, noted, { started_at: fromUnix(started_at), finished_at: fromUnix(finished_at) })
    }),
    verdict,
    seeds: {},
    receipts: [],
    verifier_id,
  }
  const merkle_root = merkleRoot(manifest)
  const signature = signer === null ? null : await signVerdict(contract, { ...manifest, merkle_root }, signer)
  const bundle: EvidenceBundle = { ...manifest, merkle_root, verifier_sig: signature }
  return {
    verdict,
    bundle,
    bundleBytes: canonicalBytes(JSON.parse(JSON.stringify(bundle)) as JsonValue),
    blobs: finished.flatMap(({ check, report }) => blobsOf(check, report)),
    signature,
  }
}
