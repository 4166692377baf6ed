/**
 * What is signed about a decision: the evidence always, the on-chain `Confirmation` only when the person accepted.
 *
 * A decision is durable before it is signed, and signing is deterministic; so a crash in between loses nothing, and signing
 * again makes the same bytes. What was stored first is what everyone gets.
 */
import { createEvidence, evidenceDigest, parseRequest, signEvidence } from "../../aacp/index.ts"
import { afgDomain, messageDigest } from "../../contract/index.ts"
import { AfgError } from "../../errors.ts"
import { type Hex, type Sha256, toBytes32 } from "../../types.ts"
import type { ServedChain } from "../config.ts"
import { type DecisionRecord, decisionOf } from "../decide.ts"
import { appendAudit } from "../store/audit.ts"
import type { Database } from "../store/database.ts"
import { findRequest, type StoredRequest } from "../store/requests.ts"
import type { ServiceKey } from "./service-key.ts"
import { erc7913Signer, evidenceSigner, signRaw } from "./signer.ts"

/** What `bind` takes beside the evidence (AFG messages, `Confirmation`). */
export type OnChainConfirmation = {
  /** sha256 of the compact JWS. */
  readonly evidenceDigest: Hex
  /** Unix seconds. */
  readonly notAfter: number
  /** ERC-7913 signer bytes. */
  readonly signer: Hex
  /** r‖s, 64 bytes, low s, over the EIP-712 digest. */
  readonly signature: Hex
}

export type Answer = { readonly evidence: string; readonly confirmation: OnChainConfirmation | null }

export type AnswerSigner = { readonly key: ServiceKey; readonly chains: readonly ServedChain[]; readonly now: () => number }

export const answerOf = (database: Database, requestId: string): Answer | null => {
  const row = database.get("SELECT evidence, confirmation FROM answer WHERE request_id = :id", { id: requestId })
  if (row === undefined) return null
  return {
    evidence: String(row.evidence),
    confirmation: row.confirmation === null ? null : (JSON.parse(String(row.confirmation)) as OnChainConfirmation),
  }
}

const signDecision = async (signer: AnswerSigner, request: StoredRequest, decision: DecisionRecord): Promise<Answer> => {
  const asked = parseRequest(request.body)
  const evidence = await signEvidence(
    createEvidence({
      request: asked,
      decision: decision.decision,
      confirmedAt: decision.decidedAt,
      authContext: { method: decision.method, loa: decision.loa },
      renderingDigest: decision.renderingDigest,
      subject: decision.subject,
      dialogTurn: decision.dialogTurn ?? undefined,
    }),
    evidenceSigner(signer.key),
  )
  if (decision.decision === "denied") return { evidence, confirmation: null }
  const chain = signer.chains.find(({ chainId, resolver }) => chainId === request.chainId && resolver === request.resolver)
  // Taken out of the configuration after the request came in: the decision stays and is signed once the chain is back.
  if (chain === undefined)
    throw new AfgError("confirm-config-invalid", `chain ${request.chainId} and its resolver are not configured any more`)
  const digest = toBytes32(evidenceDigest(evidence) as Sha256)
  const notAfter = Math.min(decision.decidedAt + asked.lifetime, request.fundBy)
  const toSign = messageDigest(afgDomain(chain.chainId, chain.resolver), "Confirmation", {
    termsHash: request.termsHash,
    evidenceDigest: digest,
    notAfter,
  })
  const confirmation = {
    evidenceDigest: digest,
    notAfter,
    signer: erc7913Signer(signer.key, chain.verifier),
    signature: signRaw(signer.key, toSign),
  }
  return { evidence, confirmation }
}

/**
 * The answer to a decided request: the stored one, or signed now and stored. Null: nothing was decided.
 * Throws `confirm-config-invalid` when the request's chain is no longer configured.
 */
export const answerDecision = async (database: Database, signer: AnswerSigner, requestId: string): Promise<Answer | null> => {
  const stored = answerOf(database, requestId)
  if (stored !== null) return stored
  const request = findRequest(database, requestId)
  const decision = decisionOf(database, requestId)
  if (request === undefined || decision === null) return null
  const answer = await signDecision(signer, request, decision)
  return database.transaction(() => {
    const first = answerOf(database, requestId)
    if (first !== null) return first
    const now = signer.now()
    database.run("INSERT INTO answer (request_id, evidence, confirmation, signed_at) VALUES (:id, :evidence, :confirmation, :now)", {
      id: requestId,
      evidence: answer.evidence,
      confirmation: answer.confirmation === null ? null : JSON.stringify(answer.confirmation),
      now,
    })
    appendAudit(database, {
      at: now,
      event: "answer-signed",
      requestId,
      detail: { kid: signer.key.kid, evidence_sha256: evidenceDigest(answer.evidence) },
    })
    return answer
  })
}

/** Decisions that a crash left without a signature. */
export const unsignedDecisions = (database: Database): string[] =>
  database
    .all("SELECT request_id FROM decision WHERE request_id NOT IN (SELECT request_id FROM answer)")
    .map((row) => String(row.request_id))
