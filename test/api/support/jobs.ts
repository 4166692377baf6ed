/** Jobs of worked example A on a world's chain, taken as far as a test needs them. */
import { randomBytes } from "node:crypto"
import { createWalletClient, type Hex, hashTypedData, http, keccak256, stringToHex, zeroAddress } from "viem"
import { hardhat } from "viem/chains"
import { erc8183EscrowAbi } from "../../../deployments/abi/index.ts"
import type { ConcedeBody, ConfirmationBody, FundAnswer, SubmitBody } from "../../../orchestrator/api/schemas.ts"
import type { AfgClient, JobAnswer } from "../../../orchestrator/client/client.ts"
import { type Contract, domainOf, fromUnix, hashTerms, messageDigest, signTerms, termsOf } from "../../../orchestrator/contract/index.ts"
import type { MessageName } from "../../../orchestrator/contract/messages.ts"
import { sha256Hex } from "../../../orchestrator/json/index.ts"
import { type LocalRole, localAccount } from "../../../orchestrator/local-accounts.ts"
import { blobUri } from "../../../orchestrator/store/index.ts"
import { type Sha256, toBytes32 } from "../../../orchestrator/types.ts"
import { hashFiles, type TreeFile } from "../../../orchestrator/verifier-runner/files/tree.ts"
import { confirmAsPerson } from "../../../scripts/demo/person.ts"
import { built } from "../../contract/support/examples.ts"
import { type ApiWorld, agentOf, OPERATOR } from "./world.ts"

export const ZERO: Hex = `0x${"00".repeat(32)}`

const text = (path: string, content: string): TreeFile => ({ path, mode: "100644", bytes: Buffer.from(content) })

/** Inputs with bytes of their own, so that jobs do not share artifacts. */
const freshInputs = () => {
  const tag = randomBytes(8).toString("hex")
  return {
    repo: Buffer.from(`a repository ${tag}`),
    tests: [text("tests/test_open.py", `# ${tag}\n`)],
    hidden: [text("test_hidden.py", `# hidden ${tag}\n`)],
  }
}

export type Inputs = ReturnType<typeof freshInputs>

const now = async ({ node }: ApiWorld): Promise<number> => Number((await node.test.getBlock({ blockTag: "latest" })).timestamp)

let serial = 0
export const freshJobId = (): string => `afg:job:01M0AFGAPI${String(++serial).padStart(16, "0")}`

/** The escrow's job, unfunded, by the buyer's own transaction. */
const openOnRail = async (world: ApiWorld, expiry: number, price: bigint): Promise<string> => {
  const { node } = world
  const { ERC8183Escrow, AFGResolver } = node.deployment.contracts
  const wallet = createWalletClient({ account: localAccount("buyer").account, chain: hardhat, transport: http(node.rpc), cacheTime: 0 })
  const hash = await wallet.writeContract({
    address: ERC8183Escrow.address,
    abi: erc8183EscrowAbi,
    functionName: "createJobWithBudget",
    args: [localAccount("provider").address, AFGResolver.address, BigInt(expiry), "", zeroAddress, price],
  })
  await node.test.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  return (await node.test.readContract({ address: ERC8183Escrow.address, abi: erc8183EscrowAbi, functionName: "jobCount" })).toString()
}

export type Draft = { contract: Contract; inputs: Inputs }

/** A contract that the linter accepts on the world's chain. */
export const draft = async (world: ApiWorld, change: (contract: Contract) => Contract = (same) => same): Promise<Draft> => {
  const inputs = freshInputs()
  const at = await now(world)
  const expiry = at + 6 * 86_400
  const example = built("code-fix")
  const { ERC8183Escrow, AFGResolver, TestUSDC } = world.node.deployment.contracts
  const repo = sha256Hex(inputs.repo)
  const tests = hashFiles(inputs.tests)
  const hidden = hashFiles(inputs.hidden)
  const contract = change({
    ...example,
    job_id: freshJobId(),
    created_at: fromUnix(at),
    buyer: { ...example.buyer, operator_id: OPERATOR, confirmer: world.confirmation.signer as Hex },
    price: { ...example.price, token_address: TestUSDC.address },
    escrow: {
      ...example.escrow,
      contract: ERC8183Escrow.address,
      resolver: AFGResolver.address,
      escrow_ref: await openOnRail(world, expiry, 40_000_000n),
      fund_by: fromUnix(at + 43_200),
      expiry: fromUnix(expiry),
    },
    deadline: { ...example.deadline, delivery_by: fromUnix(at + 172_800) },
    inputs: [
      { name: "repo@base", uri: blobUri(repo as Sha256), sha256: repo as Sha256, sealed: false },
      { name: "tests", uri: "tests/", sha256: tests, sealed: false },
      { name: "hidden_tests", uri: "sealed", sha256: hidden, sealed: true },
    ],
    acceptance: {
      ...example.acceptance,
      checks: example.acceptance.checks.map((check) =>
        check.type === "test_suite_pass"
          ? { ...check, test_suite_sha256: tests, hidden_suite_sha256: hidden }
          : check.type === "hash_match"
            ? { ...check, expected: tests }
            : check,
      ),
    },
  })
  return { contract, inputs }
}

