/** Every reason for which nobody is asked, each with its own code; and nothing is stored. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { describe, type TestContext, test } from "node:test"
import { actionDigest, MEDIA_TYPES } from "../../../orchestrator/aacp/index.ts"
import { MAX_PENDING } from "../../../orchestrator/confirmation-service/intake/limits.ts"
import { openDatabase } from "../../../orchestrator/confirmation-service/store/database.ts"
import { requestsOf } from "../../../orchestrator/confirmation-service/store/requests.ts"
import { type Contract, fromUnix } from "../../../orchestrator/contract/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import {
  type Asked,
  ask,
  askAbout,
  contractFor,
  postRaw,
  requestFor,
  START,
  SUBJECT,
  signedByBuyer,
  startWorld,
  type World,
} from "../support/world.ts"

type Json = Record<string, unknown>

/** Sets a member deep inside a copy; undefined removes it. */
const withMember = (document: unknown, path: readonly string[], value: unknown): Json => {
  const [name = "", ...rest] = path
  const copy = { ...(document as Json) }
  if (rest.length > 0) copy[name] = withMember(copy[name], rest, value)
  else if (value === undefined) delete copy[name]
  else copy[name] = value
  return copy
}

/** A changed descriptor whose digest is right again: what a liar would send. */
const withDescriptor = (request: Asked, change: (descriptor: Json) => Json): Json => {
  const descriptor = change(request["action-descriptor"] as unknown as Json)
  return { ...request, "action-descriptor": descriptor, "action-digest": actionDigest(descriptor as never) }
}

const withContract =
  (change: (contract: Contract) => Contract) =>
  (world: World): Json => ({ ...requestFor(contractFor(world.service, START, change)) })

type Refusal = {
  readonly code: string
  readonly status: number
  readonly path?: string
  readonly of: (world: World, request: Asked) => Json
}

const parameter = (name: string, value: unknown) => (_world: World, request: Asked) =>
  withDescriptor(request, (descriptor) => withMember(descriptor, ["parameters", name, "value"], value))

