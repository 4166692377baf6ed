/** How large a request's body may be: known before any of it is read, and before anyone is believed. */
import { DEFAULT_LIMITS } from "../json/index.ts"
import { contractOf, findJob } from "../store/index.ts"
import type { ApiContext, ApiServices } from "./context.ts"
import { isJobId } from "./job-view.ts"
import { ApiError } from "./problem.ts"
import { SIGNATURE_HEADERS } from "./signed-request.ts"

/**
 * Artifacts may have `maxArtifactBytes`. With `?job=ID`, that job's provider may store what the contract allows a deliverable, up to the operator's
 * `maxDeliverableBytes`. The address is only claimed at this point; the signature, which covers the body, decides afterwards.
 */
const artifactLimit = async (services: ApiServices, c: ApiContext): Promise<number> => {
  const { maxArtifactBytes, maxDeliverableBytes } = services.limits
  const jobId = c.req.query("job")
  if (jobId === undefined) return maxArtifactBytes
  const stored = isJobId(jobId) ? await findJob(services.store.db, jobId) : null
  if (stored === null) throw new ApiError("not_found", "there is no such job")
  const { deliverable, provider } = contractOf(stored.contract)
  if (c.req.header(SIGNATURE_HEADERS.address)?.toLowerCase() !== provider.wallet.toLowerCase()) return maxArtifactBytes
  return Math.max(maxArtifactBytes, Math.min(deliverable.max_size_bytes, maxDeliverableBytes))
}

export const bodyLimit = (services: ApiServices, c: ApiContext): Promise<number> | number =>
  c.req.method === "POST" && c.req.path === "/v1/artifacts" ? artifactLimit(services, c) : DEFAULT_LIMITS.maxBytes
