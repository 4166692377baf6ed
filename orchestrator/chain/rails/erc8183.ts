/** The ERC-8183 rail on our own escrow kernel. */
import { type Client, encodeAbiParameters, encodeFunctionData, hashTypedData, keccak256, stringToHex } from "viem"
import { readContract, verifyHash } from "viem/actions"
import { afgResolverAbi, batcherAbi, erc8183EscrowAbi, testUsdcAbi } from "../../../deployments/abi/index.ts"
import { hashGroup, type Terms } from "../../contract/messages.ts"
import type { Job } from "../../state-machine/index.ts"
import { type Address, type Hex, type Sha256, toBytes32 } from "../../types.ts"
import type { Deployment } from "../deployment.ts"
import { erc8183Logs } from "./erc8183-logs.ts"
import { type Call, type FundingAuthorization, RAIL_STATES, type Rail, type TypedDocument } from "./rail.ts"

const ZERO = `0x${"00".repeat(32)}` as const

/** The resolver's record of a job: what its head commits to besides the Terms. */
export const recordOf = ({ facts }: Job) => ({
  deliverableHash: facts.deliverableHash ?? ZERO,
  merkleRoot: facts.merkleRoot ?? ZERO,
  rulingDigest: facts.rulingDigest ?? ZERO,
  documentHash: facts.documentHash ?? ZERO,
})

/** Terms as an act by a role needs them: the money by its hash. */
export const actTerms = ({ contractHash, ref, roles, money, clock }: Terms) => ({
  contractHash,
  ref,
  roles,
  moneyHash: hashGroup("Money", money),
  clock,
})

/** Terms as the passage of time needs them: all but the clock by hash. */
export const timeTerms = ({ contractHash, ref, roles, money, clock }: Terms) => ({
  contractHash,
  ref,
  rolesHash: hashGroup("Roles", roles),
  moneyHash: hashGroup("Money", money),
  clock,
})

/** keccak256(abi.encode(chainId, escrow, "fund", jobId, amount, salt)): the authorization can pay for nothing else. */
export const fundingNonce = (chainId: number, escrow: Address, jobId: bigint, amount: bigint, salt: Hex): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: "uint256" }, { type: "address" }, { type: "string" }, { type: "uint256" }, { type: "uint256" }, { type: "bytes32" }],
      [BigInt(chainId), escrow, "fund", jobId, amount, salt],
    ),
  )