const CASES: Readonly<Record<string, Refusal>> = {
  "no descriptor": {
    code: "request-descriptor-missing",
    status: 400,
    path: "/action-descriptor",
    of: (_, request) => withMember(request, ["action-descriptor"], undefined),
  },
  "no contract": {
    code: "request-contract-missing",
    status: 400,
    path: "/afg-contract",
    of: (_, request) => withMember(request, ["afg-contract"], undefined),
  },
  "no contract but a string": {
    code: "schema",
    status: 422,
    path: "/afg-contract",
    of: (_, request) => ({ ...request, "afg-contract": "{}" }),
  },
  "contract with an unknown member": {
    code: "schema",
    status: 422,
    of: (_, request) => withMember(request, ["afg-contract", "extra"], 1),
  },
  "no challenge": {
    code: "aacp-request-malformed",
    status: 400,
    path: "/challenge",
    of: (_, request) => withMember(request, ["challenge"], undefined),
  },
  "a short challenge": {
    code: "aacp-request-malformed",
    status: 400,
    path: "/challenge",
    of: (_, request) => ({ ...request, challenge: "AAAA" }),
  },
  "another version": { code: "aacp-request-malformed", status: 400, path: "/v", of: (_, request) => ({ ...request, v: 2 }) },
  "a digest that is not the descriptor's": {
    code: "aacp-request-malformed",
    status: 400,
    path: "/action-digest",
    of: (_, request) => withMember(request, ["action-descriptor", "extra"], true),
  },
  "a lifetime of zero": {
    code: "request-lifetime-refused",
    status: 400,
    path: "/lifetime",
    of: (_, request) => ({ ...request, lifetime: 0 }),
  },
  "a lifetime of a day": {
    code: "request-lifetime-refused",
    status: 400,
    path: "/lifetime",
    of: (_, request) => ({ ...request, lifetime: 86_400 }),
  },
  "no subject": { code: "subject-unknown", status: 403, path: "/subject", of: (_, request) => withMember(request, ["subject"], undefined) },
  "an unknown subject": {
    code: "subject-unknown",
    status: 403,
    path: "/subject",
    of: (_, request) => ({ ...request, subject: "operator.nobody" }),
  },
  "another person's wallet": {
    code: "buyer-unknown",
    status: 403,
    path: "/afg-contract/buyer/wallet",
    of: (_, request) => ({ ...request, subject: "operator.other" }),
  },
  "a wallet that nobody enrolled": {
    code: "buyer-unknown",
    status: 403,
    of: withContract((contract) => ({ ...contract, buyer: { ...contract.buyer, wallet: localAccount("keeper").address } })),
  },
  "another operator in the contract": {
    code: "buyer-unknown",
    status: 403,
    path: "/afg-contract/buyer/operator_id",
    of: withContract((contract) => ({ ...contract, buyer: { ...contract.buyer, operator_id: "operator.other" } })),
  },
  "an API that is not enrolled": {
    code: "origin-unknown",
    status: 403,
    path: "/action-descriptor/type",
    of: (world) => ({ ...requestFor(contractFor(world.service, START), { origin: "http://evil.example" }) }),
  },
  "an API with an enrolled name as its user name": {
    code: "origin-unknown",
    status: 403,
    of: (_, request) =>
      withDescriptor(request, (descriptor) => ({ ...descriptor, type: "http://api.example:8000@evil.example/aacp/actions/fund-job" })),
  },
  "another kind of action": {
    code: "origin-unknown",
    status: 403,
    of: (_, request) =>
      withDescriptor(request, (descriptor) => ({ ...descriptor, type: "http://api.example:8000/aacp/actions/dispute-job" })),
  },
  "another contract hash": {
    code: "contract-hash-differs",
    status: 409,
    path: "/action-descriptor/parameters/contract_hash/value",
    of: parameter("contract_hash", "0".repeat(64)),
  },
  "another contract hash in the contract itself": {
    code: "contract-hash-differs",
    status: 409,
    path: "/afg-contract/contract_hash",
    of: (_, request) => withMember(request, ["afg-contract", "contract_hash"], "0".repeat(64)),
  },
  "a contract changed after its descriptor was made": {
    code: "contract-hash-differs",
    status: 409,
    of: (_, request) => withMember(request, ["afg-contract", "price", "amount"], "400.00"),
  },
  "another terms hash": { code: "terms-hash-differs", status: 409, of: parameter("terms_hash", `0x${"0".repeat(64)}`) },
  "a smaller amount shown": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/parameters/amount/value/amount",
    of: parameter("amount", { currency: "USDC", amount: "4.00" }),
  },
  "another payee shown": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/parameters/payee/value",
    of: parameter("payee", localAccount("keeper").address),
  },
  "a parameter that need not be confirmed": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/parameters/amount/confirm",
    of: (_, request) => withDescriptor(request, (descriptor) => withMember(descriptor, ["parameters", "amount", "confirm"], false)),
  },
  "a label of the agent's own": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/parameters/amount/render/label",
    of: (_, request) =>
      withDescriptor(request, (descriptor) => withMember(descriptor, ["parameters", "amount", "render", "label"], "Reward for you")),
  },
  "a text of the agent's own for a value": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/parameters/amount/render/value-label",
    of: (_, request) =>
      withDescriptor(request, (descriptor) => withMember(descriptor, ["parameters", "amount", "render", "value-label"], "nothing")),
  },
  "a parameter more": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/parameters/note",
    of: (_, request) =>
      withDescriptor(request, (descriptor) => withMember(descriptor, ["parameters", "note"], { value: "safe", confirm: true })),
  },
  "a parameter less": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/parameters/fee_bps",
    of: (_, request) => withDescriptor(request, (descriptor) => withMember(descriptor, ["parameters", "fee_bps"], undefined)),
  },
  "another location": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/locations",
    of: (_, request) => withDescriptor(request, (descriptor) => ({ ...descriptor, locations: ["http://evil.example/v1/jobs/1/fund"] })),
  },
  "an action said to be reversible": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/reversible",
    of: (_, request) => withDescriptor(request, (descriptor) => ({ ...descriptor, reversible: true })),
  },
  "a later end": {
    code: "descriptor-differs",
    status: 409,
    path: "/action-descriptor/expires",
    of: (_, request) => withDescriptor(request, (descriptor) => ({ ...descriptor, expires: "2099-01-01T00:00:00Z" })),
  },
  "another verifier as audience": {
    code: "audience-differs",
    status: 403,
    path: "/audience",
    of: (_, request) => ({ ...request, audience: "http://evil.example" }),
  },
  "no audience": {
    code: "audience-differs",
    status: 403,
    path: "/audience",
    of: (_, request) => withMember(request, ["audience"], undefined),
  },
  "a chain with real money": {
    code: "chain-not-served",
    status: 403,
    path: "/afg-contract/price/chain_id",
    of: withContract((contract) => ({ ...contract, price: { ...contract.price, chain_id: 8453 } })),
  },
  "another resolver": {
    code: "resolver-unknown",
    status: 403,
    path: "/afg-contract/escrow/resolver",
    of: withContract((contract) => ({ ...contract, escrow: { ...contract.escrow, resolver: localAccount("keeper").address } })),
  },
  "another confirmer": {
    code: "confirmer-differs",
    status: 409,
    path: "/afg-contract/buyer/confirmer",
    of: withContract((contract) => ({ ...contract, buyer: { ...contract.buyer, confirmer: localAccount("keeper").address } })),
  },
  "no confirmer": {
    code: "confirmer-differs",
    status: 409,
    of: withContract((contract) => {
      const { confirmer: _none, ...buyer } = contract.buyer
      return { ...contract, buyer }
    }),
  },
  "a reference that no terms follow from": {
    code: "terms-underivable",
    status: 422,
    path: "/afg-contract/escrow/escrow_ref",
    of: (world, request) => {
      const contract = contractFor(world.service, START)
      return { ...request, "afg-contract": { ...contract, escrow: { ...contract.escrow, escrow_ref: "seven" } } }
    },
  },
  "a deadline for funding that has passed": {
    code: "action-expired",
    status: 410,
    path: "/afg-contract/escrow/fund_by",
    of: withContract((contract) => ({ ...contract, escrow: { ...contract.escrow, fund_by: fromUnix(START - 1) } })),
  },
}

