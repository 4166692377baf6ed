/** A real node with our contracts, a real store, and one job's parties to act on them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { p256 } from "@noble/curves/p256"
import {
  bytesToHex,
  concat,
  createTestClient,
  createWalletClient,
  type Hex,
  hashTypedData,
  hexToBytes,
  http,
  keccak256,
  numberToHex,
  parseAbi,
  publicActions,
  stringToHex,
  zeroAddress,
} from "viem"
import { hardhat } from "viem/chains"
import { erc8183EscrowAbi, testUsdcAbi } from "../../../deployments/abi/index.ts"
import type { Deployment } from "../../../orchestrator/chain/deployment.ts"
import { erc8183Rail } from "../../../orchestrator/chain/rails/erc8183.ts"
import type { Call, Rail } from "../../../orchestrator/chain/rails/rail.ts"
import { afgDomain, hashTerms, type MessageName, messageDigest, type Terms, termsDigest } from "../../../orchestrator/contract/messages.ts"
import { type LocalRole, localAccount } from "../../../orchestrator/local-accounts.ts"
import { foldJob, type Job } from "../../../orchestrator/state-machine/index.ts"
import { insertJob, openStore, readEvents, type Store } from "../../../orchestrator/store/index.ts"
import type { Sha256 } from "../../../orchestrator/types.ts"
import { deployLocal } from "../../../scripts/deploy.ts"
import { startChain } from "../../../scripts/local/chain.ts"
import { clientOf } from "./client.ts"

export { clientOf }

export const PRICE = 40_000_000n
const ZERO = `0x${"00".repeat(32)}` as const

export const digest = (label: string): Hex => keccak256(stringToHex(label))
export const sha = (label: string): Sha256 => digest(label).slice(2) as Sha256

const confirmerKey = (verifier: Hex) => {
  const key = hexToBytes(digest("confirmer"))
  const signer = concat([verifier, bytesToHex(p256.getPublicKey(key, false).slice(1))])
  return {
    signer,
    id: keccak256(signer),
    sign: (hash: Hex): Hex => `0x${p256.sign(hexToBytes(hash), key, { prehash: false, lowS: true }).toCompactHex()}`,
  }
}

export const startNode = async () => {
  const directory = mkdtempSync(join(tmpdir(), "afg-chain-"))
  const node = await startChain(join(directory, "node.log"))
  const deployment = await deployLocal({ rpcUrl: node.rpc })
  const test = createTestClient({ chain: hardhat, mode: "hardhat", transport: http(node.rpc, { retryCount: 0 }), cacheTime: 0 }).extend(
    publicActions,
  )
  return {
    rpc: node.rpc,
    deployment,
    test,
    stop: async () => {
      await node.process.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export type Node = Awaited<ReturnType<typeof startNode>>

export const temporaryStore = async (): Promise<Store & { directory: string; remove: () => Promise<void> }> => {
  const directory = mkdtempSync(join(tmpdir(), "afg-store-"))
  const store = await openStore({ dataDir: directory })
  return {
    ...store,
    directory,
    remove: async () => {
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Sends a call as somebody and waits until it is mined. */
export const sendAs = async (node: Node, role: LocalRole, call: Pick<Call, "to" | "data">): Promise<Hex> => {
  const wallet = createWalletClient({ account: localAccount(role).account, chain: hardhat, transport: http(node.rpc), cacheTime: 0 })
  const hash = await wallet.sendTransaction({ to: call.to, data: call.data })
  const receipt = await node.test.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  if (receipt.status !== "success") throw new Error(`reverted: ${hash}`)
  return hash
}

const CREATE = parseAbi([
  "function createJobWithBudget(address provider, address evaluator, uint256 expiredAt, string description, address hook, uint256 budget) returns (uint256)",
])

