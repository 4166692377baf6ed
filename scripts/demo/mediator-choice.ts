/**
 * How the demonstration names its mediator before funding: both agents commit to a seed, and the chain is searched for payments that would
 * make the mediator partial. There is one mediator to choose from here, so the seeds decide nothing yet; what the report says was looked up.
 */
import { createHash, randomBytes } from "node:crypto"
import { type PublicClient, parseAbiItem } from "viem"
import { digestOf } from "../../orchestrator/json/index.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import type { Address, Hex, Sha256 } from "../../orchestrator/types.ts"

const TRANSFER = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)")

export type MediatorChoice = {
  selection_proof: { seed_commit_buyer: Sha256; seed_commit_provider: Sha256; draw_tx: Hex }
  conflict_check_ref: Sha256
}

const commitment = (): Sha256 => createHash("sha256").update(randomBytes(32)).digest("hex") as Sha256

/** Payments in the price's token between the mediator and either party, in either direction. */
const priorPayments = async (client: PublicClient, token: Address, mediator: Address, parties: Address[], toBlock: bigint) => {
  const range = { address: token, event: TRANSFER, fromBlock: 0n, toBlock } as const
  const [out, back] = await Promise.all([
    client.getLogs({ ...range, args: { from: mediator, to: parties } }),
    client.getLogs({ ...range, args: { from: parties, to: mediator } }),
  ])
  return [...out, ...back].map((log) => ({
    kind: "prior_payment",
    with: parties.find((party) => party.toLowerCase() !== mediator.toLowerCase() && [log.args.from, log.args.to].includes(party)) ?? null,
    tx: log.transactionHash,
  }))
}

/** Throws when the mediator had payments with a party. */
export const chooseMediator = async (client: PublicClient, token: Address): Promise<MediatorChoice> => {
  const mediator = localAccount("mediator").address
  const buyer = localAccount("buyer").address
  const provider = localAccount("provider").address
  const to = await client.getBlockNumber()
  const findings = await priorPayments(client, token, mediator, [buyer, provider], to)
  if (findings.length > 0) throw new Error("the mediator has had payments with a party")
  const report = { mediator, buyer, provider, depth: 1, from_block: 0, to_block: Number(to), findings: [] }
  return {
    // No draw is anchored on a chain whose only mediator this is.
    selection_proof: { seed_commit_buyer: commitment(), seed_commit_provider: commitment(), draw_tx: `0x${"00".repeat(32)}` },
    conflict_check_ref: digestOf(report),
  }
}
