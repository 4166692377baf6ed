/** What can be wrong with evidence, one code per kind. */
export const PROBLEMS = {
  "bundle-malformed": "It is no strict JSON, or not an evidence bundle: a member is missing, unknown or of the wrong form.",
  "root-mismatch": "The Merkle root is not that of the bundle: something in it was changed.",
  "verdict-inconsistent": "The verdict does not follow from the checks' statuses.",
  "check-duplicate": "Two results are for one check.",
  "check-missing": "A check of the contract has no result.",
  "check-unknown": "A result is for no check of the contract.",
  "check-mismatch": "A result's type, class or image is not what the contract says of the check.",
  "contract-malformed": "The contract given cannot be read.",
  "contract-mismatch": "The bundle is for another contract than the one given.",
  "job-mismatch": "The bundle's job is not the contract's.",
  "input-mismatch": "A check used an input with another hash than the contract pins.",
  "deliverable-mismatch": "A check ran on another deliverable than the submission's.",
  "submission-out-of-range": "The submission's number is beyond what the contract allows.",
  "verifier-mismatch": "The verifier named is not the one whose key signed.",
  "signature-missing": "The bundle is not signed.",
  "signature-malformed": "The signature is not one that the chain would accept.",
  "signature-wrong": "The signature is by none of the keys that the contract names.",
  "signature-not-established": "Without the contract nobody can tell whose signature it would have to be.",
  "blob-mismatch": "A file's bytes do not have the hash it is named by.",
  "result-mismatch": "The stored cases of a check are not those of its result, or of the contract's check.",
  "log-mismatch": "A log's address does not name its hash.",
} as const

export type ProblemCode = keyof typeof PROBLEMS
export type Problem = { code: ProblemCode; detail: string }

/** These leave the question open; all others answer it with no. */
const OPEN: ReadonlySet<ProblemCode> = new Set(["signature-not-established", "signature-missing"])

/** False with a definite fault, null when only something is missing, else true. */
export const validity = (problems: readonly Problem[]): boolean | null => {
  if (problems.some(({ code }) => !OPEN.has(code))) return false
  return problems.length === 0 ? true : null
}
