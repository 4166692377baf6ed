/** Jobs and events for the tests of store, timers and reconciler. */
import { createHash } from "node:crypto"
import { exampleContract, hashTerms, type Terms, termsOf } from "../../../orchestrator/contract/index.ts"
import { canonicalize } from "../../../orchestrator/json/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import type { ChainEvent, MessageEvent } from "../../../orchestrator/state-machine/index.ts"
import type { NewJob } from "../../../orchestrator/store/index.ts"
import type { Hex } from "../../../orchestrator/types.ts"

export const CONTRACT = exampleContract("code-fix", { addressOf: (role) => localAccount(role).address })
const TEXT = canonicalize(CONTRACT)
export const TERMS: Terms = termsOf(CONTRACT)
export const CLOCK = TERMS.clock
/** A moment at which a job of the example can be posted. */
export const POSTED_AT = CLOCK.fundBy - 3_600

export const word = (...parts: (string | number)[]): Hex => `0x${createHash("sha256").update(parts.join("|")).digest("hex")}`

export const newJob = (jobId: string, more: Partial<NewJob> = {}): NewJob => ({
  jobId,
  railRef: word("ref", jobId),
  contractHash: TERMS.contractHash,
  termsHash: hashTerms(TERMS),
  buyer: TERMS.roles.buyer,
  contract: TEXT,
  terms: TERMS,
  createdAt: POSTED_AT,
  wakeAt: POSTED_AT,
  ...more,
})

export const position = (block: number, logIndex = 0, fork = "a"): ChainEvent["position"] => ({
  block,
  blockHash: word("block", fork, block),
  tx: word("tx", fork, block, logIndex),
  logIndex,
})

export const posted = (at = POSTED_AT): MessageEvent => ({ source: "message", type: "posted", at })

export const signed = (role: "buyer" | "provider" | "mediator", at = POSTED_AT): MessageEvent => ({
  source: "message",
  type: "signed",
  role,
  signature: word("signature", role),
  at,
})

export const confirmed = (requestId = "request-1", at = POSTED_AT): MessageEvent => ({
  source: "message",
  type: "confirmed",
  requestId,
  evidenceDigest: word("evidence", requestId),
  notAfter: CLOCK.fundBy,
  signer: "0x01",
  signature: word("confirmation", requestId),
  method: "scripted-demo",
  loa: 0,
  at,
})

export const bound = (block = 1, at = POSTED_AT + block, fork = "a"): ChainEvent => ({
  source: "chain",
  type: "bound",
  termsHash: hashTerms(TERMS),
  at,
  position: position(block, 0, fork),
})

export const funded = (block = 2, at = POSTED_AT + block, fork = "a"): ChainEvent => ({
  source: "chain",
  type: "funded",
  amount: String(TERMS.money.price),
  at,
  position: position(block, 0, fork),
})
