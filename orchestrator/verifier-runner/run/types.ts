/** What the orchestrator asks of the verifier, and what it gets. */
import type { Contract, VerdictName } from "../../contract/index.ts"
import type { Address, Hex, Sha256, UnixSeconds } from "../../types.ts"
import type { Engine } from "../engine/types.ts"
import type { EvidenceBundle } from "../evidence/schema.ts"
import type { TreeFile } from "../files/tree.ts"

/** Bytes (a file; or a folder as a tar archive), or a folder's files, paths relative to the folder; null where it cannot be had. */
export type RawInput = Uint8Array | readonly TreeFile[] | null

/** Who signs verdicts: the key that the contract names as verifier or fallback. */
export type VerdictSigner = {
  address: Address
  /** EIP-712; a viem account does it. */
  signTypedData: (typedData: {
    domain: Record<string, unknown>
    types: Record<string, readonly { name: string; type: string }[]>
    primaryType: string
    message: Record<string, unknown>
  }) => Promise<Hex>
}

export type VerificationRequest = {
  contract: Contract
  submission: {
    n: number
    deliverable: Uint8Array
    /** What the provider signed. Other bytes are no deliverable. */
    sha256: Sha256
    submittedAt: UnixSeconds
  }
  /** A pinned input by its name in the contract. Whatever comes back is checked against the contract's hash. */
  resolveInput: (name: string) => Promise<RawInput>
  /** A sealed input, revealed. */
  reveal?: ((name: string) => Promise<RawInput>) | undefined
  /** Null: the bundle stays unsigned (a trial run). */
  signer: VerdictSigner | null
  engine: Engine
  /** Now, in Unix seconds. */
  clock: () => UnixSeconds
  signal?: AbortSignal | undefined
  /** What is being done, for a log or a progress display. */
  onProgress?: ((text: string) => void) | undefined
}

/** Bytes of the evidence by hash. Sealed ones are for verifier, fallback, mediator and panel until the job is final. */
export type EvidenceBlob = { sha256: Sha256; bytes: Uint8Array; sealed: boolean; what: string }

export type Verification = {
  verdict: VerdictName
  bundle: EvidenceBundle
  /** RFC 8785 form of the bundle: what is stored and found by its hash. */
  bundleBytes: Uint8Array
  blobs: EvidenceBlob[]
  /** EIP-712 `Verdict`; null without a signer. */
  signature: Hex | null
}
