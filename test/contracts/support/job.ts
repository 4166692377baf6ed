/** One job on a {@link World}: its terms, its signatures, and every act as a function that relays it. */
import { type Address, type Hex, hashStruct, keccak256, numberToHex, stringToHex, zeroHash } from "viem"
import {
  afgDomain,
  hashTerms,
  type MessageName,
  messageDigest,
  TERMS_TYPES,
  type Terms,
  termsDigest,
} from "../../../orchestrator/contract/messages.ts"
import { buyer, fallback, mediator, p256Confirmer, provider, verifier } from "./keys.ts"
import { CHAIN_ID, time, USDC, type World } from "./world.ts"

export const PASS = 1
export const FAIL = 2
export const INCONCLUSIVE = 3

export const STATES = [
  "DRAFT",
  "AGREED",
  "FUNDED",
  "SUBMITTED",
  "VERIFIED_PASS",
  "VERIFIED_FAIL",
  "DISPUTED",
  "RULED",
  "APPEALED",
  "RELEASED",
  "REFUNDED",
  "LAPSED",
] as const
export const OUTCOMES = ["NONE", "RELEASE", "REFUND"] as const
export const CAUSES = [
  "NONE",
  "CONCEDED",
  "REVIEW_ELAPSED",
  "FAIL_FINAL",
  "NO_SUBMISSION",
  "RULING",
  "DEFAULT_RULING",
  "PANEL",
  "EXPIRY",
  "UNBOUND",
  "ELSEWHERE",
  "NOT_FUNDED",
] as const

export const outcome = (name: (typeof OUTCOMES)[number]): number => OUTCOMES.indexOf(name)
export const cause = (name: (typeof CAUSES)[number]): number => CAUSES.indexOf(name)
export const state = (name: (typeof STATES)[number]): number => STATES.indexOf(name)

/** A deterministic 32-byte value for a label. */
export const hash = (label: string): Hex => keccak256(stringToHex(label))

/** What makes a signature: an EOA, or a wallet contract that answers for one. */
type Signer = { address: Address; sign: (args: { hash: Hex }) => Promise<Hex> }

export type Overrides = {
  clock?: Partial<Terms["clock"]>
  money?: Partial<Terms["money"]>
  roles?: Partial<Terms["roles"]>
  contractHash?: Hex
  /** Another escrow job than the one opened here. */
  ref?: Hex
}

/** Merkle record of a job with nothing submitted. */
export const EMPTY_RECORD = { deliverableHash: zeroHash, merkleRoot: zeroHash, documentHash: zeroHash } as const
export type Record_ = { [K in keyof typeof EMPTY_RECORD]: Hex }

let salts = 0

/** The end of every window and the margin: what `bind` wants of expiry at least. */
export const earliestExpiry = (clock: Omit<Terms["clock"], "expiry">): number =>
  clock.deliveryBy +
  clock.verification +
  Math.max(clock.buyerReview, clock.providerDispute) +
  clock.mediatorRuling +
  clock.appealFiling +
  clock.panelRuling +
  3_600

/** Opens an escrow job by the buyer's authorization and makes terms for it. Windows as in worked example A, 40.00 USDC. */
export const openJob = async (world: World, overrides: Overrides = {}) => {
  const { escrow, resolver, usdc } = world
  const now = await time.latest()
  const confirmer = p256Confirmer(world.p256Verifier)
  const windows = {
    fundBy: now + 3_600,
    deliveryBy: now + 172_800,
    verification: 1_800,
    buyerReview: 43_200,
    providerDispute: 43_200,
    mediatorRuling: 3_600,
    appealFiling: 43_200,
    panelRuling: 7_200,
    maxSubmissions: 3,
    ...overrides.clock,
  }
  const clock = { expiry: earliestExpiry(windows), ...windows }
  const money = {
    token: usdc.address,
    price: 40n * USDC,
    verifierFee: 0n,
    mediatorFee: 4n * USDC,
    mediatorBond: 40n * USDC,
    panelistBond: 10n * USDC,
    disputeDeposit: 4n * USDC,
    appealFee: 10n * USDC,
    mediationShareBps: 1_500,
    ...overrides.money,
  }
  const roles = {
    buyer: buyer.address,
    provider: provider.address,
    confirmer: confirmer.id,
    verifier: verifier.address,
    fallbackVerifier: fallback.address,
    mediator: mediator.address,
    rosterHash: hash("roster"),
    panelSize: 5,
    ...overrides.roles,
  }
  const authorization = {
    client: buyer.address,
    provider: provider.address,
    evaluator: resolver.address,
    expiredAt: BigInt(clock.expiry),
    budget: 40n * USDC,
    salt: hash(`salt-${salts++}`),
  }
  const signature = await buyer.signTypedData({
    domain: escrowDomain(escrow.address),
    types: CREATE_JOB_TYPES,
    primaryType: "CreateJob",
    message: authorization,
  })
  await escrow.write.createJobWithAuthorization([authorization, signature])
  const jobId = await escrow.read.jobCount()
  const terms: Terms = {
    contractHash: overrides.contractHash ?? hash("contract"),
    ref: overrides.ref ?? numberToHex(jobId, { size: 32 }),
    roles,
    money,
    clock,
  }
  return makeJob(world, jobId, terms)
}

