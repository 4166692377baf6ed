/** `GET /v1/jobs/{id}/events`: the job's history as server-sent events, from a cursor on, for as long as the client listens. */
import { streamSSE } from "hono/streaming"
import type { JobEvent } from "../../state-machine/index.ts"
import { readEvents } from "../../store/index.ts"
import type { ApiContext, ApiServices } from "../context.ts"
import { requireJob } from "../job-view.ts"
import { ApiError } from "../problem.ts"

/** A comment now and then, so that proxies and clients notice a dead connection. */
const KEEP_ALIVE_MS = 15_000

const cursorOf = (c: ApiContext): number => {
  const text = c.req.header("Last-Event-ID") || c.req.query("cursor") || "0"
  if (!/^\d{1,9}$/.test(text)) throw new ApiError("body_invalid", "cursor must be a position that an earlier event carried")
  return Number(text)
}

/** What listeners see: who did what when. Signatures are in the job itself, where they can be asked for. */
const publicEvent = (event: JobEvent): Record<string, unknown> => {
  const {
    signature: _signature,
    railAuthorization: _rail,
    ...rest
  } = event as JobEvent & { signature?: unknown; railAuthorization?: unknown }
  return rest
}

export const streamEvents = async (services: ApiServices, c: ApiContext, jobId: string): Promise<Response> => {
  await requireJob(services, jobId)
  let cursor = cursorOf(c)
  const { db, signal } = services.store
  // Nobody would read what is streamed into an answer without a body.
  if (c.req.method === "HEAD") return c.body(null, 200, { "Content-Type": "text/event-stream" })
  return streamSSE(c, async (stream) => {
    let changed = Promise.withResolvers<void>()
    const stop = signal.subscribe(jobId, () => changed.resolve())
    stream.onAbort(() => changed.resolve())
    try {
      while (!stream.aborted) {
        changed = Promise.withResolvers<void>()
        for (const { seq, event } of await readEvents(db, jobId, cursor)) {
          await stream.writeSSE({ id: String(seq), event: event.type, data: JSON.stringify(publicEvent(event)) })
          cursor = seq
        }
        const timer = setTimeout(changed.resolve, KEEP_ALIVE_MS)
        await changed.promise
        clearTimeout(timer)
        if (!stream.aborted) await stream.write(": \n\n")
      }
    } finally {
      stop()
    }
  })
}
