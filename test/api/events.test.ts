/** `GET /v1/jobs/{id}/events`: the history from a cursor on, without gaps or repetitions, across restarts. */
import assert from "node:assert/strict"
import { after, before, beforeEach, describe, it } from "node:test"
import { type AfgClient, createAfgClient } from "../../orchestrator/client/client.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { appendEvents, insertJob } from "../../orchestrator/store/index.ts"
import { newJob, posted, signed } from "../store/support/jobs.ts"
import { type QuietApi, send, startQuietApi } from "./support/quiet.ts"

describe("events", () => {
  let api: QuietApi
  let jobId: string
  let serial = 0
  before(async () => {
    api = await startQuietApi()
  })
  after(async () => {
    await api.stop()
  })
  beforeEach(async () => {
    jobId = `afg:job:EVENTS0000${serial++}`
    await insertJob(api.store().db, newJob(jobId))
    await appendEvents(api.store().db, jobId, [posted(), signed("buyer")])
  })
  const client = (): AfgClient => {
    const { account, address } = localAccount("buyer")
    return createAfgClient({ api: api.origin, signer: { address, signMessage: (message) => account.signMessage({ message }) } })
  }
  const path = (query = ""): string => `/v1/jobs/${encodeURIComponent(jobId)}/events${query}`

  /** Bytes of the stream until `enough`, then hangs up. */
  const listen = async (query: string, enough: (text: string) => boolean, headers: Record<string, string> = {}): Promise<string> => {
    const stop = new AbortController()
    const response = await fetch(`${api.origin}${path(query)}`, { headers, signal: stop.signal })
    assert.equal(response.headers.get("content-type"), "text/event-stream")
    let text = ""
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (enough(text)) break
    }
    stop.abort()
    return text
  }

  it("tells what happened in order, with cursors, and no signatures", async () => {
    const text = await listen("", (seen) => seen.includes("event: signed"))
    assert.match(text, /^event: posted\ndata: .*\nid: 1\n\nevent: signed\ndata: .*\nid: 2\n\n/)
    assert.equal(/signature/.test(text), false)
  })

  it("goes on after the cursor; Last-Event-ID counts before it", async () => {
    assert.equal(/posted/.test(await listen("?cursor=1", (seen) => seen.includes("signed"))), false)
    const text = await listen("?cursor=0", (seen) => seen.includes("signed"), { "Last-Event-ID": "1" })
    assert.equal(/posted/.test(text), false)
  })

  it("refuses a cursor that is none, and jobs that are none", async () => {
    for (const cursor of ["x", "-1", "1.5", "9".repeat(10), "1e3", " "]) {
      const { json } = await send(api.origin, { method: "GET", path: path(`?cursor=${encodeURIComponent(cursor)}`), role: null })
      assert.equal(json.code, "body_invalid", cursor)
    }
    for (const id of ["nothing", "%00", "%F0%9F%92%A9", "x".repeat(5_000)])
      assert.equal((await send(api.origin, { method: "GET", path: `/v1/jobs/${id}/events`, role: null })).json.code, "not_found", id)
  })

  it("an answer without a body streams nothing into nowhere", async () => {
    const { status } = await send(api.origin, { method: "HEAD", path: path(), role: null })
    assert.equal(status, 200)
  })

  it("new events reach every listener; a client sees each once, also when the orchestrator is started again", async () => {
    const stop = new AbortController()
    const seen: string[] = []
    const restarted = Promise.withResolvers<void>()
    const following = (async () => {
      for await (const event of client().events(jobId, 0, stop.signal)) {
        seen.push(`${event.cursor} ${event.type} ${event.data.role ?? ""}`)
        if (event.data.role === "provider") restarted.resolve()
        if (event.data.role === "mediator") return
      }
    })()
    await appendEvents(api.store().db, jobId, [signed("provider")])
    await restarted.promise
    await api.restart()
    await appendEvents(api.store().db, jobId, [signed("mediator")])
    await following
    stop.abort()
    assert.deepEqual(seen, ["1 posted ", "2 signed buyer", "3 signed provider", "4 signed mediator"])
  })

  it("ends for a listener who hangs up", async () => {
    const stop = new AbortController()
    const stream = client().events(jobId, 2, stop.signal)
    const first = stream.next()
    stop.abort()
    await assert.doesNotReject(
      first.catch((error: unknown) => (error instanceof Error && error.name === "AbortError" ? undefined : Promise.reject(error))),
    )
  })
})