const RECEIVE_TYPES = {
  ReceiveWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const

const SUBMIT_TYPES = {
  SubmitJob: [
    { name: "jobId", type: "uint256" },
    { name: "deliverable", type: "bytes32" },
  ],
} as const

/** What the provider signs so that anyone may mark the escrow's own job submitted. */
export const submitDocument = (
  { chainId, escrow }: { chainId: number; escrow: Address },
  terms: Pick<Terms, "ref">,
  deliverable: Sha256,
): TypedDocument => ({
  domain: { name: "AFG ERC8183 Escrow", version: "1", chainId, verifyingContract: escrow },
  types: SUBMIT_TYPES,
  primaryType: "SubmitJob",
  message: { jobId: BigInt(terms.ref).toString(), deliverable: toBytes32(deliverable) },
})

export type Erc8183Options = { client: Client; deployment: Deployment }

export const erc8183Rail = ({ client, deployment }: Erc8183Options): Rail => {
  const { chainId, contracts } = deployment
  const escrow = contracts.ERC8183Escrow.address
  const resolver = contracts.AFGResolver.address
  const token = contracts.TestUSDC.address
  const jobIdOf = (terms: Terms): bigint => BigInt(terms.ref)
  const onResolver = (data: Hex, what: string): Call => ({ to: resolver, data, value: 0n, what })

  const receiveDocument = (terms: Terms, { salt, validAfter, validBefore }: Omit<FundingAuthorization, "signature">): TypedDocument => ({
    domain: { name: "USD Coin", version: "2", chainId, verifyingContract: token },
    types: RECEIVE_TYPES,
    primaryType: "ReceiveWithAuthorization",
    message: {
      from: terms.roles.buyer,
      to: escrow,
      value: terms.money.price.toString(),
      validAfter: String(validAfter),
      validBefore: String(validBefore),
      nonce: fundingNonce(chainId, escrow, jobIdOf(terms), terms.money.price, salt),
    },
  })

  return {
    name: "erc8183",
    escrow,
    resolver,
    logs: erc8183Logs(resolver, escrow),
    refOf: (terms) => terms.ref,

    view: async (terms) => {
      const state = await readContract(client, { address: resolver, abi: afgResolverAbi, functionName: "railStateOf", args: [terms.ref] })
      const status = RAIL_STATES[state] ?? "UNFUNDED"
      return { status, held: status === "FUNDED" || status === "RELEASABLE" ? terms.money.price : 0n }
    },

    fundingCalls: (terms, salt, window) => ({
      salt,
      transactions: [
        {
          to: token,
          value: 0n,
          what: "approve the escrow for the price (buyer's wallet)",
          data: encodeFunctionData({ abi: testUsdcAbi, functionName: "approve", args: [escrow, terms.money.price] }),
        },
        {
          to: escrow,
          value: 0n,
          what: "lock the price (buyer's wallet)",
          data: encodeFunctionData({ abi: erc8183EscrowAbi, functionName: "fund", args: [jobIdOf(terms), terms.money.price, "0x"] }),
        },
      ],
      authorization: receiveDocument(terms, { salt, ...window }),
    }),

    checkFunding: async (terms, authorization) =>
      verifyHash(client, {
        address: terms.roles.buyer,
        hash: hashTypedData(receiveDocument(terms, authorization) as unknown as Parameters<typeof hashTypedData>[0]),
        signature: authorization.signature,
      }),

    bind: (terms, { buyer, provider, mediator, confirmation }) =>
      onResolver(
        encodeFunctionData({
          abi: afgResolverAbi,
          functionName: "bind",
          args: [
            terms,
            buyer,
            provider,
            mediator,
            { evidenceDigest: confirmation.evidenceDigest, notAfter: confirmation.notAfter },
            confirmation.signer,
            confirmation.signature,
          ],
        }),
        "bind the signed Terms to the escrow's job",
      ),

    fund: (terms, { validAfter, validBefore, salt, signature }) => ({
      to: escrow,
      value: 0n,
      what: "lock the price by the buyer's authorization",
      data: encodeFunctionData({
        abi: erc8183EscrowAbi,
        functionName: "fundWithAuthorization",
        args: [jobIdOf(terms), terms.money.price, BigInt(validAfter), BigInt(validBefore), salt, signature],
      }),
    }),

    railSubmission: (terms, deliverable) => submitDocument({ chainId, escrow }, terms, deliverable),

    submit: (job, { n, sha256, uri, signature, railAuthorization }) => {
      const deliverable = toBytes32(sha256)
      const record = encodeFunctionData({
        abi: afgResolverAbi,
        functionName: "submit",
        args: [job.terms.ref, job.terms, recordOf(job), n, deliverable, keccak256(stringToHex(uri)), signature],
      })
      const what = `record submission ${n}`
      if (railAuthorization === null || job.railSubmitted) return onResolver(record, what)
      const onRail = encodeFunctionData({
        abi: erc8183EscrowAbi,
        functionName: "submitWithAuthorization",
        args: [jobIdOf(job.terms), deliverable, railAuthorization],
      })
      const calls = [
        { target: escrow, data: onRail },
        { target: resolver, data: record },
      ]
      const data = encodeFunctionData({ abi: batcherAbi, functionName: "batch", args: [calls] })
      return { to: contracts.Batcher.address, data, value: 0n, what: `${what}, and hand it in on the escrow` }
    },

    verdict: (job, { n, verdict, merkleRoot, signature }) =>
      onResolver(
        encodeFunctionData({
          abi: afgResolverAbi,
          functionName: "verdict",
          args: [job.terms.ref, actTerms(job.terms), recordOf(job), n, verdict, merkleRoot, signature],
        }),
        `record the verdict on submission ${n}`,
      ),

    concede: (job, { n, by, signature }) =>
      onResolver(
        encodeFunctionData({
          abi: afgResolverAbi,
          functionName: "concede",
          args: [job.terms.ref, actTerms(job.terms), recordOf(job), n, by === "buyer" ? 1 : 2, signature],
        }),
        by === "buyer" ? "accept the work" : "give the job up",
      ),

    settle: (job) =>
      onResolver(
        encodeFunctionData({ abi: afgResolverAbi, functionName: "settle", args: [job.terms.ref, timeTerms(job.terms), recordOf(job)] }),
        "execute the decision",
      ),

    lapse: (job) =>
      onResolver(
        encodeFunctionData({ abi: afgResolverAbi, functionName: "lapse", args: [job.terms.ref, timeTerms(job.terms)] }),
        "record that the job was not funded in time",
      ),

    refundUnbound: (terms) =>
      onResolver(
        encodeFunctionData({ abi: afgResolverAbi, functionName: "refundUnbound", args: [terms.ref] }),
        "refund money on a reference that is not bound",
      ),
  }
}
