/** Whether a bundle is about a contract: its checks, inputs, submission. */
import { type Check, type Contract, contractHash } from "../../contract/index.ts"
import { DELIVERABLE_NAME } from "../../contract/schema/work.ts"
import type { Problem } from "./problems.ts"
import { paramsDigest } from "./result.ts"
import type { CheckResult, EvidenceBundle } from "./schema.ts"

const found = (code: Problem["code"], detail: string): Problem => ({ code, detail })

const resultProblems = (result: CheckResult, check: Check, contract: Contract, bundle: EvidenceBundle): Problem[] => {
  const { check_id } = check
  const problems: Problem[] = []
  if (result.type !== check.type || result.class !== check.class)
    problems.push(found("check-mismatch", `${check_id} is ${check.type}, ${check.class}; the result says ${result.type}, ${result.class}`))
  const image = "runner_image" in check ? check.runner_image : undefined
  if (result.runner_image !== undefined && result.runner_image !== image)
    problems.push(found("check-mismatch", `${check_id} ran in ${result.runner_image}, the contract pins ${image ?? "no image"}`))
  if (result.status === "pass" && image !== undefined && result.runner_image === undefined)
    problems.push(found("check-mismatch", `${check_id} passed without having run in ${image}`))
  for (const [name, hash] of Object.entries(result.input_hashes)) {
    if (name === DELIVERABLE_NAME) {
      if (hash !== bundle.submission.deliverable_sha256) problems.push(found("deliverable-mismatch", `${check_id} ran on ${hash}`))
      continue
    }
    const pinned = contract.inputs.find((input) => input.name === name)?.sha256
    if (pinned !== hash)
      problems.push(found("input-mismatch", `${check_id} used ${name} ${hash}, the contract pins ${pinned ?? "no such input"}`))
  }
  return problems
}

/** Inputs and deliverable that a passing check of a type must have used. */
const missingInputs = (result: CheckResult, check: Check): Problem[] => {
  if (result.status !== "pass") return []
  const needed = [DELIVERABLE_NAME, ...(check.type === "test_suite_pass" ? [check.repo] : [])]
  return needed
    .filter((name) => result.input_hashes[name] === undefined)
    .map((name) => found("input-mismatch", `${check.check_id} passed without ${name}`))
}

/** Whether it came in time is the chain's to say; how many there may be is not. */
const submissionProblems = ({ submission }: EvidenceBundle, contract: Contract): Problem[] => {
  const most = contract.deadline.max_submissions
  return submission.n > most ? [found("submission-out-of-range", `submission ${submission.n} of at most ${most}`)] : []
}

export const contractProblems = (bundle: EvidenceBundle, contract: Contract): Problem[] => {
  const hash = contractHash(contract)
  if (hash !== bundle.contract_hash)
    return [found("contract-mismatch", `the contract's hash is ${hash}, the bundle says ${bundle.contract_hash}`)]
  const problems: Problem[] = []
  if (bundle.job_id !== contract.job_id) problems.push(found("job-mismatch", `${bundle.job_id} is not ${contract.job_id}`))
  const results = new Map(bundle.check_results.map((result) => [result.check_id, result]))
  for (const check of contract.acceptance.checks) {
    const result = results.get(check.check_id)
    if (result === undefined) problems.push(found("check-missing", check.check_id))
    else problems.push(...resultProblems(result, check, contract, bundle), ...missingInputs(result, check))
    results.delete(check.check_id)
  }
  for (const id of results.keys()) problems.push(found("check-unknown", id))
  return [...problems, ...submissionProblems(bundle, contract)]
}

/** `params_sha256` that a result's stored preimage must have. */
export const expectedParams = (contract: Contract): Map<string, string> =>
  new Map(contract.acceptance.checks.map((check) => [check.check_id, paramsDigest(check)]))
