/** `POST /v1/artifacts`, `GET /v1/artifacts/{sha256}`: bytes by their hash. Sealed ones are taken and never served. */
import { blobHash, describeBlob } from "../../store/index.ts"
import { requireAgent } from "../auth.ts"
import type { ApiContext, ApiServices } from "../context.ts"
import { ApiError } from "../problem.ts"
import type { ArtifactAnswer } from "../schemas.ts"

/** A misspelt wish to seal must not end in the open. */
const sealedOf = (wish: string | undefined): boolean => {
  if (wish === undefined || wish === "false") return false
  if (wish === "true") return true
  throw new ApiError("body_invalid", "sealed is true or false")
}

export const putArtifact = async (services: ApiServices, c: ApiContext): Promise<ArtifactAnswer> => {
  const agent = requireAgent(c)
  const sealed = sealedOf(c.req.query("sealed"))
  const announced = c.req.query("sha256")
  const { store } = services
  const bytes = c.get("body")
  const blob = describeBlob(bytes)
  if (announced !== undefined && announced.toLowerCase() !== blob.sha256)
    throw new ApiError("artifact_mismatch", `the bytes hash to ${blob.sha256}`)
  await store.blobs.put(bytes)
  await store.db
    .insertInto("afg.artifacts")
    .values({ sha256: blob.sha256, sealed, size: blob.size, stored_at: services.clocks.wall(), owner: agent })
    // Sealing cannot be undone by storing the same bytes again. Open bytes stay open: sealing what anyone could read would hide nothing.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return blob
}

export const getArtifact = async (services: ApiServices, reference: string): Promise<Uint8Array> => {
  const { store } = services
  const hash = blobHash(reference)
  const row = await store.db.selectFrom("afg.artifacts").select("sealed").where("sha256", "=", hash).executeTakeFirst()
  if (row === undefined) throw new ApiError("not_found", `no artifact ${hash}`)
  if (row.sealed) throw new ApiError("artifact_sealed", "this artifact is sealed")
  return store.blobs.get(hash)
}
