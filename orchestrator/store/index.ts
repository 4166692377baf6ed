/** The store: jobs, events, actions and blobs. PGlite or PostgreSQL underneath, the same above. */
import { join } from "node:path"
import { type BlobStore, openBlobs } from "./blobs.ts"
import { type OpenStore, openDatabase, type StoreOptions } from "./open.ts"
import { type EventSignal, openSignal } from "./signal.ts"

export { type ActionFailure, claimAction, failedActions, finishAction, nextTry, releaseActions } from "./actions.ts"
export { type BlobStore, blobHash, blobUri, describeBlob, openBlobs, type StoredBlob } from "./blobs.ts"
export { ERRORS } from "./errors.ts"
export {
  appendEvents,
  type Connection,
  countOpenJobs,
  dueJobs,
  findJob,
  findJobByRef,
  insertJob,
  loadJob,
  type NewJob,
  openJobs,
  orphanFrom,
  readEvents,
  type StoredEvent,
  type StoredJob,
  saveProjection,
} from "./jobs.ts"
export { migrate, type SharedPool, type StoreOptions } from "./open.ts"
export type { Database } from "./schema.ts"
export type { EventSignal } from "./signal.ts"

export type Store = OpenStore & { blobs: BlobStore; signal: EventSignal }

/** Opens everything under one data directory. Throws `store-in-use` or `store-unavailable`. */
export const openStore = async (options: StoreOptions): Promise<Store> => {
  const database = await openDatabase(options)
  try {
    const blobs = await openBlobs(join(options.dataDir, "blobs"))
    const signal = await openSignal(database.queuePool)
    return {
      ...database,
      blobs,
      signal,
      close: async () => {
        await signal.close()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
