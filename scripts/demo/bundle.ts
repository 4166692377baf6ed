/** Brings a job's evidence to this machine, as a directory that `afg evidence verify` and `prove` take. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AfgClient, JobAnswer } from "../../orchestrator/client/client.ts"
import { ProblemError } from "../../orchestrator/client/transport.ts"
import { projectRoot } from "../../orchestrator/setup-record.ts"
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

type Verified = { valid: boolean; merkle_root: string; anchored: boolean | null; problems: { code: string; detail: string }[] }

/** Runs `afg evidence verify` on the directory, as anyone could who has it and an RPC. Throws when the evidence is not valid. */
export const verifyAsAnyone = async (directory: string, rpc: string): Promise<string> => {
  const cli = join(projectRoot, "orchestrator", "cli", "afg.ts")
  const args = ["--disable-warning=ExperimentalWarning", cli, "evidence", "verify", directory, "--rpc", rpc, "--json"]
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, (error, out) => (out === "" ? reject(error ?? new Error("no answer")) : resolve(out)))
  })
  const { valid, anchored, problems } = JSON.parse(stdout) as Verified
  if (!valid || anchored !== true) throw new Error(`the evidence does not verify: ${problems.map(({ code }) => code).join(", ")}`)
  return "afg evidence verify: signature, every hash and the root on chain agree"
}
