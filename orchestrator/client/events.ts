/** The event stream of the API (server-sent events) as an async generator that survives lost connections. */
import { setTimeout as delay } from "node:timers/promises"
import { AfgError } from "../errors.ts"
import type { Transport } from "./transport.ts"

export type StreamedEvent = { cursor: number; type: string; data: Record<string, unknown> }

const RECONNECT_MS = 250

type Frame = { id?: string; event?: string; data: string[] }

/** Cuts a byte stream into SSE frames (WHATWG HTML §9.2.6; `\n` line ends, as our server writes). */
async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let rest = ""
  let frame: Frame = { data: [] }
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line === "") {
        if (frame.data.length > 0) yield frame
        frame = { data: [] }
      } else if (line.startsWith("id:")) frame.id = line.slice(3).trim()
      else if (line.startsWith("event:")) frame.event = line.slice(6).trim()
      else if (line.startsWith("data:")) frame.data.push(line.slice(5).trimStart())
    }
  }
}

const toEvent = (frame: Frame): StreamedEvent => ({
  cursor: Number(frame.id ?? 0),
  type: frame.event ?? "message",
  data: JSON.parse(frame.data.join("\n")) as Record<string, unknown>,
})

/** Events after `cursor`. Reconnects from the last cursor seen; ends only by `signal` or when the API stays away. */
export async function* readEvents(transport: Transport, path: string, cursor: number, signal?: AbortSignal): AsyncGenerator<StreamedEvent> {
  let last = cursor
  while (!signal?.aborted) {
    const response = await transport.raw(`${path}?cursor=${last}`, {
      headers: { Accept: "text/event-stream" },
      ...(signal === undefined ? {} : { signal }),
    })
    if (response.body === null) throw new AfgError("api-answer-malformed", `${path}: no event stream`)
    const before = last
    try {
      for await (const frame of frames(response.body as ReadableStream<Uint8Array>)) {
        const event = toEvent(frame)
        last = Math.max(last, event.cursor)
        yield event
      }
    } catch (error) {
      // The connection broke, or we stopped it; the next round resumes at the last cursor.
      if (signal?.aborted) return
      if (error instanceof AfgError) throw error
    }
    // A server that accepts and hangs up at once is not asked without pause.
    if (last === before) await delay(RECONNECT_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  }
}
