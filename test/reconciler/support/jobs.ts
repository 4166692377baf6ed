/** Many jobs that need nothing but time: each is refunded when its delivery date has passed without a submission. */
import type { ChainEvent } from "../../../orchestrator/state-machine/index.ts"
import { appendEvents, insertJob, type Store } from "../../../orchestrator/store/index.ts"
import { bound, funded, newJob, POSTED_AT, position, TERMS, word } from "../../store/support/jobs.ts"

/** The chain's answer to their settlement. */
export const refunded = (at: number): ChainEvent => ({
  source: "chain",
  type: "settled",
  at,
  outcome: "REFUND",
  cause: "NO_SUBMISSION",
  root: word("none"),
  position: position(3),
})

/** Posts jobs that are funded and due at the given moments of chain time. */
export const postFunded = async (store: Store, due: readonly (readonly [jobId: string, deliveryBy: number])[]): Promise<void> => {
  await Promise.all(
    due.map(async ([jobId, deliveryBy]) => {
      const terms = {
        ...TERMS,
        ref: word("ref", jobId),
        clock: { ...TERMS.clock, deliveryBy: deliveryBy - 1, expiry: deliveryBy + 1_000_000 },
      }
      await insertJob(store.db, newJob(jobId, { terms, wakeAt: POSTED_AT }))
      await appendEvents(store.db, jobId, [bound(1), funded(2)])
    }),
  )
}
