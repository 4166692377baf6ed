/**
 * Makes "next" true: looks at jobs that are due, performs the actions that are missing, stores when to look again. Called at any time, any number of
 * times, by any number of processes.
 *
 * Looks are taken together: one query loads a batch of jobs and one statement stores what was found, so ten thousand jobs that are due in the same
 * second cost little more than their reading. Performing takes as long as it takes, outside the batches.
 */
import { AfgError } from "../errors.ts"
import { failpoint } from "../failpoints.ts"
import {
  contractOf,
  type DueJob,
  type DuePlace,
  dueJobs,
  findJob,
  loadDue,
  markOpenDue,
  type Projection,
  saveProjections,
} from "../store/index.ts"
import type { UnixSeconds } from "../types.ts"
import { createLimit } from "./limit.ts"
import { performAction } from "./performing.ts"
import { type Plan, planFor } from "./plan.ts"
import { createSweeper } from "./sweeper.ts"
import type { ActionContext, Reconciler, ReconcilerOptions } from "./types.ts"
import { createWorkList, type Detach } from "./work-list.ts"

const BATCH = 250
/** The embedded database serves one at a time anyway. */
const BATCHES = { pglite: 1, postgres: 3 } as const
/** Jobs for which something is performed at the same time. */
const PERFORMING = 64
/** Seconds until a job that could not be judged is looked at again. */
const UNJUDGED_S = 60
/** Due jobs that a sweep asks for at a time. */
const PAGE = 1_000

export const createReconciler = (options: ReconcilerOptions): Reconciler => {
  const { store, timers, clocks, log } = options
  const limit = createLimit(PERFORMING)
  /** Timers being set: a hint must not hold up the next batch, but closing waits for it. */
  const hints = new Set<Promise<void>>()

  const performAll = async ({ jobId }: DueJob, { job, actions }: Extract<Plan, { kind: "perform" }>): Promise<void> => {
    const contract: ActionContext["contract"] = async () => {
      const stored = await findJob(store.db, jobId)
      if (stored === null) throw new AfgError("job-unknown", `job ${jobId} is gone`)
      return contractOf(stored.contract)
    }
    await Promise.all(actions.map((action) => performAction(options, action, { jobId, job, contract })))
  }

  const setTimers = (projections: readonly Projection[], now: UnixSeconds): void => {
    const wakes = projections.flatMap(({ jobId, wakeAt }) => (wakeAt === null ? [] : [{ jobId, at: wakeAt, delay: wakeAt - now }]))
    const hint = timers.wakeAll(wakes).finally(() => hints.delete(hint))
    hints.add(hint)
  }

  /** A job that cannot be judged must not hold up the others of its batch, nor be tried with each of them. */
  const decide = (due: DueJob, now: UnixSeconds): Plan => {
    try {
      return planFor(due, now, clocks.wallMs())
    } catch (error) {
      log("error", "cannot judge", { job: due.jobId, reason: error instanceof Error ? error.message : String(error) })
      const { jobId, lastSeq } = due
      return { kind: "rest", projection: { jobId, lastSeq, state: null, open: true, wakeAt: now + UNJUDGED_S } }
    }
  }

  const look = async (jobIds: readonly string[], detach: Detach): Promise<Iterable<string>> => {
    const now = await clocks.chain()
    const due = await loadDue(store.db, jobIds, now)
    failpoint("reconcile.loaded")
    const found: Projection[] = []
    for (const one of due) {
      const plan = decide(one, now)
      if (plan.kind === "rest") found.push(plan.projection)
      else
        detach(
          one.jobId,
          limit(() => performAll(one, plan)),
        )
    }
    if (found.length === 0) return []
    failpoint("reconcile.saving")
    const saved = await saveProjections(store.db, found)
    failpoint("reconcile.projected")
    setTimers(
      found.filter(({ jobId }) => saved.has(jobId)),
      now,
    )
    return found.map(({ jobId }) => jobId).filter((jobId) => !saved.has(jobId))
  }
  const list = createWorkList({ size: BATCH, parallel: BATCHES[store.kind], work: look })

  const sweepAlone = async (): Promise<number> => {
    const now = await clocks.chain()
    let count = 0
    let after: DuePlace | null = null
    for (;;) {
      const page: DuePlace[] = await dueJobs(store.db, now, PAGE, after)
      count += page.length
      await Promise.all(page.map(({ jobId }) => list.offer(jobId)))
      after = page.at(-1) ?? null
      if (page.length < PAGE) return count
    }
  }
  const sweeper = createSweeper({
    sweep: async () => {
      await store.releaseDead(clocks.wallMs())
      failpoint("reconcile.released")
      // One process at a time: two would look at the same jobs. Null: another one is sweeping.
      return (await store.alone("sweep", sweepAlone)) ?? 0
    },
    log,
  })

  return {
    reconcile: list.want,
    sweep: sweeper.sweep,
    sweepAll: async () => {
      const marked = await markOpenDue(store.db)
      await sweeper.sweep()
      return marked
    },
    start: (periodMs = 1_000) => sweeper.start(periodMs),
    stop: async () => {
      await sweeper.stop()
      await list.stop()
      await Promise.all(hints)
    },
  }
}
