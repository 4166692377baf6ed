/** The gate for annotated operations (AACP §10) on a real Hono app. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { Hono } from "hono"
import {
  type ConfirmationGate,
  type ConfirmationRequest,
  createEvidence,
  createStatus,
  memoryReplayStore,
  memoryRequests,
  parseAnnotation,
  problemOfStatus,
  type RequestLedger,
  readPolicy,
  readRequest,
  renderingDigest,
  requireConfirmation,
  signEvidence,
  staticKeys,
  systemEntropy,
} from "../../orchestrator/aacp/index.ts"
import { AUDIENCE, key, makeKey, NOW, vector } from "./support.ts"

const annotation = parseAnnotation(vector("x-aacp.json"))
const booking = JSON.parse(vector("operation.json")) as Record<string, unknown>
const URL_ = "https://api.airlines.example.com/bookings"
const policy = readPolicy({ known_methods: ["passkey", "one-time-link"], rules: [{ min_loa: 3, require_rendering: true }] })

type World = {
  book: (body: unknown, headers?: Record<string, string>, path?: string) => Promise<Response>
  booked: unknown[]
  requests: RequestLedger
  clock: { now: number }
}

const world = (changes: Partial<ConfirmationGate> = {}): World => {
  const booked: unknown[] = []
  const clock = { now: NOW }
  const requests = memoryRequests()
  const gate = requireConfirmation({
    annotation,
    keys: staticKeys({ keys: [key.jwk] }),
    policy,
    replay: memoryReplayStore(),
    requests,
    audience: AUDIENCE,
    subject: () => "user:alice@example.com",
    now: () => clock.now,
    entropy: systemEntropy,
    ...changes,
  })
  const app = new Hono().post("/bookings", gate, async (c) => {
    booked.push(await c.req.json())
    return c.json({ by: c.get("confirmation").evidence?.subject }, 201)
  })
  const book: World["book"] = async (body, headers = {}, path = "") =>
    app.request(`${URL_}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    })
  return { book, booked, requests, clock }
}

const ask = async ({ book }: World, body: unknown = booking): Promise<ConfirmationRequest> => {
  const answer = await book(body)
  assert.equal(answer.status, 428)
  const problem = (await answer.json()) as { request: unknown }
  return readRequest(problem.request)
}

const confirm = async (
  request: ConfirmationRequest,
  changes: { loa?: number; decision?: "denied"; rendering?: false; at?: number } = {},
): Promise<string> => {
  const described = request["action-descriptor"]
  assert.ok(described)
  const evidence = createEvidence({
    request,
    decision: changes.decision ?? "confirmed",
    confirmedAt: changes.at ?? NOW,
    authContext: { method: "passkey", loa: changes.loa ?? 4 },
    renderingDigest: changes.rendering === false ? undefined : renderingDigest(described, annotation),
  })
  return signEvidence(evidence, key.signer)
}

const header = (evidence: string) => ({ "AACP-Evidence": evidence })

describe("an annotated operation", () => {
  it("asks for a confirmation, with everything the service needs", async () => {
    const here = world()
    const answer = await here.book(booking)
    const problem = (await answer.json()) as Record<string, unknown>
    assert.equal(answer.headers.get("content-type"), "application/problem+json")
    assert.equal(answer.headers.get("cache-control"), "no-store")
    assert.deepEqual([problem.code, problem.outcome, problem.status], ["confirmation_required", "absent", 428])
    const request = readRequest(problem.request)
    assert.deepEqual([request.audience, request.subject], [AUDIENCE, "user:alice@example.com"])
    assert.deepEqual(request["action-descriptor"]?.locations, [URL_])
    assert.deepEqual(here.booked, [])
  })

  it("runs once with the evidence in the header", async () => {
    const here = world()
    const evidence = await confirm(await ask(here))
    const answer = await here.book(booking, header(evidence))
    assert.deepEqual([answer.status, await answer.json(), here.booked], [201, { by: "user:alice@example.com" }, [booking]])
    const again = await here.book(booking, header(evidence))
    assert.deepEqual([again.status, ((await again.json()) as { code: string }).code, here.booked.length], [409, "confirmation_replay", 1])
  })

  it("runs with the evidence in the body, which is no parameter", async () => {
    const here = world()
    const confirmation = await confirm(await ask(here))
    assert.equal((await here.book({ ...booking, confirmation })).status, 201)
  })

  it("two calls at once with one piece of evidence: one runs", async () => {
    const here = world()
    const evidence = await confirm(await ask(here))
    const answers = await Promise.all([here.book(booking, header(evidence)), here.book(booking, header(evidence))])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
    assert.equal(here.booked.length, 1)
  })
})

describe("each refusal has its own status and code, and nothing runs", () => {
  type Answer = { status: number; code: string }
  const rows: [why: string, answer: Answer, present: (here: World) => Promise<Response>, gate?: Partial<ConfirmationGate>][] = [
    [
      "a broken signature",
      { status: 400, code: "confirmation_invalid" },
      async (here) => here.book(booking, header(`${(await confirm(await ask(here))).slice(0, -8)}AAAAAAAA`)),
    ],
    [
      "an object where evidence belongs",
      { status: 400, code: "confirmation_invalid" },
      (here) => here.book({ ...booking, confirmation: { approved: true } }),
    ],
    [
      "keys unreachable",
      { status: 503, code: "confirmation_unavailable" },
      async (here) => here.book(booking, header(await confirm(await ask(here)))),
      { keys: { keysFor: () => Promise.reject(new Error("down")) } },
    ],
    [
      "another price",
      { status: 409, code: "confirmation_mismatch" },
      async (here) =>
        here.book({ ...booking, total_price: { currency: "USD", amount: "4120.00" } }, header(await confirm(await ask(here)))),
    ],
    [
      "a field more",
      { status: 409, code: "confirmation_mismatch" },
      async (here) => here.book({ ...booking, insurance: true }, header(await confirm(await ask(here)))),
    ],
    [
      "a query more",
      { status: 409, code: "confirmation_mismatch" },
      async (here) => here.book(booking, header(await confirm(await ask(here))), "?class=first"),
    ],
    [
      "a denial",
      { status: 403, code: "confirmation_denied" },
      async (here) => here.book(booking, header(await confirm(await ask(here), { decision: "denied" }))),
    ],
    [
      "another verifier's evidence",
      { status: 403, code: "confirmation_diverted" },
      async (here) => here.book(booking, header(await confirm({ ...(await ask(here)), audience: "agent:other" }))),
    ],
    [
      "a late presentation",
      { status: 410, code: "confirmation_stale" },
      async (here) => {
        const evidence = await confirm(await ask(here))
        here.clock.now += 301
        return here.book(booking, header(evidence))
      },
    ],
    [
      "a request that this API never made",
      { status: 410, code: "confirmation_stale" },
      async (here) =>
        here.book(booking, header(await confirm({ ...(await ask(here)), "request-id": "00000000-0000-4000-8000-000000000000" }))),
    ],
    [
      "weak authentication",
      { status: 401, code: "confirmation_low_assurance" },
      async (here) => here.book(booking, header(await confirm(await ask(here), { loa: 1 }))),
    ],
    [
      "a display that is not shown",
      { status: 422, code: "confirmation_unexercised" },
      async (here) => here.book(booking, header(await confirm(await ask(here), { rendering: false }))),
    ],
  ]
  for (const [why, expected, present, gate] of rows) {
    it(why, async () => {
      const here = world(gate)
      const answer = await present(here)
      const { status, code } = (await answer.json()) as Answer
      assert.deepEqual([answer.status, status, code, here.booked], [expected.status, expected.status, expected.code, []])
      assert.equal(answer.headers.has("retry-after"), expected.status === 503)
      assert.equal(answer.headers.has("www-authenticate"), expected.status === 401)
    })
  }

  it("401 names the level that would do (RFC 9470)", async () => {
    const here = world()
    const answer = await here.book(booking, header(await confirm(await ask(here), { loa: 1 })))
    assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer error="insufficient_user_authentication".*acr_values="aacp:loa:3"$/)
  })

  it("evidence of another service with the same key id", async () => {
    const here = world()
    const foreign = makeKey("cs-1")
    const request = await ask(here)
    const evidence = await signEvidence(
      createEvidence({ request, decision: "confirmed", confirmedAt: NOW, authContext: { method: "passkey", loa: 4 } }),
      foreign.signer,
    )
    assert.equal((await here.book(booking, header(evidence))).status, 400)
  })
})

describe("a call that cannot be described", () => {
  const rows: [why: string, body: string, code: string][] = [
    ["a missing field", JSON.stringify({ ...booking, total_price: undefined }), "aacp-mapping-impossible"],
    [
      "a duplicate member, which two readers would read differently",
      '{"flight_number":"UA123","flight_number":"UA999"}',
      "json-duplicate-key",
    ],
    ["a list", "[]", "aacp-mapping-impossible"],
    ["no JSON", "flight=UA123", "json-syntax"],
  ]
  for (const [why, body, code] of rows) {
    it(`${why} is refused before anything is asked`, async () => {
      const here = world()
      const answer = await here.book(body)
      assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code, here.booked], [400, code, []])
    })
  }
})

it("behind a proxy the public origin is the location", async () => {
  const here = world({ publicOrigin: "https://public.example" })
  assert.deepEqual((await ask(here))["action-descriptor"]?.locations, ["https://public.example/bookings"])
})

it("a descriptor of the API's own making takes the mapping's place", async () => {
  const here = world({
    describe: (_c, body) => ({
      type: "urn:own",
      actions: ["book"],
      parameters: { flight: { value: body.flight_number ?? null, confirm: true } },
    }),
  })
  assert.equal((await ask(here))["action-descriptor"]?.type, "urn:own")
})

it("a status object is unavailable with its reason, and no denial", () => {
  const { status, headers, body } = problemOfStatus(createStatus("f47ac10b-58cc-4372-a567-0e02b2c3d479", "user-unreachable", NOW))
  assert.deepEqual(
    [status, body.code, body.outcome, body.detail, headers["retry-after"]],
    [503, "confirmation_unavailable", "unobtainable", "user-unreachable", "30"],
  )
})