const storedFor = (world: World): number => {
  const database = openDatabase(world.dataDir)
  try {
    return requestsOf(database, SUBJECT, null, 100).length + requestsOf(database, "operator.other", null, 100).length
  } finally {
    database.close()
  }
}

describe("a confirmation request is refused, and nobody is asked, when it has", () => {
  let world: World | undefined
  const shared = async (t: TestContext): Promise<World> => {
    world ??= await startWorld(t, { CONFIRMATION_PORT: "0" })
    return world
  }
  test("any of these faults", async (t) => {
    const here = await shared(t)
    for (const [name, { code, status, path, of }] of Object.entries(CASES)) {
      await t.test(name, async () => {
        const base = requestFor(contractFor(here.service, START))
        const { status: actual, headers, body } = await ask(here.service, of(here, base))
        assert.equal(body.code, code, JSON.stringify(body))
        assert.equal(actual, status)
        assert.equal(headers.get("content-type"), "application/problem+json")
        assert.equal(typeof body.recovery, "string")
        if (path !== undefined) assert.equal(body.path, path)
        assert.equal(storedFor(here), 0)
      })
    }
  })
})

describe("bytes that are no strict JSON are refused by the reader's own codes", () => {
  const BODIES: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
    "json-syntax": "{",
    "json-duplicate-key": '{"v":1,"v":1}',
    "json-utf8": new Uint8Array([0x22, 0xff, 0x22]),
    "json-integer-range": '{"lifetime":9007199254740993}',
    "aacp-request-malformed": "[]",
  }
  test("each", async (t) => {
    const world = await startWorld(t)
    for (const [code, body] of Object.entries(BODIES)) assert.equal((await postRaw(world.service, body)).body.code, code)
  })

  test("a duplicate member deep inside the contract", async (t) => {
    const world = await startWorld(t)
    const text = JSON.stringify(requestFor(contractFor(world.service, START)))
    const doubled = text.replace('"amount":"40.00"', '"amount":"4.00","amount":"40.00"')
    assert.equal((await postRaw(world.service, doubled)).body.code, "json-duplicate-key")
  })
})

describe("at the door", () => {
  test("another media type is refused", async (t) => {
    const world = await startWorld(t)
    const text = JSON.stringify(requestFor(contractFor(world.service, START)))
    for (const type of ["application/json", "text/plain", MEDIA_TYPES.evidence]) {
      const { status, body } = await postRaw(world.service, text, type)
      assert.deepEqual([status, body.code], [415, "request-media-type"])
    }
    assert.equal((await postRaw(world.service, text, `${MEDIA_TYPES.request}; charset=utf-8`)).status, 202)
  })

  test("more than the limit is refused, announced or not", async (t) => {
    const world = await startWorld(t)
    const { status, body } = await postRaw(world.service, " ".repeat(1_048_577))
    assert.deepEqual([status, body.code], [413, "request-too-large"])
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
    })
    const chunked = await fetch(`${world.service.url}/requests`, {
      method: "POST",
      headers: { "content-type": MEDIA_TYPES.request },
      body: stream,
      duplex: "half",
    } as RequestInit).catch(() => null)
    // The service stops reading; the client sees its answer, or the closed connection.
    if (chunked !== null) assert.equal(chunked.status, 413)
  })

  test("an inbox takes so many requests and no more, and unsigned ones do not keep signed ones out", async (t) => {
    const world = await startWorld(t)
    for (let n = 1; n <= MAX_PENDING.unsigned; n++) await askAbout(world, n)
    const more = requestFor(contractFor(world.service, START))
    const { status, body } = await ask(world.service, more)
    assert.deepEqual([status, body.code], [429, "request-too-many"])
    const signed = requestFor(await signedByBuyer(contractFor(world.service, START)))
    assert.equal((await ask(world.service, signed)).status, 202)
    // Room again when the others' time has passed.
    world.clock.now += 301
    assert.equal((await ask(world.service, { ...more, "request-id": randomUUID() })).status, 202)
  })
})
