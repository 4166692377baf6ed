/** Variants B and C: requests and answers through a relaying agent, over HTTP and inside agents' messages. */
import assert from "node:assert/strict"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, describe, it } from "node:test"
import {
  awaitAnswer,
  type ConfirmationRequest,
  createEvidence,
  createRequest,
  fromA2aPart,
  fromMcpContent,
  handoffChain,
  handoffDigest,
  httpService,
  MEDIA_TYPES,
  noChannel,
  parseRelayed,
  parseRequest,
  type Relayed,
  readAnswer,
  relayRequest,
  renderingDigest,
  sideChannelNotice,
  signEvidence,
  systemEntropy,
  toA2aPart,
  toMcpContent,
  usableChannels,
} from "../../orchestrator/aacp/index.ts"
import { canonicalText } from "../../orchestrator/aacp/json.ts"
import { AUDIENCE, descriptor, key, NOW, request, vectorJson, verify } from "./support.ts"

const offers = ["offer signed by the enterprise", "offer signed by the travel agent"]
const newRequest = (more = {}): ConfirmationRequest =>
  createRequest({ descriptor, audience: AUDIENCE, subject: "user:alice@example.com", ...more }, systemEntropy)

/** A confirmation service reduced to its answers: what it says to each request is decided by the test. */
type Script = { pendingPolls: number; decide: "confirmed" | "denied" | "never"; status?: number }
let script: Script
let received: ConfirmationRequest[]
let polls: number
let server: Server
let endpoint: string

const answer = async (asked: ConfirmationRequest, response: ServerResponse) => {
  if (script.status !== undefined) return response.writeHead(script.status).end("{}")
  if (script.decide === "never" || polls < script.pendingPolls) {
    return response
      .writeHead(202, { "content-type": "application/json" })
      .end(JSON.stringify({ outcome: "pending", page: "https://cs.example.com/p", "decide-by": "2026-10-31T12:00:00Z" }))
  }
  const rendered = asked["action-descriptor"] ?? descriptor
  const authContext = { method: "passkey", loa: 4 }
  const evidence = createEvidence({
    request: asked,
    decision: script.decide,
    confirmedAt: NOW,
    authContext,
    renderingDigest: renderingDigest(rendered),
  })
  return response.writeHead(200, { "content-type": MEDIA_TYPES.evidence }).end(await signEvidence(evidence, key.signer))
}

const serve = async (message: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  if (message.method === "POST") {
    assert.equal(message.headers["content-type"], MEDIA_TYPES.request)
    received.push(parseRequest(Buffer.concat(chunks)))
  } else polls++
  const asked = received.at(-1)
  assert.ok(asked)
  await answer(asked, response)
}

