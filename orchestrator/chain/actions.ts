/** The lifecycle's actions as transactions. */
import { type OutcomeName, VERDICTS } from "../contract/messages.ts"
import { AfgError } from "../errors.ts"
import { type Action, type ActMessage, isAgreed, type Job, type MessageOf, type VerifierRole } from "../state-machine/index.ts"
import type { Hex } from "../types.ts"
import type { Keeper } from "./keeper.ts"
import type { Call, Rail } from "./rails/rail.ts"

/** Everything but running the checks. */
export type ChainAction = Exclude<Action, { kind: "verify" }>

export const isChainAction = (action: Action): action is ChainAction => action.kind !== "verify"

const bindCall = (rail: Rail, job: Job, { evidenceDigest, notAfter, signer, signature }: MessageOf<"confirmed">): Call => {
  const { buyer, provider, mediator } = job.messages.signed
  if (!isAgreed(job) || buyer === undefined || provider === undefined || mediator === undefined)
    throw new AfgError("chain_refused", "the Terms are not signed by all", { details: { error: "unsigned" } })
  return rail.bind(job.terms, { buyer, provider, mediator, confirmation: { evidenceDigest, notAfter, signer, signature } })
}

const actCall = (rail: Rail, job: Job, message: ActMessage): Call => {
  if (message.type === "concessionReceived") return rail.concede(job, message)
  throw new AfgError("rail_unsupported", `the resolver at ${rail.resolver} takes no ${message.type.replace("Received", "")} yet`)
}

/** The transaction that performs the action, for the keeper or for anyone else who wants to send it. */
export const callFor = (rail: Rail, job: Job, action: ChainAction): Call => {
  switch (action.kind) {
    case "relay-bind":
      return bindCall(rail, job, action.message)
    case "relay-fund":
      return rail.fund(job.terms, action.message)
    case "relay-submission":
      return rail.submit(job, action.message)
    case "relay-verdict": {
      const { n, verdict, merkleRoot, signature } = action.message
      return rail.verdict(job, { n, verdict: VERDICTS[verdict], merkleRoot, signature })
    }
    case "relay-act":
      return actCall(rail, job, action.message)
    case "settle":
      return rail.settle(job)
    case "lapse":
      return rail.lapse(job)
    case "refund-unbound":
      return rail.refundUnbound(job.terms)
  }
}

/** What the reconciler keeps with a performed action. */
export type Performed = { tx: Hex; block: number; gas: string; outcome?: OutcomeName }

type VerificationOrder = { jobId: string; n: number; by: VerifierRole; key: string }

export type PerformOptions = {
  rail: Rail
  keeper: Keeper
  /** Has submission n checked; asking twice has the effect of once. */
  enqueueVerification: (order: VerificationOrder) => Promise<unknown>
}

/** Performs any action of the lifecycle. Throws as {@link performOnChain} does. */
export const performActions =
  ({ rail, keeper, enqueueVerification }: PerformOptions) =>
  async (action: Action, context: { jobId: string; job: Job }): Promise<Record<string, unknown>> => {
    if (isChainAction(action)) return performOnChain({ rail, keeper }, action, context)
    const { n, by, key } = action
    await enqueueVerification({ jobId: context.jobId, n, by, key })
    return { n, by }
  }

/** Performs a chain action through the keeper. Throws what the keeper throws, or `rail_unsupported`. */
export const performOnChain = async (
  { rail, keeper }: { rail: Rail; keeper: Keeper },
  action: ChainAction,
  { jobId, job }: { jobId: string; job: Job },
): Promise<Performed> => {
  const sent = await keeper.send(action.key, callFor(rail, job, action), { jobId })
  return action.kind === "settle" ? { ...sent, outcome: action.outcome } : sent
}
