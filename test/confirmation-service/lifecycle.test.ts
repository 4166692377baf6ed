/** One decision per request: repetitions, expiry, waiting, denial and what lifts it, restarts. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { describe, test } from "node:test"
import { MEDIA_TYPES, readStatus } from "../../orchestrator/aacp/index.ts"
import { fromUnix } from "../../orchestrator/contract/index.ts"
import { createBrowser, decisionForm } from "./support/browser.ts"
import { type Asked, ask, askAbout, contractFor, enrol, fetchAnswer, requestFor, START, startWorld, type World } from "./support/world.ts"

const decideOn = async (world: World, request: Asked, decision: "confirmed" | "denied"): Promise<void> => {
  const browser = createBrowser(world.service, await enrol(world))
  const done = await browser.send(decisionForm(await browser.open(`/confirm/${request["request-id"]}`)), decision)
  assert.equal(done.page.state, decision)
}

const evidenceOf = (body: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(body.evidence).split(".")[1] ?? "", "base64url").toString("utf8"))

describe("the same request again", () => {
  test("is the same request while it waits, and yields the same answer after the decision", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    assert.equal((await ask(world.service, request)).status, 202)
    await decideOn(world, request, "confirmed")
    const first = await ask(world.service, request)
    world.clock.now += 50
    const second = await ask(world.service, request)
    const fetched = await fetchAnswer(world.service, request["request-id"])
    assert.equal(first.status, 200)
    assert.deepEqual(second.body, first.body)
    assert.deepEqual(fetched.body, first.body)
  })

  test("is recognized by what it says, not by how it is spelled", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const reordered = Object.fromEntries(Object.entries(request).reverse())
    assert.equal((await ask(world.service, reordered)).status, 202)
  })

  test("with anything changed is another request and refused, before and after the decision", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const changed = [
      { ...request, challenge: "AAAAAAAAAAAAAAAAAAAAAA" },
      { ...request, lifetime: 301 },
      { ...requestFor(contractFor(world.service, START)), "request-id": request["request-id"] },
      { ...request, extra: 1 },
    ]
    const refuseAll = async (): Promise<void> => {
      for (const other of changed) {
        const { status, body } = await ask(world.service, other)
        assert.deepEqual([status, body.code], [409, "request-known"])
      }
    }
    await refuseAll()
    await decideOn(world, request, "confirmed")
    await refuseAll()
  })

  test("twenty at once make one", async (t) => {
    const world = await startWorld(t)
    const request = requestFor(contractFor(world.service, START))
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(world.service, request)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([202]))
  })
})

describe("a request whose lifetime passes without a decision", () => {
  test("is unobtainable, with its reason, and can no longer be decided", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    const form = decisionForm(await browser.open(`/confirm/${request["request-id"]}`))
    world.clock.now += 301
    const { status, headers, body } = await fetchAnswer(world.service, request["request-id"])
    assert.equal(status, 200)
    assert.equal(headers.get("content-type"), MEDIA_TYPES.status)
    assert.deepEqual(readStatus(body), {
      "request-id": request["request-id"],
      outcome: "unobtainable",
      reason: "dialog-expired",
      "reported-at": fromUnix(START + 301),
    })
    const late = await browser.send(form, "confirmed")
    assert.deepEqual([late.status, late.page.state], [410, "expired"])
    world.clock.now += 1_000
    assert.deepEqual((await ask(world.service, request)).body, body, "the report does not change")
  })

  test("can be decided in its very last second", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    world.clock.now += 300
    await decideOn(world, request, "confirmed")
    assert.equal(evidenceOf((await fetchAnswer(world.service, request["request-id"])).body)["confirmed-at"], fromUnix(START + 300))
  })

  test("ends with the job's deadline for funding when that is earlier", async (t) => {
    const world = await startWorld(t)
    const contract = contractFor(world.service, START, (base) => ({ ...base, escrow: { ...base.escrow, fund_by: fromUnix(START + 60) } }))
    const request = requestFor(contract)
    assert.equal((await ask(world.service, request)).body["decide-by"], fromUnix(START + 60))
    world.clock.now += 61
    assert.equal((await fetchAnswer(world.service, request["request-id"])).body.reason, "dialog-expired")
  })
})

describe("waiting for the answer", () => {
  test("ends with the decision, not with the time", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const started = performance.now()
    const waiting = fetchAnswer(world.service, request["request-id"], "?wait=25")
    await decideOn(world, request, "confirmed")
    const { status, body } = await waiting
    assert.equal(status, 200)
    assert.equal(evidenceOf(body).decision, "confirmed")
    assert.ok(performance.now() - started < 20_000)
  })

  test("ends after the asked-for time with the request still pending", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    assert.equal((await fetchAnswer(world.service, request["request-id"], "?wait=1")).status, 202)
  })

  test("ends when the service stops", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const waiting = fetchAnswer(world.service, request["request-id"], "?wait=25")
    // One more answered request shows that the first one has arrived.
    await fetchAnswer(world.service, request["request-id"])
    await world.service.stop()
    assert.equal((await waiting).status, 202)
  })

  test("for a request that was never received is not found", async (t) => {
    const world = await startWorld(t)
    for (const id of [randomUUID(), "..%2f", "%00", "x".repeat(3_000)]) {
      const { status, body } = await fetchAnswer(world.service, id, "?wait=25")
      assert.deepEqual([status, body.code], [404, "confirm-not-found"])
    }
  })
})

describe("a denied action", () => {
  const again = (request: Asked): Asked => ({ ...request, "request-id": randomUUID() })

  test("is not asked again, whatever the request's id and challenge", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    await decideOn(world, request, "denied")
    for (const other of [again(request), { ...again(request), challenge: "BBBBBBBBBBBBBBBBBBBBBA", lifetime: 60 }]) {
      const { status, body } = await ask(world.service, other)
      assert.deepEqual([status, body.code], [403, "action-denied"])
    }
    assert.equal(evidenceOf((await ask(world.service, request)).body).decision, "denied", "the denial itself is still served")
  })

  test("takes other pending requests for the same action along", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const sibling = again(request)
    assert.equal((await ask(world.service, sibling)).status, 202)
    const browser = createBrowser(world.service, await enrol(world))
    const form = decisionForm(await browser.open(`/confirm/${sibling["request-id"]}`))
    await decideOn(world, request, "denied")
    const late = await browser.send(form, "confirmed")
    assert.deepEqual([late.status, late.page.state], [403, "withdrawn"])
    const { status, body } = await fetchAnswer(world.service, sibling["request-id"])
    assert.deepEqual([status, body.code], [403, "action-denied"])
  })

  test("does not keep other actions from being asked", async (t) => {
    const world = await startWorld(t)
    await decideOn(world, await askAbout(world, 1), "denied")
    await askAbout(world, 2)
  })

  test("is asked again after the person allows it, and the next evidence names that turn", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    await decideOn(world, request, "denied")
    const browser = createBrowser(world.service, await enrol(world))
    const [allow] = (await browser.open("/")).forms
    assert.ok(allow)
    assert.equal((await browser.send(allow, null)).status, 200)
    const second = again(request)
    assert.equal((await ask(world.service, second)).status, 202)
    await decideOn(world, second, "confirmed")
    const turn = evidenceOf((await fetchAnswer(world.service, second["request-id"])).body).dialog_turn
    assert.match(String(turn), /^[\w-]{22}$/)
    const third = again(request)
    assert.equal((await ask(world.service, third)).status, 202)
    await decideOn(world, third, "denied")
    assert.equal(evidenceOf((await fetchAnswer(world.service, third["request-id"])).body).dialog_turn, undefined, "a turn is named once")
    assert.equal((await ask(world.service, again(request))).body.code, "action-denied", "and lifts one denial")
  })

  test("is not lifted by a form that was sent before, was made for another session, or decides", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const decisive = createBrowser(world.service, await enrol(world))
    const decideForm = decisionForm(await decisive.open(`/confirm/${request["request-id"]}`))
    await decideOn(world, request, "denied")
    const browser = createBrowser(world.service, await enrol(world))
    const [allow] = (await browser.open("/")).forms
    assert.ok(allow)
    const stranger = createBrowser(world.service, await enrol(world))
    assert.equal((await stranger.send(allow, null)).page.problem, "form-foreign")
    assert.equal((await decisive.send({ ...decideForm, action: allow.action }, null)).page.problem, "form-foreign")
    assert.equal((await browser.send(allow, null)).page.problem, null)
    await decideOn(world, { ...request, ...(await askedAgain(world, request)) }, "denied")
    assert.equal((await browser.send(allow, null)).page.problem, "form-used")
    assert.equal((await ask(world.service, again(request))).body.code, "action-denied")
  })

  const askedAgain = async (world: World, request: Asked): Promise<Asked> => {
    const next = again(request)
    assert.equal((await ask(world.service, next)).status, 202)
    return next
  }
})

describe("a restart", () => {
  test("keeps requests, sessions, forms, answers and the key", async (t) => {
    let world = await startWorld(t)
    const decided = await askAbout(world, 1)
    await decideOn(world, decided, "confirmed")
    const answer = (await fetchAnswer(world.service, decided["request-id"])).body
    const open = await askAbout(world, 2)
    const session = await enrol(world)
    const form = decisionForm(await createBrowser(world.service, session).open(`/confirm/${open["request-id"]}`))
    const { kid } = world.service
    world = await world.restart()
    assert.equal(world.service.kid, kid)
    assert.deepEqual((await fetchAnswer(world.service, decided["request-id"])).body, answer)
    assert.equal((await createBrowser(world.service, session).send(form, "confirmed")).page.state, "confirmed")
  })
})