before(async () => {
  server = createServer((message, response) => {
    serve(message, response).catch((error) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/requests`
})
after(() => server.close())

const play = (change: Partial<Script> = {}) => {
  script = { pendingPolls: 0, decide: "confirmed", ...change }
  received = []
  polls = 0
  return httpService({ endpoint })
}
/** A clock that moves a second whenever it is read. */
const clock = () => {
  let now = NOW
  return { now: () => now++, until: NOW + 60, pauseMs: 1 }
}

const ENCODINGS: readonly [name: string, there: (content: Relayed) => unknown, back: (value: unknown) => Relayed][] = [
  ["A2A", toA2aPart, fromA2aPart],
  ["MCP", toMcpContent, fromMcpContent],
]

describe("a delegated action, relayed by the requesting agent", () => {
  for (const [name, there, back] of ENCODINGS) {
    it(`as ${name} messages: the acting agent accepts what comes back, delegation path included`, async () => {
      const asked = newRequest({ handoff: handoffChain(offers) })
      const outbound = back(JSON.parse(JSON.stringify(there({ kind: "request", request: asked }))))
      assert.equal(outbound.kind, "request")
      const inbound = await relayRequest(outbound as Relayed & { kind: "request" }, play({ pendingPolls: 2 }), clock())
      const returned = back(JSON.parse(JSON.stringify(there(inbound))))
      assert.equal(returned.kind, "evidence")
      assert.deepEqual(received, [asked])
      const result = await verify({ evidence: (returned as { evidence: string }).evidence, request: asked })
      assert.deepEqual([result.outcome, result.evidence?.handoff], ["success", offers.map(handoffDigest)])
    })
  }

  it("a denial comes back as signed evidence", async () => {
    const asked = newRequest()
    const back = await relayRequest({ kind: "request", request: asked }, play({ decide: "denied" }), clock())
    assert.equal((await verify({ evidence: (back as { evidence: string }).evidence, request: asked })).outcome, "denied")
  })

  it("a person who does not decide is a status with its reason, not a denial", async () => {
    const asked = newRequest()
    const back = await relayRequest({ kind: "request", request: asked }, play({ decide: "never" }), clock())
    assert.ok(back.kind === "status" && back.status.reason === "dialog-expired" && back.status["request-id"] === asked["request-id"])
  })

  it("a service that is down is a status with its reason", async () => {
    for (const service of [play({ status: 503 }), httpService({ endpoint: "http://127.0.0.1:1/requests" })]) {
      const back = await relayRequest({ kind: "request", request: newRequest() }, service, clock())
      assert.ok(back.kind === "status" && back.status.reason === "channel-unreachable")
    }
  })

  it("a service that refuses is an error: waiting would not help", async () => {
    const refused = relayRequest({ kind: "request", request: newRequest() }, play({ status: 409 }), clock())
    await assert.rejects(refused, { code: "aacp-service-refused" })
  })

  it("an alteration on the way is refused by whoever reads the request next", () => {
    const part = toA2aPart({ kind: "request", request: newRequest() })
    const bent = JSON.stringify(part).replace("412.00", "4120.00")
    assert.throws(() => parseRelayed(bent), { code: "aacp-request-malformed", path: "/action-digest" })
  })
})

describe("messages", () => {
  const contents: Relayed[] = [
    { kind: "request", request },
    { kind: "evidence", requestId: request["request-id"], evidence: "a.b.c" },
    { kind: "status", status: vectorJson("status.json") as never },
  ]
  for (const [name, there, back] of ENCODINGS) {
    for (const content of contents) {
      it(`${name}: ${content.kind} comes back as it was`, () => {
        assert.deepEqual(back(JSON.parse(JSON.stringify(there(content)))), content)
        assert.deepEqual(parseRelayed(JSON.stringify(there(content))), content)
        assert.ok(JSON.stringify(there(content)).includes(MEDIA_TYPES[content.kind]))
      })
    }
  }

  it("unknown members of a request travel along", () => {
    const more = { ...request, "x-extra": [1, { a: null }] }
    const back = fromMcpContent(toMcpContent({ kind: "request", request: more as ConfirmationRequest }))
    assert.equal(canonicalText((back as { request: unknown }).request), canonicalText(more))
  })

  it("anything else is refused", () => {
    const others = [
      null,
      5,
      {},
      { kind: "text", text: "approved" },
      { kind: "data", data: { evidence: "x" } },
      { type: "text", text: "yes" },
      { type: "resource", resource: { uri: "urn:x", mimeType: MEDIA_TYPES.evidence, text: "a.b.c" } },
    ]
    for (const other of others) {
      assert.throws(() => fromA2aPart(other), { code: "aacp-request-malformed" })
      assert.throws(() => fromMcpContent(other), { code: "aacp-request-malformed" })
    }
    assert.throws(() => parseRelayed('{"kind":"data","kind":"data"}'), { code: "json-duplicate-key" })
  })
})

describe("answers by media type", () => {
  it("evidence, status, pending and the service's envelope", () => {
    const status = vectorJson("status.json")
    assert.deepEqual(readAnswer(MEDIA_TYPES.evidence, "a.b.c\n"), { kind: "evidence", evidence: "a.b.c", raw: null })
    assert.deepEqual(readAnswer(`${MEDIA_TYPES.status}; charset=utf-8`, JSON.stringify(status)), { kind: "status", status })
    assert.deepEqual(readAnswer("application/json", JSON.stringify(status)), { kind: "status", status })
    const envelope = { evidence: "a.b.c", confirmation: null }
    assert.deepEqual(readAnswer("application/json", JSON.stringify(envelope)), { kind: "evidence", evidence: "a.b.c", raw: envelope })
    assert.deepEqual(readAnswer("application/json", '{"outcome":"pending"}'), { kind: "pending", decideBy: null, page: null })
  })

  it("an unsigned denial is no answer at all", () => {
    for (const body of ['{"outcome":"denied"}', '{"decision":"denied"}', "{}", "[]", "no"])
      assert.throws(() => readAnswer("application/json", body))
    assert.throws(() => readAnswer("text/html", "<p>approved</p>"), { code: "aacp-status-malformed" })
  })
})

describe("out of band (variant C)", () => {
  const registered = [
    { mode: "email", loa: 1 },
    { mode: "device-push", loa: 3 },
    { mode: "sms", loa: 2 },
  ]
  const modes = (channel: object | undefined) =>
    usableChannels({ ...request, ...(channel === undefined ? {} : { channel }) }, registered).map(({ mode }) => mode)

  it("only registered channels, strong enough, in the request's order", () => {
    assert.deepEqual(modes(undefined), ["email", "device-push", "sms"])
    assert.deepEqual(modes({ "min-loa": 2 }), ["device-push", "sms"])
    assert.deepEqual(modes({ "min-loa": 2, modes: ["sms", "email", "carrier-pigeon", "device-push"] }), ["sms", "device-push"])
    assert.deepEqual(modes({ modes: ["carrier-pigeon"] }), [])
    assert.deepEqual(noChannel(request, NOW).reason, "channel-unreachable")
  })

  it("a side channel is told a verb and a link, and nothing of the action", () => {
    const notice = JSON.stringify(sideChannelNotice(newRequest(), "https://cs.example.com/confirm/1"))
    assert.deepEqual(JSON.parse(notice), { verb: "book", link: "https://cs.example.com/confirm/1" })
  })

  it("after an interruption the answer is found again by the request id alone", async () => {
    const service = play({ pendingPolls: 3 })
    const asked = newRequest()
    assert.equal((await service.submit(asked)).kind, "pending")
    const early = await awaitAnswer(service, asked["request-id"], { now: () => NOW, until: NOW })
    assert.deepEqual(early, { kind: "pending", decideBy: "2026-10-31T12:00:00Z", page: "https://cs.example.com/p" })
    const later = await awaitAnswer(httpService({ endpoint }), asked["request-id"], clock())
    assert.equal(later.kind, "evidence")
    assert.equal(polls, 3)
  })

  it("waiting can be called off", async () => {
    const stopped = awaitAnswer(play({ decide: "never" }), request["request-id"], {
      ...clock(),
      signal: AbortSignal.abort(new Error("called off")),
    })
    received = [request]
    await assert.rejects(stopped, /called off/)
  })
})
