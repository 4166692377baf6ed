/** What one look at a job decides. Pure: the job as stored and two clocks in, what to perform or what to store out. */
import { type Action, foldJob, isAgreed, type Job, next, standingAt, TERMINAL_STATES } from "../state-machine/index.ts"
import { type DueJob, LONGEST_POSTPONEMENT_MS, type Projection } from "../store/index.ts"
import type { UnixSeconds } from "../types.ts"

export type Plan =
  /** Something is missing and may be tried now. */
  | { kind: "perform"; job: Job; actions: Action[] }
  /** Nothing to do now. */
  | { kind: "rest"; projection: Projection }

const earliest = (moments: readonly (UnixSeconds | null)[]): UnixSeconds | null => {
  const real = moments.filter((moment) => moment !== null)
  return real.length === 0 ? null : Math.min(...real)
}

/** Seconds from `nowMs` until a postponed action may be tried; 0 when it may be now; null when it never may. */
const waitOf = (due: DueJob, key: string, nowMs: number): number | null => {
  const state = due.actions.get(key)
  if (state === undefined) return 0
  if (state.refused) return null
  const ms = state.notBefore - nowMs
  // Further away than anyone postpones: the clock was set back since.
  return ms <= 0 || ms > LONGEST_POSTPONEMENT_MS ? 0 : Math.ceil(ms / 1000)
}

/** `now`: chain time. `nowMs`: wall clock, which alone says when something postponed may be tried again. */
export const planFor = (due: DueJob, now: UnixSeconds, nowMs: number): Plan => {
  const job = foldJob(due.terms, due.events)
  const { actions, wakeAt } = next(job, now)
  const waits = actions.map((action) => ({ action, wait: waitOf(due, action.key, nowMs) }))
  const ready = waits.filter(({ wait }) => wait === 0).map(({ action }) => action)
  if (ready.length > 0) return { kind: "perform", job, actions: ready }
  const { state } = standingAt(job.rules, job.facts, isAgreed(job), now)
  const retries = waits.map(({ wait }) => (wait === null ? null : now + wait))
  return {
    kind: "rest",
    projection: {
      jobId: due.jobId,
      lastSeq: due.lastSeq,
      state,
      open: !(TERMINAL_STATES.has(state) && actions.length === 0),
      wakeAt: earliest([wakeAt, ...retries]),
    },
  }
}
