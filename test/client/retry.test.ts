/** How often a client asks: definite answers once, lost ones again, signed afresh, under the same Idempotency-Key (AACP §8.2). */
import assert from "node:assert/strict"
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, beforeEach, describe, it } from "node:test"
import { ERRORS as AACP } from "../../orchestrator/aacp/errors.ts"
import { RETRY } from "../../orchestrator/aacp/index.ts"
import { ERRORS as API } from "../../orchestrator/api/errors.ts"
import { createTransport, ProblemError, type Transport } from "../../orchestrator/client/transport.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"

type Reply = (response: ServerResponse) => void

const problem =
  (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response
      .writeHead(status, { "content-type": "application/problem+json", ...headers })
      .end(JSON.stringify({ status, code, detail: code }))
  }
const good: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"fine":true}')
}
const hangUp: Reply = (response) => {
  response.destroy()
}

describe("a client", () => {
  let server: Server
  let api: string
  let script: Reply[]
  let seen: IncomingHttpHeaders[]
  before(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers)
      request.resume().once("end", () => (script.shift() ?? good)(response))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    script = []
    seen = []
  })
  const transport = (patienceMs = 10_000): Transport => {
    const { account, address } = localAccount("buyer")
    return createTransport({ api, signer: { address, signMessage: (message) => account.signMessage({ message }) }, patienceMs })
  }
  const post = (patienceMs?: number): Promise<unknown> =>
    transport(patienceMs).json("/v1/jobs/x/fund", { method: "POST", body: {}, idempotencyKey: "one-key" })

  for (const code of Object.keys(RETRY) as (keyof typeof RETRY)[])
    it(`asks once and is told ${code} (${RETRY[code]})`, async () => {
      script = [problem(AACP[code].status, code, { "retry-after": "0" })]
      await assert.rejects(post(), (error: unknown) => error instanceof ProblemError && error.code === code)
      assert.equal(seen.length, 1)
    })

  const repeated = new Set(["rate_limited", "chain_unavailable"])
  for (const [code, { status }] of Object.entries(API)) {
    if (repeated.has(code)) continue
    it(`asks once and is told ${code}`, async () => {
      script = [problem(status, code)]
      await assert.rejects(post(), (error: unknown) => error instanceof ProblemError && error.code === code)
      assert.equal(seen.length, 1)
    })
  }

  it("asks again after 503, 429 and a lost connection, with a fresh nonce and the same key", async () => {
    script = [problem(503, "chain_unavailable"), hangUp, problem(429, "rate_limited", { "retry-after": "0" }), good]
    assert.deepEqual(await post(), { fine: true })
    assert.equal(seen.length, 4)
    assert.equal(new Set(seen.map((headers) => headers["afg-nonce"])).size, 4)
    assert.equal(new Set(seen.map((headers) => headers["afg-signature"])).size, 4)
    assert.deepEqual(new Set(seen.map((headers) => headers["idempotency-key"])), new Set(["one-key"]))
  })

  it("waits as Retry-After says, and not at all when that is beyond its patience", async () => {
    script = [problem(429, "rate_limited", { "retry-after": "1" }), good]
    const started = performance.now()
    await post()
    assert.ok(performance.now() - started >= 990)
    script = [problem(503, "chain_unavailable", { "retry-after": "3600" })]
    await assert.rejects(post(), (error: unknown) => error instanceof ProblemError && error.code === "chain_unavailable")
    assert.equal(seen.length, 3)
  })

  it("gives up on an API that stays away", async () => {
    script = Array.from({ length: 100 }, () => hangUp)
    await assert.rejects(post(300), { code: "api-unreachable" })
    assert.ok(seen.length >= 2)
  })

  it("tells a page that is no answer of ours from one that is", async () => {
    script = [(response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>")]
    await assert.rejects(post(), { code: "api-answer-malformed" })
    script = [(response) => response.writeHead(200).end('{"a":1,"a":2}')]
    await assert.rejects(post(), { code: "api-answer-malformed" })
    assert.equal(seen.length, 2)
  })
})
