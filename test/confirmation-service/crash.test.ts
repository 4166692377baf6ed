/** `kill -9` at the worst moments: a decision is neither lost nor made twice, and is signed once. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, type TestContext, test } from "node:test"
import { pathToFileURL } from "node:url"
import { enrolScriptedDemo } from "../../orchestrator/confirmation-service/admin.ts"
import { readAudit } from "../../orchestrator/confirmation-service/store/audit.ts"
import { openDatabase } from "../../orchestrator/confirmation-service/store/database.ts"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { freePort } from "../../scripts/local/chain.ts"
import { type Browser, createBrowser, decisionForm } from "./support/browser.ts"
import { type ServiceProcess, startServiceProcess } from "./support/process.ts"
import { type Asked, askAbout, fetchAnswer, makeEnvironment, SUBJECT } from "./support/world.ts"

const DIE_BEFORE_SIGNING = pathToFileURL(join(projectRoot, "test", "confirmation-service", "support", "die-before-signing.mjs")).href

const now = (): number => Math.floor(Date.now() / 1_000)

/** On one port and directory, so that a second process is the same service. */
const settle = async (t: TestContext): Promise<Record<string, string>> => ({
  ...(await makeEnvironment(t)),
  CONFIRMATION_PORT: String(await freePort()),
})

const sessionFor = async (environment: Record<string, string>): Promise<string> => {
  const dataDir = environment.CONFIRMATION_DATA_DIR ?? ""
  const secretFile = join(dataDir, "..", `session-${crypto.randomUUID()}`)
  enrolScriptedDemo({ dataDir, subject: SUBJECT, secretFile, now: now(), lifetime: 3_600 })
  return (await readFile(secretFile, "utf8")).trim()
}

const eventsOf = (environment: Record<string, string>, request: Asked): string[] => {
  const database = openDatabase(environment.CONFIRMATION_DATA_DIR ?? "")
  try {
    return readAudit(database)
      .filter(({ requestId }) => requestId === request["request-id"])
      .map(({ event }) => event)
  } finally {
    database.close()
  }
}

const worldOf = (service: ServiceProcess) => ({ service: service.ready, clock: { now: now() } })

const press = async (browser: Browser, request: Asked): Promise<void> => {
  const form = decisionForm(await browser.open(`/confirm/${request["request-id"]}`))
  // The service may die before it answers.
  await browser.send(form, "confirmed").catch(() => undefined)
}

describe("killed between decision and signature", () => {
  test("the service signs the decision when it starts again, once, and says so to whoever asks", async (t) => {
    const environment = await settle(t)
    const doomed = await startServiceProcess(t, environment, ["--import", DIE_BEFORE_SIGNING])
    const request = await askAbout(worldOf(doomed))
    const session = await sessionFor(environment)
    await press(createBrowser(doomed.ready, session), request)
    assert.equal((await doomed.exited).signal, "SIGKILL")
    assert.deepEqual(eventsOf(environment, request), ["request-received", "decision-made"])

    const next = await startServiceProcess(t, environment)
    const answer = await fetchAnswer(next.ready, request["request-id"])
    assert.equal(answer.status, 200)
    assert.ok(answer.body.evidence && answer.body.confirmation)
    const again = await createBrowser(next.ready, session).open(`/confirm/${request["request-id"]}`)
    assert.equal(again.page.state, "confirmed")
    assert.deepEqual(eventsOf(environment, request), ["request-received", "decision-made", "answer-signed"])
    next.child.kill("SIGKILL")
    await next.exited

    const last = await startServiceProcess(t, environment)
    assert.deepEqual((await fetchAnswer(last.ready, request["request-id"])).body, answer.body)
  })

  test("a second death at the same place changes nothing", async (t) => {
    const environment = await settle(t)
    const doomed = await startServiceProcess(t, environment, ["--import", DIE_BEFORE_SIGNING])
    const request = await askAbout(worldOf(doomed))
    await press(createBrowser(doomed.ready, await sessionFor(environment)), request)
    await doomed.exited
    await assert.rejects(startServiceProcess(t, environment, ["--import", DIE_BEFORE_SIGNING]))
    assert.deepEqual(eventsOf(environment, request), ["request-received", "decision-made"])
    const next = await startServiceProcess(t, environment)
    assert.equal((await fetchAnswer(next.ready, request["request-id"])).status, 200)
  })
})

describe("killed at any moment around the decision", () => {
  test("what the service said before, it still says after", async (t) => {
    const environment = await settle(t)
    let service = await startServiceProcess(t, environment)
    for (let round = 1; round <= 6; round++) {
      const request = await askAbout(worldOf(service), round)
      const browser = createBrowser(service.ready, await sessionFor(environment))
      const form = decisionForm(await browser.open(`/confirm/${request["request-id"]}`))
      const pressed = browser.send(form, "confirmed").catch(() => null)
      // Killed as soon as so many of its events have happened, from none to all: the pressing and the killing race.
      const seen = fetchAnswer(service.ready, request["request-id"], round % 2 === 0 ? "?wait=5" : "").catch(() => null)
      if (round % 3 !== 0) await seen
      service.child.kill("SIGKILL")
      const [before, visit] = [await seen, await pressed]
      await service.exited
      service = await startServiceProcess(t, environment)
      const after = await fetchAnswer(service.ready, request["request-id"])
      if (before?.status === 200) assert.deepEqual(after.body, before.body)
      if (visit?.page.state === "confirmed") assert.equal(after.status, 200)
      const events = eventsOf(environment, request)
      const expected = after.status === 200 ? ["request-received", "decision-made", "answer-signed"] : ["request-received"]
      assert.deepEqual(events, expected)
    }
  })
})
