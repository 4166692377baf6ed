/** Whether the files that came with a bundle are those that it names. */
import { z } from "zod"
import type { Contract } from "../../contract/index.ts"
import { parseStrictJson } from "../../json/index.ts"
import { blobUri } from "../../store/blobs.ts"
import type { Sha256 } from "../../types.ts"
import { sha256Of } from "../files/tree.ts"
import { expectedParams } from "./against-contract.ts"
import type { Problem } from "./problems.ts"
import type { EvidenceBundle } from "./schema.ts"

const preimage = z.strictObject({
  check_id: z.string(),
  type: z.string(),
  status: z.string(),
  params_sha256: z.string(),
  cases: z.array(z.tuple([z.string(), z.string()])),
  counts: z.record(z.string(), z.int().min(0)),
})

const preimageOf = (bytes: Uint8Array): z.infer<typeof preimage> | undefined => {
  try {
    return preimage.safeParse(parseStrictJson(bytes)).data
  } catch {
    return undefined
  }
}

export const blobProblems = (bundle: EvidenceBundle, blobs: ReadonlyMap<Sha256, Uint8Array>, contract: Contract | undefined): Problem[] => {
  const problems: Problem[] = []
  for (const [name, bytes] of blobs) {
    const actual = sha256Of(bytes)
    if (actual !== name) problems.push({ code: "blob-mismatch", detail: `blobs/${name} has the hash ${actual}` })
  }
  const params = contract === undefined ? undefined : expectedParams(contract)
  for (const { check_id, type, status, result_sha256, log_uri, log_sha256 } of bundle.check_results) {
    if ((log_uri === undefined) !== (log_sha256 === undefined) || (log_sha256 !== undefined && log_uri !== blobUri(log_sha256)))
      problems.push({ code: "log-mismatch", detail: check_id })
    const bytes = blobs.get(result_sha256)
    if (bytes === undefined) continue
    const stored = preimageOf(bytes)
    const agrees = stored !== undefined && stored.check_id === check_id && stored.type === type && stored.status === status
    if (!agrees) problems.push({ code: "result-mismatch", detail: `${check_id}: its stored cases are of something else` })
    else if (params !== undefined && params.get(check_id) !== stored.params_sha256)
      problems.push({ code: "result-mismatch", detail: `${check_id} ran with other parameters than the contract's` })
  }
  return problems
}
