import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, type TestContext, test } from "node:test"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { createBrowser, decisionForm } from "./support/browser.ts"
import { startServiceProcess } from "./support/process.ts"
import { askAbout, makeEnvironment, SUBJECT } from "./support/world.ts"

type Answer = { code: number; json: Record<string, never> & Record<string, unknown>; stdout: string }

const afg = (environment: Record<string, string>, ...args: string[]): Promise<Answer> =>
  new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH ?? "", ...environment } }
    execFile(process.execPath, [join(projectRoot, "orchestrator", "cli", "afg.ts"), "confirm", ...args], options, (error, stdout) => {
      const json = args.includes("--json") ? JSON.parse(stdout) : {}
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, json, stdout })
    })
  })

const start = async (t: TestContext) => {
  const environment = await makeEnvironment(t)
  const { ready } = await startServiceProcess(t, environment)
  return { environment, service: ready, clock: { now: Math.floor(Date.now() / 1_000) } }
}

describe("afg confirm", () => {
  test("keys: the published set, by environment or by --data", async (t) => {
    const { environment, service } = await start(t)
    const published = await (await fetch(service.jwks)).json()
    const byEnvironment = await afg(environment, "keys", "--json")
    assert.deepEqual([byEnvironment.code, byEnvironment.json], [0, { issuer: service.url, url: service.url, jwks: published }])
    const byOption = await afg({}, "keys", "--data", environment.CONFIRMATION_DATA_DIR ?? "", "--json")
    assert.deepEqual(byOption.json, byEnvironment.json)
    const { stdout } = await afg(environment, "keys")
    assert.deepEqual(JSON.parse(stdout), published)
    assert.ok(!stdout.includes('"d"'))
  })

  test("link: a URL that opens the only pending request, once", async (t) => {
    const world = await start(t)
    assert.deepEqual(
      [(await afg(world.environment, "link", "--json")).json],
      [{ error: { code: "link-target-unclear", message: "no request waits for a decision" } }],
    )
    const request = await askAbout(world)
    const { code, json } = await afg(world.environment, "link", "--json")
    assert.equal(code, 0)
    assert.equal(json.request_id, request["request-id"])
    assert.equal(json.subject, SUBJECT)
    const browser = createBrowser(world.service, null)
    const [open] = (await browser.open(new URL(String(json.url)).pathname)).forms
    assert.ok(open)
    assert.equal((await browser.send(decisionForm(await browser.send(open, null)), "confirmed")).page.state, "confirmed")
  })

  test("enrol: a session in a new file of mode 0600, for an enrolled person and the one method there is", async (t) => {
    const world = await start(t)
    const request = await askAbout(world)
    const file = join(world.environment.CONFIRMATION_DATA_DIR ?? "", "..", "session")
    const enrol = (...more: string[]) => afg(world.environment, "enrol", "--secret-file", file, "--json", ...more)
    assert.deepEqual((await enrol("--subject", "operator.nobody")).json.error, {
      code: "subject-not-enrolled",
      message: "operator.nobody is not in the service's buyers file",
    })
    await assert.rejects(stat(file))
    const { code, json } = await enrol("--subject", SUBJECT)
    assert.equal(code, 0)
    assert.deepEqual(
      { ...json, expires_at: null },
      { subject: SUBJECT, method: "scripted-demo", loa: 0, secret_file: file, expires_at: null },
    )
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const secret = (await readFile(file, "utf8")).trim()
    const visit = await createBrowser(world.service, secret).open(`/confirm/${request["request-id"]}`)
    assert.equal(visit.page.heading, "Lock 40.00 USDC in escrow?")
    const second = await enrol("--subject", SUBJECT)
    assert.equal(second.code, 2)
    assert.equal((second.json.error as unknown as { code: string }).code, "secret-file-exists")
    assert.equal((await readFile(file, "utf8")).trim(), secret)
    assert.equal((await enrol("--subject", SUBJECT, "--method", "passkey")).code, 2)
    assert.equal((await enrol("--subject", SUBJECT, "--valid-for", "-1")).code, 2)
  })

  test("on a directory without a service: says so", async (t) => {
    const environment = await makeEnvironment(t)
    const { code, json } = await afg(environment, "keys", "--json")
    assert.equal(code, 2)
    assert.equal((json.error as unknown as { code: string }).code, "confirm-store-unusable")
  })
})
