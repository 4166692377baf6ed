/** Six submissions a minute: a sliding minute, per caller. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { rateLimit } from "../../orchestrator/api/rate-limit.ts"
import { readConfig } from "../../orchestrator/config.ts"
import { type QuietApi, send, startQuietApi } from "./support/quiet.ts"

const codeOf = (call: () => void): string => {
  try {
    call()
    return "ok"
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe("the limit of submissions", () => {
  let api: QuietApi
  before(async () => {
    api = await startQuietApi({ SUBMISSIONS_PER_MINUTE: "6" })
  })
  after(async () => {
    await api.stop()
  })

  it("the seventh in a minute is told when to come again; another wallet and unsigned ones are not counted", async () => {
    const path = "/v1/jobs/afg%3Ajob%3ANOSUCHJOB000/submit"
    const call = async (role: "provider" | "buyer" | null) => send(api.origin, { path, body: "{}", role })
    for (let unsigned = 0; unsigned < 8; unsigned++) assert.equal((await call(null)).json.code, "signature_missing")
    const codes = await Promise.all(Array.from({ length: 7 }, async () => (await call("provider")).json.code))
    assert.deepEqual(codes.sort(), [...Array.from({ length: 6 }, () => "not_found"), "rate_limited"])
    const late = await call("provider")
    const wait = Number(late.headers.get("retry-after"))
    assert.ok(late.status === 429 && wait >= 1 && wait <= 60, String(wait))
    assert.equal((await call("buyer")).json.code, "not_found")
  })

  it("no minute, wherever it begins, has more", () => {
    const limit = rateLimit(6)
    const at = [0, 10, 20, 30, 40, 59]
    for (const time of at)
      assert.equal(
        codeOf(() => limit("a", time)),
        "ok",
      )
    assert.equal(
      codeOf(() => limit("a", 59)),
      "rate_limited",
    )
    assert.equal(
      codeOf(() => limit("a", 60)),
      "ok",
      "the first is a minute ago",
    )
    assert.equal(
      codeOf(() => limit("a", 61)),
      "rate_limited",
      "where fixed minutes would allow five more",
    )
    assert.equal(
      codeOf(() => limit("b", 61)),
      "ok",
    )
  })
})

describe("the configuration", () => {
  const env = { RPC_URL: "http://127.0.0.1:1", DEPLOYMENT_FILE: "d.json" }
  it("has the documented limits", () => {
    const { maxOpenJobs, maxArtifactBytes, maxDeliverableBytes, submissionsPerMinute } = readConfig(env)
    assert.deepEqual([maxOpenJobs, maxArtifactBytes, maxDeliverableBytes, submissionsPerMinute], [5, 2_097_152, 67_108_864, 6])
  })

  it("takes an origin as PUBLIC_ORIGIN and nothing more: it is part of what the human confirms", () => {
    for (const good of ["https://afg.example", "http://127.0.0.1:8080"])
      assert.equal(readConfig({ ...env, PUBLIC_ORIGIN: good }).publicOrigin, good)
    for (const bad of [
      "https://afg.example/",
      "https://afg.example/api",
      "https://AFG.example",
      "https://a.example:443",
      "ftp://a.example",
      "x",
    ])
      assert.throws(() => readConfig({ ...env, PUBLIC_ORIGIN: bad }), { code: "config-invalid" }, bad)
  })

  it("names the variable at fault", () => {
    for (const [name, value] of [
      ["RPC_URL", "nothing"],
      ["ROLES", "judge"],
      ["ROLES", ","],
      ["API_PORT", "65536"],
      ["MAX_OPEN_JOBS", "0"],
      ["DEV_WARP", "yes"],
      ["CONFIRMATION_SERVICES_FILE", "/nowhere"],
    ] as const)
      assert.throws(
        () => readConfig({ ...env, [name]: value }),
        (error: unknown) => error instanceof Error && error.message.includes(name),
        name,
      )
  })
})
