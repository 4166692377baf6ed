/** Signed requests: who, what, when, and once. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { type QuietApi, type Sent, send, startQuietApi } from "./support/quiet.ts"
import { unique } from "./support/world.ts"

describe("a request's signature", () => {
  let api: QuietApi
  before(async () => {
    api = await startQuietApi()
  })
  after(async () => {
    await api.stop()
  })
  const path = "/v1/artifacts"
  const try_ = async (sent: Partial<Sent>): Promise<string> => {
    const { status, json } = await send(api.origin, { path, body: unique(), ...sent })
    return `${status} ${json.code ?? "ok"}`
  }
  const rows = async () => ({
    nonces: (await api.store().db.selectFrom("afg.request_nonces").select("nonce").execute()).length,
    artifacts: (await api.store().db.selectFrom("afg.artifacts").select("sha256").execute()).length,
  })
  const now = (): number => Math.floor(Date.now() / 1_000)

  it("covers method, path, query, body, address, nonce and time", async () => {
    assert.equal(await try_({}), "201 ok")
    const before = await rows()
    const changed: Partial<Sent>[] = [
      { signed: { method: "GET" } },
      { signed: { path: "/v1/jobs" } },
      { path: `${path}?sealed=true`, signed: { path } },
      { signed: { body: Buffer.from("other") } },
      { headers: { "AFG-Address": localAccount("mediator").address } },
      { headers: { "AFG-Nonce": unique() } },
      { headers: { "AFG-Timestamp": String(now() - 1) }, signed: { timestamp: now() - 5 } },
    ]
    for (const sent of changed) {
      // The address has no key that signed: only a contract there could say yes, and this chain does not answer.
      const answer = await try_(sent)
      assert.ok(["401 signature_invalid", "503 chain_unavailable"].includes(answer), `${JSON.stringify(sent)}: ${answer}`)
    }
    assert.deepEqual(await rows(), before)
  })

  it("malformed or missing headers are told apart from a wrong signature", async () => {
    const names = ["AFG-Address", "AFG-Nonce", "AFG-Timestamp", "AFG-Signature"]
    const bad: [header: string, value: string][] = [
      ["AFG-Address", "0x1234"],
      ["AFG-Address", "vitalik.eth"],
      ["AFG-Nonce", "short"],
      ["AFG-Nonce", "x".repeat(65)],
      ["AFG-Nonce", "with a space in it"],
      ["AFG-Timestamp", "yesterday"],
      ["AFG-Timestamp", "1e9"],
      ["AFG-Timestamp", "-1"],
      ["AFG-Signature", "0x"],
      ["AFG-Signature", "0xzz"],
      ["AFG-Signature", `0x${"00".repeat(4_097)}`],
    ]
    for (const [name, value] of bad) assert.equal(await try_({ headers: { [name]: value } }), "401 signature_invalid", `${name}: ${value}`)
    for (const name of names) assert.equal(await try_({ role: null, headers: { [name]: "0x00" } }), "401 signature_missing", name)
    assert.equal(await try_({ role: null }), "401 signature_missing")
  })

  it("a minute's difference of clocks is taken, more is not", async () => {
    for (const away of [-58, 58]) assert.equal(await try_({ signed: { timestamp: now() + away } }), "201 ok")
    for (const away of [-63, 63, 1_000_000]) assert.equal(await try_({ signed: { timestamp: now() + away } }), "401 signature_expired")
  })

  it("a nonce counts once per address, also at once, also after a restart", async () => {
    const nonce = unique()
    const signed = { nonce }
    const both = await Promise.all([try_({ signed }), try_({ signed })])
    assert.deepEqual(both.sort(), ["201 ok", "409 nonce_reused"])
    await api.restart()
    assert.equal(await try_({ signed }), "409 nonce_reused")
    assert.equal(await try_({ signed, role: "provider" }), "201 ok", "another address has nonces of its own")
    assert.equal(
      await try_({ signed, headers: { "AFG-Address": localAccount("buyer").address.toUpperCase().replace("0X", "0x") } }),
      "409 nonce_reused",
    )
  })

  it("a wrong signature uses no nonce up", async () => {
    const nonce = unique()
    await try_({ signed: { nonce, body: Buffer.from("other") } })
    assert.equal(await try_({ signed: { nonce } }), "201 ok")
  })
})
