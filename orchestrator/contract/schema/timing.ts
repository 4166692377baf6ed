/** AFG §5 and §9: until when. */
import { z } from "zod"
import { seconds, time } from "./primitives.ts"

export const deadline = z
  .strictObject({ delivery_by: time, max_submissions: z.int().min(1).max(255) })
  .meta({ description: "Resubmissions are allowed until delivery_by" })

export const windows = z
  .strictObject({
    verification_s: seconds,
    buyer_review_s: seconds,
    provider_dispute_s: seconds,
    mediator_ruling_s: seconds,
    appeal_filing_s: seconds,
    panel_ruling_s: seconds,
  })
  .meta({ description: "Spans in seconds, each counted from the act before it" })
