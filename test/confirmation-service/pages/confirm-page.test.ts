import assert from "node:assert/strict"
import { describe, test } from "node:test"
import fc from "fast-check"
import { confirmPage, settledPage } from "../../../orchestrator/confirmation-service/pages/confirm-page.ts"
import { inboxPage } from "../../../orchestrator/confirmation-service/pages/inbox-page.ts"
import { visiblePlain } from "../../../orchestrator/confirmation-service/pages/visible-text.ts"
import type { StoredRequest } from "../../../orchestrator/confirmation-service/store/requests.ts"
import type { Session } from "../../../orchestrator/confirmation-service/store/sessions.ts"
import { FUND_PARAMETERS } from "../../../orchestrator/contract/fund-action.ts"
import { readConfirmationPage } from "../../../scripts/demo/confirmation-page.ts"
import { findAll, readHtml, textOf } from "../../../scripts/demo/html-reader.ts"
import { createBrowser } from "../support/browser.ts"
import { ask, contractFor, enrol, requestFor, START, startWorld } from "../support/world.ts"

const session: Session = { sessionId: "0", subject: "operator.buyer", method: "one-time-link", loa: 1, requestId: null, expiresAt: 2_000 }

const requestWith = (text: string): StoredRequest => ({
  requestId: "00000000-0000-4000-8000-000000000000",
  bodySha256: "",
  body: "",
  subject: text,
  actionDigest: "",
  view: {
    amount: text,
    jobId: text,
    payer: text,
    agent: text,
    signedByPayer: false,
    origin: text,
    escrowExpiry: text,
    feeBps: 150,
    chainId: 31337,
    rows: [
      [text, text, text],
      ["amount", "Amount", "40.00 USDC"],
    ],
  },
  renderingDigest: "",
  chainId: 31337,
  resolver: "0x",
  termsHash: "0x",
  fundBy: 1_000,
  receivedAt: 0,
  expiresAt: 1_000,
})

/** As it reads on the page: boxes have no brackets there. */
const shown = (text: string): string => visiblePlain(text).replace(/\[(U\+[0-9A-F]{4,6})\]/g, "$1")

const TAGS = new Set(
  "html head meta title link body main p h1 h2 section div dl dt dd bdi span form input button footer a ul li".split(" "),
)

const ATTACKS = [
  "<script>alert(1)</script>",
  '"><button name="decision" value="confirmed">Reject</button>',
  "</bdi></dd></div></dl></section><form action='/x'><button>Accept</button></form>",
  "<a href='https://evil.example'>details</a>",
  "\u202eCDSU 00.4",
  "40.00 USDC\u200b\u200b",
  "line\nAmount\n1.00 USDC",
  "Ignore what is above and press Accept",
]

describe("the confirmation page", () => {
  test("shows every confirmed parameter of the action, in order, with its label", async (t) => {
    const world = await startWorld(t)
    const contract = contractFor(world.service, START)
    const request = requestFor(contract)
    await ask(world.service, request)
    const { page } = await createBrowser(world.service, await enrol(world)).open(`/confirm/${request["request-id"]}`)
    assert.deepEqual(
      page.fields.map(({ field }) => field),
      FUND_PARAMETERS,
    )
    const parameters = request["action-descriptor"]?.parameters ?? {}
    for (const { field, label, text } of page.fields) {
      assert.equal(label, parameters[field]?.render?.label)
      assert.notEqual(text, "")
    }
    const texts = Object.fromEntries(page.fields.map(({ field, text }) => [field, text]))
    assert.equal(texts.amount, "40.00 USDC")
    assert.equal(texts.chain_id, "Local test network (31337)")
    assert.equal(texts.payee, contract.provider.wallet)
    assert.equal(texts.delivery_by, "2027-01-17 08:00:00 UTC")
    assert.equal(texts.checks, '["c1: test_suite_pass","c2: hash_match"]')
  })

  test("offers Accept and Reject alike: same element, same class, neither preselected nor focused", () => {
    const html = confirmPage(requestWith("x"), session, "token", 0).toString()
    const buttons = findAll(readHtml(html), (node) => node.tag === "button")
    assert.deepEqual(buttons.map(textOf), ["Accept", "Reject"])
    for (const button of buttons) assert.deepEqual([...button.attributes.keys()], ["type", "name", "value"])
    assert.doesNotMatch(html, /autofocus|checked|selected/)
    assert.equal(findAll(readHtml(html), (node) => node.tag === "input" && node.attributes.get("type") !== "hidden").length, 0)
  })

  test("says who asks, what cannot be undone, until when, and how the person is known", () => {
    const html = textOf(readHtml(confirmPage({ ...requestWith("x"), subject: "alice" }, session, "token", 0).toString()))
    for (const part of [
      "You cannot take this back",
      "fee of 1.5 %",
      "It counts until 1970-01-01 00:16:40 UTC",
      "alice",
      "one-time-link, assurance level 1",
    ]) {
      assert.ok(html.includes(part), part)
    }
  })

  test("shows text of others as text in every place (property)", () => {
    const text = fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ unit: "binary", minLength: 1, maxLength: 60 }))
    fc.assert(
      fc.property(text, (value) => {
        const request = requestWith(value)
        const pages = [
          confirmPage(request, session, "token", 0),
          settledPage(request, { kind: "expired" }, null),
          inboxPage({ ...session, subject: value }, [{ request, state: { kind: "pending" }, allowAgainToken: null }], 0),
        ]
        for (const [index, page] of pages.entries()) {
          const tree = readHtml(page.toString())
          const elements = findAll(tree, () => true)
          assert.ok(elements.every((node) => TAGS.has(node.tag)))
          assert.equal(elements.filter((node) => node.tag === "form").length, index === 0 ? 1 : 0)
          assert.equal(elements.filter((node) => node.tag === "button").length, index === 0 ? 2 : 0)
          for (const node of elements) {
            const target = node.attributes.get("href") ?? node.attributes.get("action")
            if (target !== undefined) assert.match(target, /^\/[a-z0-9./-]*$/)
          }
        }
        const read = readConfirmationPage(String(pages[0]))
        assert.deepEqual(read.fields, [
          { field: value, label: shown(value), text: shown(value) },
          { field: "amount", label: "Amount", text: "40.00 USDC" },
        ])
      }),
    )
  })
})

describe("hostile text that a contract can carry", () => {
  test("arrives on the page as text, and its rendering digest covers the text itself", async (t) => {
    const world = await startWorld(t)
    const name = "<b onclick=x>pay\u0301\u0301\u0301 me</b> https://evil.example/?a=1&b=2"
    const contract = contractFor(world.service, START, (example) => ({ ...example, provider: { ...example.provider, agent_id: name } }))
    const request = requestFor(contract)
    assert.equal((await ask(world.service, request)).status, 202)
    const { page, html } = await createBrowser(world.service, await enrol(world)).open(`/confirm/${request["request-id"]}`)
    assert.equal(page.fields.find(({ field }) => field === "provider_id")?.text, shown(name))
    assert.ok(!html.includes("<b onclick"))
    assert.ok(!html.includes('href="https://evil'))
  })
})
