/** Only the page decides: forms forged, foreign, replayed, doubled, too old, or sent by another site decide nothing. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { makeLink } from "../../../orchestrator/confirmation-service/admin.ts"
import { FORM_SECONDS } from "../../../orchestrator/confirmation-service/store/forms.ts"
import { LINK_SECONDS, LINK_SESSION_SECONDS } from "../../../orchestrator/confirmation-service/store/links.ts"
import type { PageForm } from "../../../scripts/demo/confirmation-page.ts"
import { createBrowser, decisionForm } from "../support/browser.ts"
import { type Asked, askAbout, enrol, fetchAnswer, startWorld, type World } from "../support/world.ts"

const pathOf = (request: Asked): string => `/confirm/${request["request-id"]}`

const assertUndecided = async (world: World, request: Asked): Promise<void> => {
  assert.equal((await fetchAnswer(world.service, request["request-id"])).status, 202)
}

const decisionIn = async (world: World, request: Asked): Promise<unknown> => {
  const { body } = await fetchAnswer(world.service, request["request-id"])
  return JSON.parse(Buffer.from(String(body.evidence).split(".")[1] ?? "", "base64url").toString("utf8")).decision
}

describe("CSRF", () => {
  const SITES: Readonly<Record<string, Record<string, string>>> = {
    "from another origin": { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    "from another origin, by a browser without Sec-Fetch-Site": { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
    "from another port of this host": { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
    "with an opaque origin": { origin: "null", "sec-fetch-site": "cross-site" },
    "typed into the address bar": { "sec-fetch-site": "none" },
  }
  test("a form sent by another site decides nothing, even with a good token and session", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    for (const [name, headers] of Object.entries(SITES)) {
      await t.test(name, async () => {
        const form = decisionForm(await browser.open(pathOf(request)))
        const answer = await browser.send(form, "confirmed", { headers })
        assert.deepEqual([answer.status, answer.page.problem], [403, "form-foreign"])
        await assertUndecided(world, request)
      })
    }
  })

  test("a form without Origin and Sec-Fetch-Site decides nothing", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const session = await enrol(world)
    const form = decisionForm(await createBrowser(world.service, session).open(pathOf(request)))
    const bare = await fetch(new URL(form.action, world.service.url), {
      method: "POST",
      headers: { cookie: `afg-confirmation=${session}`, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams([...form.hidden, ["decision", "confirmed"]]).toString(),
    })
    assert.equal(bare.status, 403)
    await assertUndecided(world, request)
  })
})

describe("forged and foreign forms", () => {
  const forge = (form: PageForm, token: string): PageForm => ({ ...form, hidden: new Map([["token", token]]) })

  test("a made-up, empty or altered token decides nothing", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    const form = decisionForm(await browser.open(pathOf(request)))
    const token = form.hidden.get("token") ?? ""
    for (const forged of ["", "x", token.slice(1), `${token}A`, token.toUpperCase(), "' OR 1=1 --"]) {
      assert.equal((await browser.send(forge(form, forged), "confirmed")).page.problem, "form-foreign")
    }
    await assertUndecided(world, request)
  })

  test("another session's token, of the same person or not, decides nothing", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const form = decisionForm(await createBrowser(world.service, await enrol(world)).open(pathOf(request)))
    const same = await createBrowser(world.service, await enrol(world)).send(form, "confirmed")
    assert.equal(same.page.problem, "form-foreign")
    const other = await createBrowser(world.service, await enrol(world, "operator.other")).send(form, "confirmed")
    assert.equal(other.page.problem, "confirm-not-found")
    await assertUndecided(world, request)
  })

  test("a token for one request decides no other", async (t) => {
    const world = await startWorld(t)
    const [first, second] = [await askAbout(world, 1), await askAbout(world, 2)]
    const browser = createBrowser(world.service, await enrol(world))
    const form = decisionForm(await browser.open(pathOf(first)))
    assert.equal((await browser.send({ ...form, action: pathOf(second) }, "confirmed")).page.problem, "form-foreign")
    await assertUndecided(world, first)
    await assertUndecided(world, second)
  })

  const BODIES: Readonly<Record<string, (token: string) => string>> = {
    "no decision": (token) => `token=${token}`,
    "an unknown decision": (token) => `token=${token}&decision=accept`,
    "both decisions": (token) => `token=${token}&decision=denied&decision=confirmed`,
    "two tokens": (token) => `token=${token}&token=${token}&decision=confirmed`,
    nothing: () => "",
    "a page of text": (token) => `token=${token}&decision=confirmed&pad=${"x".repeat(5_000)}`,
  }
  test("a malformed form decides nothing", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    for (const [name, body] of Object.entries(BODIES)) {
      await t.test(name, async () => {
        const form = decisionForm(await browser.open(pathOf(request)))
        const answer = await browser.send(form, null, { body: body(form.hidden.get("token") ?? "") })
        assert.deepEqual([answer.status, answer.page.problem], [400, "form-malformed"])
        await assertUndecided(world, request)
      })
    }
    await t.test("JSON", async () => {
      const form = decisionForm(await browser.open(pathOf(request)))
      const body = JSON.stringify({ token: form.hidden.get("token"), decision: "confirmed" })
      const answer = await browser.send(form, null, { body, headers: { "content-type": "application/json" } })
      assert.equal(answer.page.problem, "form-malformed")
      await assertUndecided(world, request)
    })
  })

  test("no other method and no query decides", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    const token = decisionForm(await browser.open(pathOf(request))).hidden.get("token")
    await browser.open(`${pathOf(request)}?token=${token}&decision=confirmed`)
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const url = `${world.service.url}${pathOf(request)}?token=${token}&decision=confirmed`
      assert.equal((await fetch(url, { method, headers: { cookie: browser.cookie() } })).status, 404)
    }
    await assertUndecided(world, request)
  })
})

describe("sessions", () => {
  test("without one nothing is shown", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    for (const secret of [null, "", "x".repeat(43), "../../etc/passwd"]) {
      for (const path of ["/", pathOf(request)]) {
        const visit = await createBrowser(world.service, secret).open(path)
        assert.deepEqual([visit.status, visit.page.problem], [401, "session-missing"])
        assert.doesNotMatch(visit.html, /40\.00/)
      }
    }
  })

  test("one that has ended shows and decides nothing", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world, undefined, 10))
    const form = decisionForm(await browser.open(pathOf(request)))
    world.clock.now += 11
    assert.equal((await browser.send(form, "confirmed")).page.problem, "session-missing")
    await assertUndecided(world, request)
  })

  test("another person's request looks like none", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const stranger = createBrowser(world.service, await enrol(world, "operator.other"))
    assert.deepEqual((await stranger.open(pathOf(request))).page.problem, "confirm-not-found")
    assert.doesNotMatch((await stranger.open("/")).html, /40\.00/)
  })
})

describe("the same decision twice", () => {
  test("a replayed form changes nothing, and shows how it stands", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    const form = decisionForm(await browser.open(pathOf(request)))
    await browser.send(form, "denied")
    const before = (await fetchAnswer(world.service, request["request-id"])).body
    for (const decision of ["confirmed", "denied"]) {
      const replayed = await browser.send(form, decision)
      assert.deepEqual([replayed.status, replayed.page.state], [409, "denied"])
    }
    assert.deepEqual((await fetchAnswer(world.service, request["request-id"])).body, before)
  })

  test("of two tabs the first decides, and the second sees it", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    const [first, second] = [decisionForm(await browser.open(pathOf(request))), decisionForm(await browser.open(pathOf(request)))]
    assert.equal((await browser.send(second, "confirmed")).page.state, "confirmed")
    const late = await browser.send(first, "denied")
    assert.deepEqual([late.status, late.page.state], [409, "confirmed"])
    assert.equal(await decisionIn(world, request), "confirmed")
  })

  test("thirty presses at once, half of them Reject, make one decision and one piece of evidence", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    const forms = [decisionForm(await browser.open(pathOf(request))), decisionForm(await browser.open(pathOf(request)))]
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const form = forms[n % 2]
        assert.ok(form)
        return browser.send(form, n % 4 < 2 ? "confirmed" : "denied")
      }),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const states = new Set(answers.map(({ page }) => page.state))
    assert.equal(states.size, 1)
    assert.ok(states.has(String(await decisionIn(world, request))))
  })

  test("the back button shows the decision, no form", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const browser = createBrowser(world.service, await enrol(world))
    const shown = await browser.open(pathOf(request))
    assert.equal(shown.headers.get("cache-control"), "no-store")
    await browser.send(decisionForm(shown), "confirmed")
    const back = await browser.open(pathOf(request))
    assert.deepEqual([back.page.state, back.page.form], ["confirmed", null])
  })

  test("a page that lay open too long decides nothing, and a fresh one does", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world, 1, { lifetime: 3_600 })
    const browser = createBrowser(world.service, await enrol(world))
    const form = decisionForm(await browser.open(pathOf(request)))
    world.clock.now += FORM_SECONDS + 1
    const late = await browser.send(form, "confirmed")
    assert.deepEqual([late.status, late.page.problem], [410, "form-expired"])
    await assertUndecided(world, request)
    assert.equal((await browser.send(decisionForm(await browser.open(pathOf(request))), "confirmed")).page.state, "confirmed")
  })
})

describe("one-time links", () => {
  test("open a session of loa 1 for their request, once", async (t) => {
    const world = await startWorld(t)
    const [request, other] = [await askAbout(world, 1), await askAbout(world, 2)]
    const link = new URL(makeLink({ dataDir: world.dataDir, requestId: request["request-id"], now: world.clock.now }).url).pathname
    const browser = createBrowser(world.service, null)
    const [open] = (await browser.open(link)).forms
    assert.ok(open)
    const shown = await browser.send(open, null)
    assert.equal(shown.page.heading, "Lock 40.00 USDC in escrow?")
    assert.equal((await browser.open(pathOf(other))).page.problem, "confirm-not-found")
    await browser.send(decisionForm(shown), "confirmed")
    const { body } = await fetchAnswer(world.service, request["request-id"])
    const payload = JSON.parse(Buffer.from(String(body.evidence).split(".")[1] ?? "", "base64url").toString("utf8"))
    assert.deepEqual(payload["auth-context"], { method: "one-time-link", loa: 1 })
    const second = createBrowser(world.service, null)
    assert.equal((await second.open(link)).page.problem, "link-invalid")
    assert.equal((await second.send(open, null)).page.problem, "link-invalid")
    assert.equal(second.cookie(), "")
  })

  test("are not used up by being looked at", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const link = new URL(makeLink({ dataDir: world.dataDir, now: world.clock.now }).url).pathname
    for (let look = 0; look < 3; look++) await createBrowser(world.service, null).open(link)
    const browser = createBrowser(world.service, null)
    const [open] = (await browser.open(link)).forms
    assert.ok(open)
    assert.equal((await browser.send(open, null)).page.fields.length, 14)
    await assertUndecided(world, request)
  })

  test("are opened by one of many at once", async (t) => {
    const world = await startWorld(t)
    await askAbout(world)
    const link = new URL(makeLink({ dataDir: world.dataDir, now: world.clock.now }).url).pathname
    const [open] = (await createBrowser(world.service, null).open(link)).forms
    assert.ok(open)
    const answers = await Promise.all(Array.from({ length: 10 }, () => createBrowser(world.service, null).send(open, null)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test("end, and so do their sessions", async (t) => {
    const world = await startWorld(t)
    await askAbout(world, 1, { lifetime: 3_600 })
    const make = () => new URL(makeLink({ dataDir: world.dataDir, now: world.clock.now }).url).pathname
    const [early, late] = [make(), make()]
    const browser = createBrowser(world.service, null)
    const [open] = (await browser.open(early)).forms
    assert.ok(open)
    const shown = await browser.send(open, null)
    world.clock.now += LINK_SECONDS + 1
    assert.equal((await createBrowser(world.service, null).open(late)).page.problem, "link-invalid")
    world.clock.now += LINK_SESSION_SECONDS
    assert.equal((await browser.send(decisionForm(shown), "confirmed")).page.problem, "session-missing")
  })

  test("are made for pending requests alone, and not for one of several unnamed ones", async (t) => {
    const world = await startWorld(t)
    const make = (requestId?: string) => () => makeLink({ dataDir: world.dataDir, requestId, now: world.clock.now })
    assert.throws(make(), { code: "link-target-unclear" })
    const first = await askAbout(world, 1)
    await askAbout(world, 2)
    assert.throws(make(), { code: "link-target-unclear" })
    assert.throws(make("00000000-0000-4000-8000-000000000000"), { code: "link-target-unclear" })
    make(first["request-id"])()
    world.clock.now += 301
    assert.throws(make(first["request-id"]), { code: "link-target-unclear" })
  })
})
