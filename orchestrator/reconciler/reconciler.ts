/**
 * Makes "next" true: loads a job, performs the actions that are missing, stores when to look again. Called at any time, any number of times, by any
 * number of processes.
 */
import { type Contract, parseContract, termsOf } from "../contract/index.ts"
import { isAfgError } from "../errors.ts"
import { failpoint } from "../failpoints.ts"
import { type Action, isAgreed, type Job, next, standingAt, TERMINAL_STATES } from "../state-machine/index.ts"
import {
  type ActionFailure,
  claimAction,
  dueJobs,
  findJob,
  finishAction,
  loadJob,
  nextTry,
  openJobs,
  type Store,
  saveProjection,
} from "../store/index.ts"
import type { Timers } from "../timers/index.ts"
import type { UnixSeconds } from "../types.ts"

export type Clocks = {
  /** The chain's time, from its pending block. */
  chain: () => Promise<UnixSeconds>
  /** Wall clock in Unix milliseconds, for leases and pauses only. */
  wallMs: () => number
}

export type ActionContext = { jobId: string; contract: Contract; job: Job }

/** Performs one action. Throws an `AfgError` when it could not be done; the result is kept with the action. */
export type Perform = (action: Action, context: ActionContext) => Promise<Record<string, unknown>>

export type Log = (level: "info" | "warn" | "error", message: string, details?: Record<string, unknown>) => void

export type ReconcilerOptions = { store: Store; timers: Timers; clocks: Clocks; perform: Perform; log: Log }

export type Reconciler = {
  reconcile: (jobId: string) => Promise<void>
  /** Enqueues every job whose time has come. Answers how many. */
  sweep: () => Promise<number>
  /** Enqueues every job that is not over, whatever its time: at start, and after a reorganisation. */
  sweepAll: () => Promise<number>
}

/** Nobody else performs an action meanwhile; longer than a transaction's inclusion usually takes. */
const LEASE_MS = 60_000
/** An action was done, but its event is still missing: the chain may have dropped it. */
const SETTLE_MS = 20_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 600_000
const SWEEP_BATCH = 1_000

const pauseAfter = (attempt: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)

const failureOf = (error: unknown): ActionFailure =>
  isAfgError(error)
    ? { code: error.code, message: error.message }
    : { code: "internal", message: error instanceof Error ? error.message : String(error) }

const encode = new TextEncoder()

export const createReconciler = ({ store, timers, clocks, perform, log }: ReconcilerOptions): Reconciler => {
  const performOne = async (action: Action, context: ActionContext): Promise<void> => {
    const { jobId } = context
    const attempt = await claimAction(store.db, jobId, action.key, clocks.wallMs(), LEASE_MS)
    if (attempt === null) return
    failpoint("reconcile.claimed")
    try {
      const result = await perform(action, context)
      failpoint("reconcile.performed")
      const nowMs = clocks.wallMs()
      await finishAction(store.db, jobId, action.key, { result, nowMs, again: nowMs + SETTLE_MS })
      failpoint("reconcile.finished")
      log("info", "performed", { job: jobId, action: action.key, ...result })
    } catch (error) {
      const failure = failureOf(error)
      const nowMs = clocks.wallMs()
      await finishAction(store.db, jobId, action.key, { failure, nowMs, again: nowMs + pauseAfter(attempt) })
      log("warn", "not performed", { job: jobId, action: action.key, attempt, ...failure })
    }
  }

  const reconcile = async (jobId: string): Promise<void> => {
    const stored = await findJob(store.db, jobId)
    if (stored === null) return
    const contract = parseContract(encode.encode(stored.contract))
    const terms = termsOf(contract)
    const { job } = await loadJob(store.db, jobId, terms)
    failpoint("reconcile.loaded")
    const { actions } = next(job, await clocks.chain())
    await Promise.all(actions.map((action) => performOne(action, { jobId, contract, job })))

    // Performing took time and may have brought events: what is stored is the state after it.
    const { job: after } = await loadJob(store.db, jobId, terms)
    const now = await clocks.chain()
    const plan = next(after, now)
    const standing = standingAt(after.rules, after.facts, isAgreed(after), now)
    const over = TERMINAL_STATES.has(standing.state) && plan.actions.length === 0
    const retryMs = await nextTry(
      store.db,
      jobId,
      plan.actions.map(({ key }) => key),
    )
    const retryAt = retryMs === null ? null : now + Math.max(1, Math.ceil((retryMs - clocks.wallMs()) / 1000))
    const wakeAt = earliest(plan.wakeAt, plan.actions.length > 0 && retryAt === null ? now : retryAt)
    await saveProjection(store.db, jobId, { state: standing.state, open: !over, wakeAt })
    failpoint("reconcile.projected")
    if (wakeAt !== null) await timers.wake(jobId, wakeAt, wakeAt - now)
  }

  const enqueue = async (jobIds: readonly string[]): Promise<number> => {
    await Promise.all(jobIds.map((jobId) => timers.poke(jobId)))
    return jobIds.length
  }

  return {
    reconcile,
    sweep: async () => enqueue(await dueJobs(store.db, await clocks.chain(), SWEEP_BATCH)),
    sweepAll: async () => enqueue(await openJobs(store.db)),
  }
}

const earliest = (a: UnixSeconds | null, b: UnixSeconds | null): UnixSeconds | null => (a === null ? b : b === null ? a : Math.min(a, b))
