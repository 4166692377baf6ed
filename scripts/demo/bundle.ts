/** Brings a job's evidence to this machine, as a directory that `afg evidence verify` and `prove` take. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AfgClient, JobAnswer } from "../../orchestrator/client/client.ts"
import { ProblemError } from "../../orchestrator/client/transport.ts"
import { blobHash } from "../../orchestrator/store/blobs.ts"

const HASH = /\b[0-9a-f]{64}\b/g

/** `{bundle.json, contract.json, blobs/<sha256>}`: every blob that the bundle names and the orchestrator serves. */
export const fetchBundle = async (afg: AfgClient, job: JobAnswer, uri: string, directory: string): Promise<string> => {
  mkdirSync(join(directory, "blobs"), { recursive: true })
  const bytes = await afg.getArtifact(blobHash(uri))
  writeFileSync(join(directory, "bundle.json"), bytes)
  writeFileSync(join(directory, "contract.json"), `${JSON.stringify(job.contract, null, 2)}\n`)
  const named = new Set(new TextDecoder().decode(bytes).match(HASH) ?? [])
  for (const sha256 of named) {
    try {
      writeFileSync(join(directory, "blobs", sha256), await afg.getArtifact(sha256))
    } catch (error) {
      // A hash of something that is not served: an input's tree, a sealed suite, a root. The bundle is verified without it.
      if (!(error instanceof ProblemError) || (error.code !== "not_found" && error.code !== "artifact_sealed")) throw error
    }
  }
  return directory
}
