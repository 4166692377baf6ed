/** What the reconciler is given, and what it gives. */
import type { Contract } from "../contract/index.ts"
import type { Action, Job } from "../state-machine/index.ts"
import type { Store } from "../store/index.ts"
import type { Timers } from "../timers/index.ts"
import type { UnixSeconds } from "../types.ts"

export type Clocks = {
  /** The chain's time, from its pending block. */
  chain: () => Promise<UnixSeconds>
  /** Wall clock in Unix milliseconds, for leases and pauses only. */
  wallMs: () => number
}

/** `contract` is parsed when it is first read. */
export type ActionContext = { readonly jobId: string; readonly job: Job; readonly contract: () => Promise<Contract> }

/**
 * Performs one action; doing it twice must have the effect of once. Throws an `AfgError` when it could not be done: it is tried again after a pause that
 * grows, or never with `details.permanent`. The result is kept with the action.
 */
export type Perform = (action: Action, context: ActionContext) => Promise<Record<string, unknown>>

export type Log = (level: "info" | "warn" | "error", message: string, details?: Record<string, unknown>) => void

export type ReconcilerOptions = { store: Store; timers: Timers; clocks: Clocks; perform: Perform; log: Log }

export type Reconciler = {
  /** Looks at a job, if it is due: performs what is missing, stores when to look again. Resolves when that is stored. */
  reconcile: (jobId: string) => Promise<void>
  /** Looks at every job that is due. Answers how many there were; what has to be performed for them may still be under way. */
  sweep: () => Promise<number>
  /** Has every job that is not over looked at, whatever its time. */
  sweepAll: () => Promise<number>
  /** Frees what dead processes held, sweeps, and from then on sweeps every `periodMs` (default 1,000). */
  start: (periodMs?: number) => Promise<void>
  /** No more sweeps; waits for what is under way. */
  stop: () => Promise<void>
}
