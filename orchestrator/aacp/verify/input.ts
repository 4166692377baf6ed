/** What a verification is given, and what it has established so far. */
import type { ActionDescriptor } from "../descriptor.ts"
import type { ConfirmationEvidence } from "../evidence.ts"
import type { KeySource } from "../keys/source.ts"
import type { RenderingRules } from "../rendering.ts"
import type { DenialRegister, OutcomeMemory, ReplayStore } from "../replay/store.ts"
import type { ConfirmationRequest } from "../request.ts"
import type { Policy } from "./policy.ts"

/** Finds the request that this verifier issued under an id; null when it issued none. */
export type RequestLookup = (requestId: string) => ConfirmationRequest | null | Promise<ConfirmationRequest | null>

export type VerificationInput = {
  /** A compact JWS, or the bytes of a COSE_Sign1; nothing when none was presented. */
  readonly evidence: string | Uint8Array | null | undefined
  /** The payload of detached evidence: its JSON, or its CBOR for COSE. */
  readonly payload?: Uint8Array | undefined
  readonly keys: KeySource
  /** The descriptor of the operation at hand, computed from the operation itself, never taken from the caller. */
  readonly descriptor?: ActionDescriptor | undefined
  /** The annotation that shapes the display; null when the required display is not known to this verifier. */
  readonly rendering?: RenderingRules | null | undefined
  /** The request, or how to find it. A lookup says that only this verifier's own requests count. */
  readonly request?: ConfirmationRequest | RequestLookup | undefined
  /** Names that this verifier goes by. */
  readonly audience?: string | readonly string[] | undefined
  readonly policy?: Policy | undefined
  /** Marks request ids as used. Without one, a presentation is judged as the first. */
  readonly replay?: ReplayStore | undefined
  readonly outcomes?: OutcomeMemory | undefined
  readonly denials?: DenialRegister | undefined
  /** Unix seconds. */
  readonly now: number
  /** Seconds taken off the lifetime for clocks that differ. Default 0. */
  readonly margin?: number | undefined
}

/** A presentation whose signature is good: what the later steps judge. */
export type Case = {
  readonly input: VerificationInput
  readonly evidence: ConfirmationEvidence
  readonly service: string
  readonly kid: string
  /** Unix seconds. */
  readonly confirmedAt: number
  /** The request; null: this verifier issued none under that id; undefined: it has no request to compare with. */
  readonly request: ConfirmationRequest | null | undefined
}

/** Seconds of age that the evidence may reach, margin included in the deduction. */
export type Lifetime = { readonly seconds: number; readonly expiresAt: number }
