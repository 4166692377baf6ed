/**
 * What can happen to a job. A job is the fold of these, in the order in which they were appended.
 *
 * Chain events are logs of the canonical chain; they alone move a job from FUNDED on. Messages are signed acts that
 * someone gave us: they only say what should go on chain.
 */
import type { DisputeGround } from "../contract/messages.ts"
import type { Hex, Sha256, UnixSeconds } from "../types.ts"
import type { Cause, Outcome, Party, SigningRole, Verdict, VerifierRole } from "./vocabulary.ts"

/** Where on the chain a log stands. `at` of its event is that block's time. */
export type ChainPosition = { block: number; blockHash: Hex; tx: Hex; logIndex: number }

type Chain<T> = T & { source: "chain"; at: UnixSeconds; position: ChainPosition }
type Message<T> = T & { source: "message"; at: UnixSeconds }

export type MessageEvent = Message<
  | { type: "posted" }
  | { type: "signed"; role: SigningRole; signature: Hex }
  /** AACP evidence was verified and used up: the bind is to be relayed. */
  | {
      type: "confirmed"
      requestId: string
      evidenceDigest: Hex
      notAfter: UnixSeconds
      signer: Hex
      signature: Hex
      method: string
      loa: number
    }
  /** The buyer's ERC-3009 authorization of the price. */
  | { type: "fundingAuthorized"; salt: Hex; validAfter: UnixSeconds; validBefore: UnixSeconds; signature: Hex }
  | { type: "submissionReceived"; n: number; uri: string; sha256: Sha256; signature: Hex; railAuthorization: Hex | null }
  | {
      type: "verdictSigned"
      n: number
      by: VerifierRole
      verdict: Verdict
      merkleRoot: Hex
      deliverableHash: Hex
      signature: Hex
      /** CIDv1 URI of the evidence bundle. */
      bundle: string
    }
  | { type: "disputeReceived"; n: number; by: Party; merkleRoot: Hex; ground: DisputeGround; statementHash: Hex; signature: Hex }
  | { type: "rulingReceived"; n: number; merkleRoot: Hex; ruling: Outcome; documentHash: Hex; signature: Hex }
  | { type: "appealReceived"; by: Party; rulingDigest: Hex; statementHash: Hex; signature: Hex }
  | { type: "concessionReceived"; by: Party; n: number; merkleRoot: Hex; rulingDigest: Hex; signature: Hex }
>

export type ChainEvent = Chain<
  | { type: "bound"; termsHash: Hex }
  /** In the token's smallest units, decimal. */
  | { type: "funded"; amount: string }
  /** The rail itself was told that work was handed in. */
  | { type: "railSubmitted"; deliverableHash: Hex }
  | { type: "submitted"; n: number; deliverableHash: Hex; uriHash: Hex }
  | { type: "verdict"; n: number; by: VerifierRole; verdict: Verdict; merkleRoot: Hex }
  | { type: "disputed"; n: number; by: Party }
  | { type: "ruled"; ruling: Outcome; rulingDigest: Hex; documentHash: Hex }
  | { type: "appealed"; by: Party }
  | { type: "seated"; panelists: readonly Hex[] }
  | { type: "voteCommitted"; panelist: Hex }
  | { type: "voteRevealed"; panelist: Hex; vote: Outcome }
  | { type: "conceded"; n: number; by: Party }
  | { type: "lapsed" }
  | { type: "settled"; outcome: Outcome; cause: Cause; root: Hex }
  /** The rail ended the job by itself, as the resolver or the rail reports it. */
  | { type: "settledElsewhere"; outcome: Outcome }
>

export type JobEvent = MessageEvent | ChainEvent
export type EventType = JobEvent["type"]

/**
 * What makes an event the same event: appending it twice has the effect of once. A log is its place on the chain; a
 * message is its content, without the time at which we received it.
 */
export const eventKey = (event: JobEvent): string => {
  if (event.source === "chain") return `chain:${event.position.blockHash}:${event.position.logIndex}`
  switch (event.type) {
    case "posted":
      return "posted"
    case "signed":
      return `signed:${event.role}`
    case "confirmed":
      return `confirmed:${event.requestId}`
    case "fundingAuthorized":
      return `fundingAuthorized:${event.salt}`
    case "submissionReceived":
      return `submissionReceived:${event.n}:${event.sha256}`
    case "verdictSigned":
      return `verdictSigned:${event.n}:${event.deliverableHash}:${event.by}`
    case "disputeReceived":
      return `disputeReceived:${event.by}:${event.n}:${event.merkleRoot}:${event.ground}:${event.statementHash}`
    case "rulingReceived":
      return `rulingReceived:${event.n}:${event.merkleRoot}:${event.ruling}:${event.documentHash}`
    case "appealReceived":
      return `appealReceived:${event.by}:${event.rulingDigest}:${event.statementHash}`
    case "concessionReceived":
      return `concessionReceived:${event.by}:${event.n}:${event.merkleRoot}:${event.rulingDigest}`
  }
}
