/** A job as the API shows it (`docs/api.md`). */
import { type Contract, formatAmount, parseContract, termsOf } from "../contract/index.ts"
import { assess, type Job, next } from "../state-machine/index.ts"
import { failedActions, findJob, loadJob, type StoredJob } from "../store/index.ts"
import { fromBytes32 } from "../types.ts"
import type { ApiServices } from "./context.ts"
import { ApiError } from "./problem.ts"
import type { JobAnswer } from "./schemas.ts"

export type LoadedJob = { stored: StoredJob; contract: Contract; job: Job; cursor: number }

const encoder = new TextEncoder()
/** Decimal places of the escrow view's amount, which is the price's token: USDC. */
const DECIMALS = 6

/** Whether the text can be a job's id at all: nothing else is looked up. */
export const isJobId = (text: string): boolean => /^[\x21-\x7e]{1,128}$/.test(text)

/** Throws `not_found`. */
export const requireJob = async ({ store }: Pick<ApiServices, "store">, jobId: string): Promise<LoadedJob> => {
  const stored = isJobId(jobId) ? await findJob(store.db, jobId) : null
  if (stored === null) throw new ApiError("not_found", "there is no such job")
  const contract = parseContract(encoder.encode(stored.contract))
  const { job, cursor } = await loadJob(store.db, jobId, termsOf(contract))
  return { stored, contract, job, cursor }
}

const submissionsOf = (job: Job): JobAnswer["submissions"] =>
  job.submissions.map((submission) => {
    const received = job.messages.submissions.find(({ n }) => n === submission.n)
    const last = submission.verdicts.at(-1)
    const signed = job.messages.verdicts.find(({ n, merkleRoot }) => n === submission.n && merkleRoot === last?.merkleRoot)
    return {
      n: submission.n,
      uri: received?.uri ?? null,
      sha256: fromBytes32(submission.deliverableHash),
      at: submission.at,
      ...(last === undefined ? {} : { verdict: last.verdict, merkle_root: last.merkleRoot }),
      ...(signed === undefined ? {} : { bundle: signed.bundle }),
    }
  })

const transactionsOf = (job: Job): JobAnswer["tx"] => ({
  bind: job.tx.bound ?? null,
  fund: job.tx.funded ?? null,
  submit: job.submissions.map(({ tx }) => tx),
  verdict: job.submissions.flatMap(({ verdicts }) => verdicts.map(({ tx }) => tx)),
  settle: job.tx.settled ?? job.tx.settledElsewhere ?? null,
})

/** The contract with the signatures that were collected since it was posted. */
const signedContract = (contract: Contract, job: Job): unknown => {
  const signatures = { ...contract.signatures, ...job.messages.signed }
  return Object.keys(signatures).length === 0 ? contract : { ...contract, signatures }
}

export const jobView = async (services: ApiServices, loaded: LoadedJob): Promise<JobAnswer> => {
  const { stored, contract, job, cursor } = loaded
  const now = await services.clocks.chain()
  const assessment = assess(job, now)
  const [view, failures] = await Promise.all([services.rail.view(job.terms), failedActions(services.store.db, stored.jobId)])
  const wanted = new Set(next(job, now).actions.map(({ key }) => key))
  return {
    job_id: stored.jobId,
    contract_hash: stored.contractHash as JobAnswer["contract_hash"],
    terms_hash: stored.termsHash,
    state: assessment.state,
    decision: assessment.decision,
    cause: assessment.cause,
    contract: signedContract(contract, job),
    submissions: submissionsOf(job),
    deadlines: assessment.deadlines,
    can: assessment.can,
    escrow: { status: view.status, amount: formatAmount(view.held, DECIMALS) },
    tx: transactionsOf(job),
    next: assessment.next,
    // What failed once and is not wanted any more is history.
    failures: failures.filter(({ key }) => wanted.has(key)).map(({ key, code, message }) => ({ action: key, code, message })),
    cursor,
  }
}

/** The first state of the job that satisfies `wanted`, or the latest one when `timeoutMs` has passed. */
export const awaitJob = async (
  services: ApiServices,
  jobId: string,
  wanted: (job: Job) => boolean,
  timeoutMs: number,
): Promise<LoadedJob> => {
  let changed = Promise.withResolvers<void>()
  const stop = services.store.signal.subscribe(jobId, () => changed.resolve())
  const deadline = performance.now() + timeoutMs
  try {
    for (;;) {
      // Renewed before loading: what is appended from here on wakes the wait below.
      changed = Promise.withResolvers<void>()
      const loaded = await requireJob(services, jobId)
      const left = deadline - performance.now()
      if (wanted(loaded.job) || left <= 0) return loaded
      const timer = setTimeout(changed.resolve, left)
      await changed.promise
      clearTimeout(timer)
    }
  } finally {
    stop()
  }
}