export type Job = Awaited<ReturnType<typeof openJob>>

export const escrowDomain = (escrow: Address) =>
  ({ name: "AFG ERC8183 Escrow", version: "1", chainId: CHAIN_ID, verifyingContract: escrow }) as const

export const CREATE_JOB_TYPES = {
  CreateJob: [
    { name: "client", type: "address" },
    { name: "provider", type: "address" },
    { name: "evaluator", type: "address" },
    { name: "expiredAt", type: "uint256" },
    { name: "budget", type: "uint256" },
    { name: "salt", type: "bytes32" },
  ],
} as const

export const SUBMIT_JOB_TYPES = {
  SubmitJob: [
    { name: "jobId", type: "uint256" },
    { name: "deliverable", type: "bytes32" },
  ],
} as const

export const RECEIVE_TYPES = {
  ReceiveWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const

/** Terms as the calls after `bind` carry them. */
export const partsOf = (terms: Terms) => {
  const group = (primaryType: "Roles" | "Money", data: object): Hex => hashStruct({ types: TERMS_TYPES, primaryType, data: data as never })
  const { contractHash, ref, roles, clock } = terms
  const moneyHash = group("Money", terms.money)
  return {
    act: { contractHash, ref, roles, moneyHash, clock },
    time: { contractHash, ref, rolesHash: group("Roles", roles), moneyHash, clock },
  }
}

export const makeJob = (world: World, jobId: bigint, terms: Terms) => {
  const { escrow, resolver, usdc } = world
  const domain = afgDomain(CHAIN_ID, resolver.address)
  const termsHash = hashTerms(terms)
  const parts = partsOf(terms)
  const confirmer = p256Confirmer(world.p256Verifier)
  const ref = terms.ref

  const sign = (signer: Signer, name: MessageName, message: Record<string, unknown>): Promise<Hex> =>
    signer.sign({ hash: messageDigest(domain, name, { termsHash, ...message }) })
  const signTerms = (signer: Signer): Promise<Hex> => signer.sign({ hash: termsDigest(domain, terms) })

  const job = {
    world,
    jobId,
    ref,
    terms,
    termsHash,
    parts,
    domain,
    sign,
    signTerms,
    /** As it stands after the acts made through this object. */
    record: { ...EMPTY_RECORD } as Record_,
    n: 0,

    bindArgs: async (evidence: Hex = hash("evidence"), notAfter = terms.clock.fundBy) => {
      const confirmation = { evidenceDigest: evidence, notAfter }
      const digest = messageDigest(domain, "Confirmation", { termsHash, ...confirmation })
      return [
        terms,
        await signTerms(buyer),
        await signTerms(provider),
        await signTerms(mediator),
        confirmation,
        confirmer.signer,
        confirmer.sign(digest),
      ] as const
    },
    bind: async (): Promise<Hex> => resolver.write.bind([...(await job.bindArgs())]),

    /** The buyer's money is there and its ERC-3009 authorization is relayed. */
    fundArgs: async (amount = terms.money.price, salt = hash("fund")) => {
      const nonce = await escrow.read.fundingNonce([jobId, amount, salt])
      const validBefore = BigInt(terms.clock.expiry)
      const message = { from: buyer.address, to: escrow.address, value: amount, validAfter: 0n, validBefore, nonce }
      const signature = await buyer.signTypedData({
        domain: { name: "USD Coin", version: "2", chainId: CHAIN_ID, verifyingContract: usdc.address },
        types: RECEIVE_TYPES,
        primaryType: "ReceiveWithAuthorization",
        message,
      })
      return [jobId, amount, 0n, validBefore, salt, signature] as const
    },
    fund: async (): Promise<Hex> => {
      await usdc.write.mint([buyer.address, terms.money.price])
      return escrow.write.fundWithAuthorization([...(await job.fundArgs())])
    },

    railSubmitArgs: async (deliverable: Hex) => {
      const signature = await provider.signTypedData({
        domain: escrowDomain(escrow.address),
        types: SUBMIT_JOB_TYPES,
        primaryType: "SubmitJob",
        message: { jobId, deliverable },
      })
      return [jobId, deliverable, signature] as const
    },
    submitArgs: async (n: number, deliverable: Hex, signer: Signer = provider) => {
      const uriHash = hash(`uri-${n}`)
      const signature = await sign(signer, "Submission", { n, deliverableHash: deliverable, uriHash })
      return [ref, terms, job.record, n, deliverable, uriHash, signature] as const
    },
    /** Submission n + 1; the first also on the rail. */
    submit: async (deliverable: Hex = hash(`deliverable-${job.n + 1}`)): Promise<Hex> => {
      if (job.n === 0) await escrow.write.submitWithAuthorization([...(await job.railSubmitArgs(deliverable))])
      return job.submitOnly(deliverable)
    },
    submitOnly: async (deliverable: Hex = hash(`deliverable-${job.n + 1}`)): Promise<Hex> => {
      const tx = await resolver.write.submit([...(await job.submitArgs(job.n + 1, deliverable))])
      job.n += 1
      job.record = { ...EMPTY_RECORD, deliverableHash: deliverable }
      return tx
    },

    verdictArgs: async (finding: number, signer: Signer = verifier, root = hash(`root-${job.n}`)) => {
      const { deliverableHash } = job.record
      const signature = await sign(signer, "Verdict", { n: job.n, deliverableHash, verdict: finding, merkleRoot: root })
      return [ref, parts.act, job.record, job.n, finding, root, signature] as const
    },
    verdict: async (finding: number, signer: Signer = verifier, root = hash(`root-${job.n}`)): Promise<Hex> => {
      const tx = await resolver.write.verdict([...(await job.verdictArgs(finding, signer, root))])
      job.record = { ...job.record, merkleRoot: root }
      return tx
    },

    concedeArgs: async (party: 1 | 2, signer: Signer = party === 1 ? buyer : provider) => {
      const signature = await sign(signer, "Concession", { n: job.n, merkleRoot: job.record.merkleRoot, rulingDigest: zeroHash })
      return [ref, parts.act, job.record, job.n, party, signature] as const
    },
    concede: async (party: 1 | 2): Promise<Hex> => resolver.write.concede([...(await job.concedeArgs(party))]),

    settle: (): Promise<Hex> => resolver.write.settle([ref, parts.time, job.record]),
    lapse: (): Promise<Hex> => resolver.write.lapse([ref, parts.time]),
    refundUnbound: (): Promise<Hex> => resolver.write.refundUnbound([ref]),

    standing: async () => {
      const standing = await resolver.read.standingOf([ref, parts.time, job.record])
      return {
        state: STATES[standing.state],
        decision: OUTCOMES[standing.decision],
        outcome: OUTCOMES[standing.outcome],
        cause: CAUSES[standing.cause],
      }
    },
    facts: () => resolver.read.factsOf([ref]),
  }
  return job
}

/** A job that is bound, and funded unless told otherwise. */
export const boundJob = async (world: World, overrides: Overrides = {}): Promise<Job> => {
  const job = await openJob(world, overrides)
  await job.bind()
  return job
}

export const fundedJob = async (world: World, overrides: Overrides = {}): Promise<Job> => {
  const job = await boundJob(world, overrides)
  await job.fund()
  return job
}

export const submittedJob = async (world: World, overrides: Overrides = {}): Promise<Job> => {
  const job = await fundedJob(world, overrides)
  await job.submit()
  return job
}

type BindArgs = Awaited<ReturnType<Job["bindArgs"]>>

/** `bind` with some arguments replaced, by position. */
export const bindWith = (world: World, args: BindArgs, changes: Readonly<Record<number, unknown>> = {}): Promise<Hex> => {
  const changed = args.map((value, index) => (index in changes ? changes[index] : value))
  return world.resolver.write.bind(changed as unknown as Parameters<World["resolver"]["write"]["bind"]>[0])
}
