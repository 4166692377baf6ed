/** The demonstration's person: reads before it presses, and touches nothing but the page. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, type TestContext, test } from "node:test"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { compareWithExpectation, confirmAsPerson } from "../../scripts/demo/person.ts"
import { freePort } from "../../scripts/local/chain.ts"
import { askAbout, enrol, fetchAnswer, startWorld, type World } from "./support/world.ts"

const EXPECTED = { job_id: "afg:job:01M0AFGC0DEF1X000000000001", amount: "40.00 USDC", provider_id: "fixer.pyagent" }

const run = (args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(projectRoot, "scripts", "demo", "person.ts"), ...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr }),
    )
  })

const argumentsFor = async (world: World, requestId: string, decision: string, expect: unknown): Promise<string[]> => {
  const [session, expectation] = [join(world.dataDir, "person.session"), join(world.dataDir, `expect-${crypto.randomUUID()}.json`)]
  await writeFile(session, `${await enrol(world)}\n`, { mode: 0o600 })
  await writeFile(expectation, JSON.stringify(expect))
  const { url } = world.service
  return ["--service", url, "--request", requestId, "--session-file", session, "--decision", decision, "--expect", expectation]
}

/** Passes everything on to the service and notes what was asked of it. */
const startRecorder = async (t: TestContext, port: number, target: () => string): Promise<string[]> => {
  const seen: string[] = []
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    const onward = httpRequest(new URL(incoming.url ?? "/", target()), { method: incoming.method, headers: incoming.headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    onward.once("error", () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  assert.equal((server.address() as AddressInfo).port, port)
  t.after(() => server.close())
  return seen
}

describe("the demonstration's person, as a process", () => {
  for (const [decision, state] of [
    ["accept", "confirmed"],
    ["reject", "denied"],
  ] as const) {
    test(`can ${decision}, and reports what it read`, async (t) => {
      const world = await startWorld(t)
      const request = await askAbout(world)
      const { code, stdout } = await run(await argumentsFor(world, request["request-id"], decision, EXPECTED))
      const report = JSON.parse(stdout)
      assert.equal(code, 0)
      assert.deepEqual({ ...report, shown: null }, { request: request["request-id"], decision, state, shown: null })
      assert.equal(report.shown.amount, "40.00 USDC")
      assert.equal(Object.keys(report.shown).length, 14)
      assert.equal((await fetchAnswer(world.service, request["request-id"])).status, 200)
    })
  }

  const SURPRISES: Readonly<Record<string, Record<string, string>>> = {
    "another amount": { ...EXPECTED, amount: "4.00 USDC" },
    "another job": { ...EXPECTED, job_id: "afg:job:01M0AFGC0DEF1X000000000002" },
    "a field that is not shown": { ...EXPECTED, discount: "10 %" },
  }
  test("presses nothing when the page shows what it does not expect", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    for (const [name, expected] of Object.entries(SURPRISES)) {
      await t.test(name, async () => {
        const session = await enrol(world)
        const options = {
          service: world.service.url,
          requestId: request["request-id"],
          sessionSecret: session,
          decision: "accept",
          expect: expected,
        } as const
        await assert.rejects(confirmAsPerson(options), { code: "person-mismatch" })
        assert.equal((await fetchAnswer(world.service, request["request-id"])).status, 202)
      })
    }
    const { code, stdout } = await run(await argumentsFor(world, request["request-id"], "accept", { amount: "1.00 USDC" }))
    assert.equal(code, 1)
    assert.equal(JSON.parse(stdout).error.code, "person-mismatch")
  })

  test("opens and sends the page, and calls nothing else", async (t) => {
    const port = await freePort()
    const own = `http://127.0.0.1:${port}`
    const world = await startWorld(t, { CONFIRMATION_PUBLIC_URL: own })
    const seen = await startRecorder(t, port, () => world.service.listening)
    const request = await askAbout({ ...world, service: { ...world.service, url: world.service.listening } })
    await confirmAsPerson({
      service: own,
      requestId: request["request-id"],
      sessionSecret: await enrol(world),
      decision: "accept",
      expect: EXPECTED,
    })
    const page = `/confirm/${request["request-id"]}`
    assert.deepEqual(seen, [`GET ${page}`, `POST ${page}`, `GET ${page}`])
  })

  test("reports the service's own refusal by its code", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const options = { service: world.service.url, requestId: request["request-id"], decision: "accept", expect: EXPECTED } as const
    await assert.rejects(confirmAsPerson({ ...options, sessionSecret: "made-up" }), { code: "session-missing" })
    world.clock.now += 301
    await assert.rejects(confirmAsPerson({ ...options, sessionSecret: await enrol(world) }), { code: "person-mismatch" })
  })

  test("says how to call it", async () => {
    const { code, stdout } = await run(["--decision", "accept"])
    assert.equal(code, 1)
    assert.equal(JSON.parse(stdout).error.code, "usage")
  })
})

describe("comparing with what was expected", () => {
  const field = (text: string) => ({ field: "amount", label: "Amount", text })

  test("takes exactly the text, shown once", () => {
    compareWithExpectation([field("40.00 USDC")], { amount: "40.00 USDC" })
    const faults = [
      [],
      [field("40.00 USDC"), field("40.00 USDC")],
      [field("40.00 USDC ")],
      [field("40.00 USDCU+200B")],
      [field("400.00 USDC")],
    ]
    for (const fields of faults) assert.throws(() => compareWithExpectation(fields, { amount: "40.00 USDC" }), { code: "person-mismatch" })
  })
})
