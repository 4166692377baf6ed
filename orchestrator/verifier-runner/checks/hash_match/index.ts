/** `hash_match`: an artifact or a set of files has exactly this hash (AFG §6). */
import type { CheckOf } from "../../../contract/index.ts"
import { DELIVERABLE_NAME } from "../../../contract/schema/work.ts"
import type { Sha256 } from "../../../types.ts"
import type { CheckContext, CheckKind, CheckReport } from "../check.ts"
import { type Found, findArtifact } from "./artifact.ts"

type Check = CheckOf<"hash_match">

const report = (check: Check, found: Found, context: CheckContext): CheckReport => {
  const equal = found.sha256 === check.expected
  const input_hashes: Record<string, Sha256> = { [DELIVERABLE_NAME]: context.deliverable.sha256, ...found.inputs }
  return {
    status: equal ? "pass" : "fail",
    summary: {
      artifact: check.artifact,
      expected: check.expected,
      found: found.sha256,
      files: found.files,
      ...(equal ? {} : { code: "hash_mismatch" }),
    },
    cases: [[check.artifact, equal ? "match" : "mismatch"]],
    counts: { files: found.files },
    input_hashes,
    outputs: [],
  }
}

export const hashMatch: CheckKind<"hash_match"> = {
  type: "hash_match",
  unsupported: () => [],
  run: async (check, context) => {
    const found = await findArtifact(check.artifact, context)
    if (!("refused" in found)) return report(check, found, context)
    const { code, detail, path } = found.refused
    return {
      status: "fail",
      summary: { artifact: check.artifact, code, detail, ...(path === undefined ? {} : { path }) },
      cases: [[check.artifact, "unavailable"]],
      counts: {},
      input_hashes: { [DELIVERABLE_NAME]: context.deliverable.sha256 },
      outputs: [],
    }
  },
}
