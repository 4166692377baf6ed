/** Performs actions: claimed first, recorded after, so that it has the effect of once whoever else looks at the job meanwhile. */
import { isAfgError } from "../errors.ts"
import { failpoint } from "../failpoints.ts"
import type { Action } from "../state-machine/index.ts"
import { type ActionEnd, type ActionFailure, claimAction, finishAction } from "../store/index.ts"
import type { ActionContext, ReconcilerOptions } from "./types.ts"

/** Nobody else performs an action meanwhile; longer than a transaction's inclusion usually takes. */
const LEASE_MS = 60_000
/** An action was done, but its event is still missing: the chain may have dropped it. */
const SETTLE_MS = 20_000
/** A verification was ordered, but no verdict is there: the queue may have lost the order, and asking again is asking once. */
const VERIFICATION_SETTLE_MS = 5_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 600_000

/** Pause after the given attempt, the first being 1. */
export const pauseAfter = (attempt: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)

const failureOf = (error: unknown): ActionFailure =>
  isAfgError(error)
    ? { code: error.code, message: error.message }
    : { code: "internal", message: error instanceof Error ? error.message : String(error) }

const isPermanent = (error: unknown): boolean => isAfgError(error) && error.details?.permanent === true

type Parts = Pick<ReconcilerOptions, "store" | "clocks" | "perform" | "log">

/** One action, if it can be claimed. Rejects only when the store fails. */
export const performAction = async ({ store, clocks, perform, log }: Parts, action: Action, context: ActionContext): Promise<void> => {
  const { jobId } = context
  const { key } = action
  const attempt = await claimAction(store.db, jobId, key, clocks.wallMs(), LEASE_MS, store.holder)
  if (attempt === null) return
  failpoint("reconcile.claimed")
  let end: ActionEnd
  try {
    const result = await perform(action, context)
    failpoint("reconcile.performed")
    const nowMs = clocks.wallMs()
    end = { result, nowMs, again: nowMs + (action.kind === "verify" ? VERIFICATION_SETTLE_MS : SETTLE_MS) }
    log("info", "performed", { job: jobId, action: key, ...result })
  } catch (error) {
    const failure = failureOf(error)
    const nowMs = clocks.wallMs()
    end = isPermanent(error) ? { refusal: failure, nowMs } : { failure, nowMs, again: nowMs + pauseAfter(attempt) }
    log("warn", "not performed", { job: jobId, action: key, attempt, ...failure })
  }
  await finishAction(store.db, jobId, key, end)
  failpoint("reconcile.finished")
}
