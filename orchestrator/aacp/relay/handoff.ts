/** Delegation paths by digest (AACP §9.2): the offers themselves stay with the handoff protocol. */
import { hash } from "node:crypto"
import { AfgError } from "../../errors.ts"

/** base64url(SHA-256) of a signed handoff offer, over its bytes as they were signed. */
export const handoffDigest = (offer: string | Uint8Array): string => hash("sha256", offer, "base64url")

/** The `handoff` member for a chain of offers, from the root to the last. Throws for an empty chain, which has no member. */
export const handoffChain = (offers: readonly (string | Uint8Array)[]): string[] => {
  if (offers.length === 0) throw new AfgError("aacp-request-malformed", "a delegation path has at least one offer", { path: "/handoff" })
  return offers.map(handoffDigest)
}
