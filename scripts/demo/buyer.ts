/** The buyer's agent: opens the escrow's job, writes and posts the contract, asks its human, funds. */
import { generateKeyPairSync } from "node:crypto"
import { ulid } from "ulid"
import { decodeEventLog, encodeFunctionData, type Hex } from "viem"
import { erc8183EscrowAbi, testUsdcAbi } from "../../deployments/abi/index.ts"
import { ageRecipientOf } from "../../orchestrator/contract/age-recipient.ts"
import { buildCodeFixContract, type CodeFixWork, type Contract, type Panelist, signTerms } from "../../orchestrator/contract/index.ts"
import { type LocalRole, localAccount } from "../../orchestrator/local-accounts.ts"
import type { Address } from "../../orchestrator/types.ts"
import type { LocalNetwork } from "../local/network.ts"
import { LOCAL_OPERATOR } from "../local/network.ts"
import { chooseMediator } from "./mediator-choice.ts"
import { type Agent, gasOf } from "./world.ts"

/** What the buyer has before the job. */
const PURSE = 100_000_000n
const PRICE = 40_000_000n
const HOUR = 3_600
const EXPIRY_HOURS = 144

/** No vault is deployed yet: bonds come with it (README, "What is not there yet"). */
const NO_VAULT: Address = "0x0000000000000000000000000000000000000000"

const MODEL_PROVIDERS = ["provider-b", "provider-c", "provider-d", "provider-e", "provider-f"]

/** A fresh age recipient: sealed inputs are for those only who hold such keys. */
const encryptionKey = (): string => {
  const { publicKey } = generateKeyPairSync("x25519")
  return ageRecipientOf(publicKey.export({ format: "der", type: "spki" }).subarray(-32))
}

const rosterOf = (): Panelist[] =>
  MODEL_PROVIDERS.map((model, index) => ({
    wallet: localAccount(`panelist-${index + 1}` as LocalRole).address,
    model_provider: model,
    operator_id: `operator:panel-${index + 1}`,
    encryption_key: encryptionKey(),
  }))

/** Test money for the buyer, from the token's open mint. */
export const fillPurse = async (network: LocalNetwork, buyer: Agent): Promise<void> => {
  const data = encodeFunctionData({ abi: testUsdcAbi, functionName: "mint", args: [buyer.address, PURSE] })
  await buyer.send({ to: network.deployment.contracts.TestUSDC.address, data })
}

export type Opened = { escrowRef: string; createdAt: number; expiry: number; gas: bigint }

/** Creates the escrow's job, with its price and still without money, by the buyer's own transaction. */
export const openEscrowJob = async (network: LocalNetwork, buyer: Agent): Promise<Opened> => {
  const { contracts } = network.deployment
  const block = await network.chain.client.getBlock({ blockTag: "pending" })
  const createdAt = Number(block.timestamp)
  const expiry = createdAt + EXPIRY_HOURS * HOUR
  const args = [localAccount("provider").address, contracts.AFGResolver.address, BigInt(expiry), "", NO_VAULT, PRICE] as const
  const data = encodeFunctionData({ abi: erc8183EscrowAbi, functionName: "createJobWithBudget", args })
  const { hash, gas } = await buyer.send({ to: contracts.ERC8183Escrow.address, data })
  const { logs } = await network.chain.client.getTransactionReceipt({ hash })
  for (const log of logs) {
    if (log.address.toLowerCase() !== contracts.ERC8183Escrow.address.toLowerCase()) continue
    const event = decodeEventLog({ abi: erc8183EscrowAbi, data: log.data, topics: log.topics })
    if (event.eventName === "JobCreated") return { escrowRef: event.args.jobId.toString(), createdAt, expiry, gas }
  }
  throw new Error("the escrow created no job")
}

/** The complete contract of worked example A for this network. */
export const writeContract = async (network: LocalNetwork, opened: Opened, work: CodeFixWork): Promise<Contract> => {
  const { contracts, chainId } = network.deployment
  const choice = await chooseMediator(network.chain.client, contracts.TestUSDC.address)
  return buildCodeFixContract({
    job_id: `afg:job:${ulid()}`,
    created_at: opened.createdAt,
    escrow_ref: opened.escrowRef,
    deployment: {
      chain_id: chainId,
      token: contracts.TestUSDC.address,
      escrow: contracts.ERC8183Escrow.address,
      resolver: contracts.AFGResolver.address,
      vault: NO_VAULT,
    },
    people: {
      buyer: {
        agent_id: "buyer.acme-ci",
        wallet: localAccount("buyer").address,
        operator_id: LOCAL_OPERATOR,
        confirmer: network.confirmation.signer,
      },
      provider: { agent_id: "fixer.pyagent", wallet: localAccount("provider").address, operator_id: "operator:pyagent" },
      verifier: {
        verifier_id: "verifier.local",
        attestation_key: localAccount("verifier").address,
        encryption_key: encryptionKey(),
        fallback_pool: "pool.local",
      },
      fallback: { verifier_id: "verifier.fallback", attestation_key: localAccount("fallback").address, encryption_key: encryptionKey() },
      mediator: {
        mediator_id: "med.pool.0192",
        model_provider: "provider-a",
        key: localAccount("mediator").address,
        encryption_key: encryptionKey(),
        ...choice,
      },
      roster: rosterOf(),
    },
    work,
    offsets: { expiry: EXPIRY_HOURS * HOUR },
  })
}

export const signAs = (contract: Contract, role: "buyer" | "provider" | "mediator"): Promise<Hex> =>
  signTerms(contract, role, localAccount(role).account)

/** What the principal told the person to expect on the page: the amount, who is paid, and for which job. */
export const expectationOf = (contract: Contract): Record<string, string> => ({
  job_id: contract.job_id,
  amount: `${contract.price.amount} ${contract.price.asset}`,
  payee: contract.provider.wallet,
  provider_id: contract.provider.agent_id,
})

/** Signs the authorization of the price and gives it to the keeper; resolves when the escrow holds the money. */
export const fundByAuthorization = async (
  network: LocalNetwork,
  buyer: Agent,
  jobId: string,
  authorization: { typed_data: unknown; salt: Hex; validAfter: number; validBefore: number },
): Promise<{ tx: Hex; gas: bigint }> => {
  const document = authorization.typed_data as Parameters<typeof buyer.wallet.signTypedData>[0]
  const signature = await localAccount("buyer").account.signTypedData(document as never)
  const { salt, validAfter, validBefore } = authorization
  await buyer.afg.authorizeFunding(jobId, { salt, validAfter, validBefore, signature })
  const job = await buyer.afg.until(jobId, ({ tx }) => tx.fund !== null)
  return { tx: job.tx.fund as Hex, gas: await gasOf(network, job.tx.fund) }
}
