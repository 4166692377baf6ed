/** What is known of a job from the chain: the same facts that the resolver stores, with what its events add. */
import type { Hex, UnixSeconds } from "../types.ts"
import type { Cause, Outcome, Party, Verdict, VerifierRole } from "./vocabulary.ts"

export type Facts = {
  boundAt: UnixSeconds | null
  fundedAt: UnixSeconds | null
  /** Number of the current submission; 0 before the first. */
  n: number
  submittedAt: UnixSeconds | null
  deliverableHash: Hex | null
  /** On submission n. A primary's INCONCLUSIVE alone leaves null. */
  verdict: Verdict | null
  verdictAt: UnixSeconds | null
  verdictBy: VerifierRole | null
  /** Of the latest verdict on the current submission, a primary's INCONCLUSIVE included. */
  merkleRoot: Hex | null
  /** The primary verifier has given its one verdict on submission n. */
  primarySpoke: boolean
  disputedAt: UnixSeconds | null
  disputedBy: Party | null
  ruling: Outcome | null
  ruledAt: UnixSeconds | null
  rulingDigest: Hex | null
  documentHash: Hex | null
  appealedAt: UnixSeconds | null
  /** Per seated panelist: null until revealed. */
  votes: Readonly<Record<Hex, Outcome | null>>
  concededBy: Party | null
  concededAt: UnixSeconds | null
  lapsedAt: UnixSeconds | null
  settled: Outcome | null
  settledAt: UnixSeconds | null
  settledCause: Cause | null
  settledRoot: Hex | null
}

export const NO_FACTS: Facts = {
  boundAt: null,
  fundedAt: null,
  n: 0,
  submittedAt: null,
  deliverableHash: null,
  verdict: null,
  verdictAt: null,
  verdictBy: null,
  merkleRoot: null,
  primarySpoke: false,
  disputedAt: null,
  disputedBy: null,
  ruling: null,
  ruledAt: null,
  rulingDigest: null,
  documentHash: null,
  appealedAt: null,
  votes: {},
  concededBy: null,
  concededAt: null,
  lapsedAt: null,
  settled: null,
  settledAt: null,
  settledCause: null,
  settledRoot: null,
}

/** Revealed votes for the opposite of the ruling. */
export const votesAgainst = (facts: Facts, ruling: Outcome): number =>
  Object.values(facts.votes).filter((vote) => vote !== null && vote !== ruling).length
