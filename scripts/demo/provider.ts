/** The provider's agent: reads the contract, does the work, hands it in. */
import { readFileSync } from "node:fs"
import { type Hex, keccak256, stringToHex } from "viem"
import { erc8183Rail } from "../../orchestrator/chain/index.ts"
import type { Contract } from "../../orchestrator/contract/index.ts"
import { domainOf, hashTerms, MESSAGE_TYPES, termsOf } from "../../orchestrator/contract/index.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { type Sha256, toBytes32 } from "../../orchestrator/types.ts"
import type { LocalNetwork } from "../local/network.ts"
import { type Agent, gasOf } from "./world.ts"

export type Delivered = { n: number; sha256: string; tx: Hex; gas: bigint; size: number }

/** Uploads the deliverable, signs the submission and the escrow's own hand-in, waits until both are on chain. */
export const deliver = async (network: LocalNetwork, provider: Agent, contract: Contract, file: string, n = 1): Promise<Delivered> => {
  const { account } = localAccount("provider")
  const { sha256, uri, size } = await provider.afg.putArtifact(readFileSync(file))
  const terms = termsOf(contract)
  const rail = erc8183Rail({ client: network.chain.client, deployment: network.deployment })
  const message = { termsHash: hashTerms(terms), n, deliverableHash: toBytes32(sha256 as Sha256), uriHash: keccak256(stringToHex(uri)) }
  const signature = await account.signTypedData({
    domain: domainOf(contract),
    types: { Submission: MESSAGE_TYPES.Submission },
    primaryType: "Submission",
    message,
  })
  const document = n === 1 ? rail.railSubmission(terms, sha256 as Sha256) : null
  const railAuthorization = document === null ? undefined : await account.signTypedData(document as never)
  await provider.afg.submit(contract.job_id, {
    n,
    uri,
    sha256,
    signature,
    ...(railAuthorization === undefined ? {} : { railAuthorization }),
  })
  const job = await provider.afg.until(contract.job_id, ({ tx }) => tx.submit.length >= n)
  const tx = job.tx.submit[n - 1] as Hex
  return { n, sha256, tx, gas: await gasOf(network, tx), size }
}
