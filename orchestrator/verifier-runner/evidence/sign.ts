/** The verifier's signature: EIP-712 `Verdict` under the job's domain. */
import {
  type AfgDomain,
  type Contract,
  domainOf,
  hashTerms,
  MESSAGE_TYPES,
  messageDigest,
  termsOf,
  VERDICTS,
} from "../../contract/index.ts"
import { type Hex, toBytes32 } from "../../types.ts"
import type { VerdictSigner } from "../run/types.ts"
import type { EvidenceBundle } from "./schema.ts"

type Judged = Pick<EvidenceBundle, "submission" | "verdict" | "merkle_root">

const verdictMessage = (contract: Contract, { submission, verdict, merkle_root }: Judged) => ({
  termsHash: hashTerms(termsOf(contract)),
  n: submission.n,
  deliverableHash: toBytes32(submission.deliverable_sha256),
  verdict: VERDICTS[verdict],
  merkleRoot: toBytes32(merkle_root),
})

/** What is signed. Throws `terms-underivable`. */
export const verdictDigest = (contract: Contract, judged: Judged): Hex =>
  messageDigest(domainOf(contract), "Verdict", verdictMessage(contract, judged))

export const signVerdict = (contract: Contract, judged: Judged, signer: VerdictSigner): Promise<Hex> =>
  signer.signTypedData({
    domain: domainOf(contract) satisfies AfgDomain,
    types: { Verdict: MESSAGE_TYPES.Verdict },
    primaryType: "Verdict",
    message: verdictMessage(contract, judged),
  })