export const upload = async (buyer: AfgClient, inputs: Inputs, sealed = true): Promise<void> => {
  await buyer.putArtifact(inputs.repo)
  await buyer.putFolder(inputs.tests)
  await buyer.putFolder(inputs.hidden, sealed)
}

const SIGNERS = ["buyer", "provider", "mediator"] as const

export const signatureOf = (contract: Contract, role: (typeof SIGNERS)[number]): Promise<Hex> =>
  signTerms(contract, role, localAccount(role).account)

/** Posted, inputs stored, signed by all three. */
export const agreed = async (world: ApiWorld, change?: (contract: Contract) => Contract): Promise<Draft & { job: JobAnswer }> => {
  const made = await draft(world, change)
  await upload(agentOf(world, "buyer"), made.inputs)
  await agentOf(world, "buyer").postJob(made.contract)
  let job: JobAnswer | undefined
  for (const role of SIGNERS) job = await agentOf(world, role).sign(made.contract.job_id, role, await signatureOf(made.contract, role))
  if (job === undefined) throw new Error("three sign")
  return { ...made, job }
}

export type Decided = { evidence: string; confirmation: ConfirmationBody | undefined }

/** Lets the scripted person decide on what the API asks for. */
export const decide = async (world: ApiWorld, jobId: string, decision: "accept" | "reject" = "accept"): Promise<Decided> => {
  const request = await agentOf(world, "buyer").confirmationRequest(jobId)
  const { url } = world.confirmation
  const handed = await fetch(`${url}/requests`, {
    method: "POST",
    headers: { "content-type": "application/aacp-confirmation-request+json" },
    body: JSON.stringify(request),
  })
  if (!handed.ok) throw new Error(`the service refused the request: ${await handed.text()}`)
  const requestId = String(request["request-id"])
  await confirmAsPerson({ service: url, requestId, sessionSecret: world.session, decision, expect: { job_id: jobId } })
  const answer = (await (await fetch(`${url}/requests/${requestId}?wait=20`)).json()) as Decided
  return { evidence: answer.evidence, confirmation: answer.confirmation ?? undefined }
}

export const bound = async (world: ApiWorld, change?: (contract: Contract) => Contract) => {
  const made = await agreed(world, change)
  const decided = await decide(world, made.contract.job_id)
  const answer = await agentOf(world, "buyer").fund(made.contract.job_id, decided.evidence, decided.confirmation)
  return { ...made, decided, answer }
}

/** The buyer's authorization of the price, as the funding answer asks for it. */
export const authorizationFor = async ({ funding }: FundAnswer) => {
  if (funding === null) throw new Error("not bound")
  const { typed_data, salt, validAfter, validBefore } = funding.authorization as {
    typed_data: never
    salt: Hex
    validAfter: number
    validBefore: number
  }
  return { salt, validAfter, validBefore, signature: await localAccount("buyer").account.sign({ hash: hashTypedData(typed_data) }) }
}

export const funded = async (world: ApiWorld, change?: (contract: Contract) => Contract) => {
  const made = await bound(world, change)
  const buyer = agentOf(world, "buyer")
  const wallet = createWalletClient({
    account: localAccount("buyer").account,
    chain: hardhat,
    transport: http(world.node.rpc),
    cacheTime: 0,
  })
  const hash = await wallet.writeContract({
    address: world.node.deployment.contracts.TestUSDC.address,
    abi: MINT,
    functionName: "mint",
    args: [localAccount("buyer").address, 40_000_000n],
  })
  await world.node.test.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  await buyer.authorizeFunding(made.contract.job_id, await authorizationFor(made.answer))
  return { ...made, job: await buyer.until(made.contract.job_id, ({ tx }) => tx.fund !== null) }
}

const MINT = [
  {
    type: "function",
    name: "mint",
    stateMutability: "nonpayable",
    inputs: [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [],
  },
] as const

const sign = (contract: Contract, role: LocalRole, name: MessageName, message: Record<string, unknown>): Promise<Hex> =>
  localAccount(role).account.sign({
    hash: messageDigest(domainOf(contract), name, { termsHash: hashTerms(termsOf(contract)), ...message }),
  })

/** A submission of these bytes, signed twice: for the resolver, and for the escrow's own hand-in. */
export const submissionOf = async (world: ApiWorld, contract: Contract, bytes: Uint8Array, n = 1): Promise<SubmitBody> => {
  const sha256 = sha256Hex(bytes) as Sha256
  const uri = blobUri(sha256)
  const document = world.orchestrator().core.rail.railSubmission(termsOf(contract), sha256)
  return {
    n,
    uri,
    sha256,
    signature: await sign(contract, "provider", "Submission", {
      n,
      deliverableHash: toBytes32(sha256),
      uriHash: keccak256(stringToHex(uri)),
    }),
    ...(n > 1 || document === null
      ? {}
      : { railAuthorization: await localAccount("provider").account.sign({ hash: hashTypedData(document as never) }) }),
  }
}

export const concessionOf = async (
  contract: Contract,
  role: "buyer" | "provider",
  about: Partial<Omit<ConcedeBody, "signature">> = {},
): Promise<ConcedeBody> => {
  const message = { n: 0, merkleRoot: ZERO, rulingDigest: ZERO, ...about }
  return { ...message, signature: await sign(contract, role, "Concession", message) }
}
