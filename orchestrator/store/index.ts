/** The store: jobs, events, actions and blobs. PGlite or PostgreSQL underneath, the same above. */
import { join } from "node:path"
import { type BlobStore, openBlobs } from "./blobs.ts"
import { type OpenStore, openDatabase, type StoreOptions } from "./open.ts"

export {
  type ActionEnd,
  type ActionFailure,
  claimAction,
  failedActions,
  finishAction,
  LONGEST_POSTPONEMENT_MS,
} from "./actions.ts"
export { type BlobStore, blobHash, blobUri, describeBlob, openBlobs, type StoredBlob } from "./blobs.ts"
export type { EventSignal } from "./changes.ts"
export { ERRORS } from "./errors.ts"
export { appendEvents, loadJob, orphanFrom, readEvents, type StoredEvent } from "./events.ts"
export {
  contractOf,
  countOpenJobs,
  findJob,
  findJobByRef,
  insertJob,
  type NewJob,
  type StoredJob,
} from "./jobs.ts"
export {
  type ActionState,
  type DueJob,
  type DuePlace,
  dueJobs,
  loadDue,
  markDue,
  markOpenDue,
  type Projection,
  saveProjections,
} from "./looks.ts"
export { isEmbedded, type SharedPool, type StoreOptions } from "./open.ts"
export type { Database } from "./schema.ts"
export type { Connection } from "./transactions.ts"

export type Store = OpenStore & { blobs: BlobStore }

/** Opens everything under one data directory. Throws `store-in-use`, `store-unavailable` or `store-newer`. */
export const openStore = async (options: StoreOptions): Promise<Store> => {
  const database = await openDatabase(options)
  try {
    return { ...database, blobs: await openBlobs(join(options.dataDir, "blobs")) }
  } catch (error) {
    await database.close()
    throw error
  }
}
