/** From a check's report to its result (AFG §8.1) and the digest by which two runs are compared. */
import type { Check } from "../../contract/index.ts"
import { canonicalBytes, digestOf, type JsonValue } from "../../json/index.ts"
import { blobUri } from "../../store/blobs.ts"
import type { Sha256 } from "../../types.ts"
import type { CheckReport } from "../checks/check.ts"
import { sha256Of } from "../files/tree.ts"
import type { CheckResult } from "./schema.ts"

/** Digest of a check's own parameters: everything but its id, type and class. */
export const paramsDigest = (check: Check): Sha256 => {
  const { check_id: _id, type: _type, class: _class, ...params } = check
  return digestOf(JSON.parse(JSON.stringify(params)) as JsonValue)
}

/** The bytes that `result_sha256` is the hash of: no times, paths or logs, so that equal outcomes are equal bytes. */
export const resultPreimage = (check: Check, report: Pick<CheckReport, "status" | "cases" | "counts">): Uint8Array =>
  canonicalBytes({
    check_id: check.check_id,
    type: check.type,
    status: report.status,
    params_sha256: paramsDigest(check),
    cases: report.cases.map(([id, outcome]) => [id, outcome]).sort(byCase),
    counts: { ...report.counts },
  })

const byCase = ([idA = "", outcomeA = ""]: readonly string[], [idB = "", outcomeB = ""]: readonly string[]): number =>
  Buffer.compare(Buffer.from(idA), Buffer.from(idB)) || Buffer.compare(Buffer.from(outcomeA), Buffer.from(outcomeB))

export type ResultTimes = { started_at: string; finished_at: string }

export const checkResult = (check: Check, report: CheckReport, times: ResultTimes): CheckResult => {
  const log = report.log === undefined ? undefined : sha256Of(report.log.bytes)
  return {
    check_id: check.check_id,
    type: check.type,
    class: check.class,
    status: report.status,
    ...times,
    ...(report.runner_image === undefined ? {} : { runner_image: report.runner_image }),
    input_hashes: { ...report.input_hashes },
    output_hashes: Object.fromEntries(report.outputs.map(({ name, bytes }) => [name, sha256Of(bytes)])),
    ...(log === undefined ? {} : { log_uri: blobUri(log), log_sha256: log }),
    summary: report.summary,
    result_sha256: sha256Of(resultPreimage(check, report)),
  }
}