/** A job on the rail, with Terms, and every party's signatures at hand. */
export const makeJob = async (node: Node, rail: Rail, label: string) => {
  const { test, deployment } = node
  const now = Number((await test.getBlock({ blockTag: "latest" })).timestamp)
  const confirmer = confirmerKey(deployment.contracts.P256Verifier.address)
  const deliveryBy = now + 172_800
  const clock = {
    fundBy: now + 3_600,
    deliveryBy,
    expiry: deliveryBy + 1_800 + 43_200 + 3_600 + 43_200 + 7_200 + 3_600,
    verification: 1_800,
    buyerReview: 43_200,
    providerDispute: 43_200,
    mediatorRuling: 3_600,
    appealFiling: 43_200,
    panelRuling: 7_200,
    maxSubmissions: 3,
  }
  const wallet = createWalletClient({ account: localAccount("buyer").account, chain: hardhat, transport: http(node.rpc), cacheTime: 0 })
  const create = await wallet.writeContract({
    address: rail.escrow,
    abi: CREATE,
    functionName: "createJobWithBudget",
    args: [localAccount("provider").address, rail.resolver, BigInt(clock.expiry), "", zeroAddress, PRICE],
  })
  await test.waitForTransactionReceipt({ hash: create, pollingInterval: 20 })
  const railId = await test.readContract({ address: rail.escrow, abi: erc8183EscrowAbi, functionName: "jobCount" })
  const terms: Terms = {
    contractHash: digest(label),
    ref: numberToHex(railId, { size: 32 }),
    roles: {
      buyer: localAccount("buyer").address,
      provider: localAccount("provider").address,
      confirmer: confirmer.id,
      verifier: localAccount("verifier").address,
      fallbackVerifier: localAccount("fallback").address,
      mediator: localAccount("mediator").address,
      rosterHash: digest("roster"),
      panelSize: 5,
    },
    money: {
      token: deployment.contracts.TestUSDC.address,
      price: PRICE,
      verifierFee: 0n,
      mediatorFee: 4_000_000n,
      mediatorBond: PRICE,
      panelistBond: 10_000_000n,
      disputeDeposit: 4_000_000n,
      appealFee: 10_000_000n,
      mediationShareBps: 1_500,
    },
    clock,
  }
  const domain = afgDomain(31337, rail.resolver)
  const termsHash = hashTerms(terms)
  const signTerms = (role: LocalRole) => localAccount(role).account.sign({ hash: termsDigest(domain, terms) })
  const sign = (role: LocalRole, name: MessageName, message: Record<string, unknown>) =>
    localAccount(role).account.sign({ hash: messageDigest(domain, name, { termsHash, ...message }) })
  const confirmation = { evidenceDigest: digest(`${label} evidence`), notAfter: clock.fundBy }
  return {
    jobId: label,
    railId,
    terms,
    termsHash,
    confirmation,
    bindSignatures: async () => ({
      buyer: await signTerms("buyer"),
      provider: await signTerms("provider"),
      mediator: await signTerms("mediator"),
      confirmation: {
        ...confirmation,
        signer: confirmer.signer,
        signature: confirmer.sign(messageDigest(domain, "Confirmation", { termsHash, ...confirmation })),
      },
    }),
    bind: async () =>
      rail.bind(terms, {
        buyer: await signTerms("buyer"),
        provider: await signTerms("provider"),
        mediator: await signTerms("mediator"),
        confirmation: {
          ...confirmation,
          signer: confirmer.signer,
          signature: confirmer.sign(messageDigest(domain, "Confirmation", { termsHash, ...confirmation })),
        },
      }),
    /** The buyer has the money and has signed it over to this job. */
    authorizeFunding: async (salt = digest(`${label} salt`)) => {
      const mint = await wallet.writeContract({
        address: deployment.contracts.TestUSDC.address,
        abi: testUsdcAbi,
        functionName: "mint",
        args: [localAccount("buyer").address, PRICE],
      })
      await test.waitForTransactionReceipt({ hash: mint, pollingInterval: 20 })
      const window = { validAfter: 0, validBefore: clock.expiry }
      const { authorization } = rail.fundingCalls(terms, salt, window)
      const signature = await localAccount("buyer").account.sign({ hash: hashTypedData(authorization as never) })
      return { salt, ...window, signature }
    },
    submission: async (n: number, uri = `ipfs://${label}-${n}`) => {
      const sha256 = sha(`${label} deliverable ${n}`)
      const message = { n, deliverableHash: `0x${sha256}`, uriHash: keccak256(stringToHex(uri)) }
      const document = rail.railSubmission(terms, sha256)
      const railAuthorization =
        n === 1 && document !== null ? await localAccount("provider").account.sign({ hash: hashTypedData(document as never) }) : null
      return { n, sha256, uri, signature: await sign("provider", "Submission", message), railAuthorization }
    },
    verdict: async (job: Job, verdict: 1 | 2 | 3, role: "verifier" | "fallback" = "verifier") => {
      const { n, deliverableHash } = job.facts
      const merkleRoot = digest(`${label} root ${n} ${role}`)
      return {
        n,
        verdict,
        merkleRoot,
        signature: await sign(role, "Verdict", { n, deliverableHash: deliverableHash ?? ZERO, verdict, merkleRoot }),
      }
    },
    concession: async (job: Job, by: "buyer" | "provider") => {
      const { n, merkleRoot } = job.facts
      return { n, by, signature: await sign(by, "Concession", { n, merkleRoot: merkleRoot ?? ZERO, rulingDigest: ZERO }) }
    },
  }
}

export type TestJob = Awaited<ReturnType<typeof makeJob>>

export const railOf = (rpc: string, deployment: Deployment): Rail => erc8183Rail({ client: clientOf(rpc), deployment })

/** The job in the store, as the API would have put it there. */
export const post = async (store: Store, { jobId, terms, termsHash }: TestJob): Promise<void> => {
  const added = await insertJob(store.db, {
    jobId,
    railRef: terms.ref,
    contractHash: terms.contractHash.slice(2),
    termsHash,
    buyer: terms.roles.buyer,
    contract: "{}",
    terms,
    createdAt: terms.clock.fundBy - 3_600,
    wakeAt: terms.clock.fundBy + 1,
  })
  if (!added) throw new Error("the job is there already")
}

/** The job as its stored events make it. */
export const load = async (store: Store, { jobId, terms }: TestJob): Promise<Job> =>
  foldJob(
    terms,
    (await readEvents(store.db, jobId)).map(({ event }) => event),
  )
