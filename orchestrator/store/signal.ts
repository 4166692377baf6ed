/** Tells listeners in any process that a job has new events (LISTEN/NOTIFY). A hint: the events are in the store. */
import { EVENTS_CHANNEL } from "./jobs.ts"
import type { SharedPool } from "./open.ts"

export type EventSignal = {
  /** Calls `listener` after events of a job were appended. Answers how to stop. */
  subscribe: (jobId: string, listener: () => void) => () => void
  /** Calls `listener` for every job. */
  subscribeAll: (listener: (jobId: string) => void) => () => void
  close: () => Promise<void>
}

type ListenClient = {
  query: (text: string) => Promise<unknown>
  on: (event: "notification" | "error", listener: (message: { channel: string; payload?: string }) => void) => unknown
  release: (destroy?: boolean) => void
}

/** Listens on one connection of the pool, and on another when that one breaks. */
export const openSignal = async (pool: SharedPool): Promise<EventSignal> => {
  const byJob = new Map<string, Set<() => void>>()
  const everyone = new Set<(jobId: string) => void>()
  let client: ListenClient | null = null
  let closed = false

  const tell = (jobId: string): void => {
    for (const listener of byJob.get(jobId) ?? []) listener()
    for (const listener of everyone) listener(jobId)
  }
  const connect = async (): Promise<void> => {
    const fresh = (await pool.connect()) as unknown as ListenClient
    fresh.on("notification", ({ channel, payload }) => {
      if (channel === EVENTS_CHANNEL && payload !== undefined) tell(payload)
    })
    fresh.on("error", () => {
      if (client !== fresh || closed) return
      client = null
      fresh.release(true)
      reconnect()
    })
    await fresh.query(`listen ${EVENTS_CHANNEL}`)
    client = fresh
    // What was appended while nobody listened: let everyone look.
    for (const jobId of byJob.keys()) tell(jobId)
  }
  const reconnect = (): void => {
    if (closed) return
    connect().catch(() => setTimeout(reconnect, 500).unref())
  }
  await connect()

  return {
    subscribe: (jobId, listener) => {
      const set = byJob.get(jobId) ?? new Set()
      set.add(listener)
      byJob.set(jobId, set)
      return () => {
        set.delete(listener)
        if (set.size === 0) byJob.delete(jobId)
      }
    },
    subscribeAll: (listener) => {
      everyone.add(listener)
      return () => everyone.delete(listener)
    },
    close: async () => {
      closed = true
      client?.release(true)
    },
  }
}
