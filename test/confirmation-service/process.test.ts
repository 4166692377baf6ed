import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { describe, test } from "node:test"
import { spawnService, startServiceProcess } from "./support/process.ts"
import { askAbout, fetchAnswer, makeEnvironment } from "./support/world.ts"

describe("the confirmation service as a process", () => {
  test("prints one JSON line when it is ready, nothing else on stdout, no warning, and ends on SIGTERM", async (t) => {
    const service = await startServiceProcess(t, await makeEnvironment(t))
    assert.deepEqual(Object.keys(service.ready), ["url", "jwks", "kid", "signer"])
    const keys = (await (await fetch(service.ready.jwks)).json()) as { keys: { kid: string }[] }
    assert.equal(keys.keys[0]?.kid, service.ready.kid)
    service.child.kill("SIGTERM")
    assert.deepEqual(await service.exited, { code: 0, signal: null })
    const { stdout, stderr } = service.output()
    assert.equal(stdout.trim().split("\n").length, 1)
    assert.doesNotMatch(stderr, /warning/i)
  })

  test("does not start twice on one directory", async (t) => {
    const environment = await makeEnvironment(t)
    await startServiceProcess(t, environment)
    const second = spawnService(t, environment)
    assert.equal((await second.exited).code, 1)
    assert.match(second.output().stderr, /^confirm-store-unusable: another confirmation service/)
  })

  const FAULTS: Readonly<Record<string, Record<string, string>>> = {
    CONFIRMATION_PORT: { CONFIRMATION_PORT: "70000" },
    CONFIRMATION_PUBLIC_URL: { CONFIRMATION_PUBLIC_URL: "ftp://x" },
    CONFIRMATION_BUYERS_FILE: { CONFIRMATION_BUYERS_FILE: "/nowhere/buyers.json" },
    CONFIRMATION_API_ORIGINS: { CONFIRMATION_API_ORIGINS: "http://api.example/v1" },
    CONFIRMATION_DEPLOYMENT_FILES: { CONFIRMATION_DEPLOYMENT_FILES: "/nowhere/31337.json" },
  }
  test("names the setting that is wrong, and starts nothing", async (t) => {
    const environment = await makeEnvironment(t)
    for (const [name, change] of Object.entries(FAULTS)) {
      const service = spawnService(t, { ...environment, ...change })
      assert.equal((await service.exited).code, 1)
      const { stdout, stderr } = service.output()
      assert.equal(stdout, "")
      assert.ok(stderr.startsWith(`confirm-config-invalid: ${name}`), stderr)
    }
  })

  test("refuses a wallet of two people", async (t) => {
    const environment = await makeEnvironment(t)
    const wallet = `0x${"ab".repeat(20)}`
    await writeFile(
      environment.CONFIRMATION_BUYERS_FILE ?? "",
      JSON.stringify([
        { subject: "a", wallets: [wallet] },
        { subject: "b", wallets: [wallet.toUpperCase().replace("0X", "0x")] },
      ]),
    )
    const service = spawnService(t, environment)
    await service.exited
    assert.match(service.output().stderr, /CONFIRMATION_BUYERS_FILE: 0x(ab)+ is listed twice/)
  })

  test("has no setting that decides: the same environment with every plausible switch set starts and asks all the same", async (t) => {
    const switches = [
      "AUTO_CONFIRM",
      "CONFIRMATION_AUTO",
      "CONFIRMATION_DECISION",
      "CONFIRM",
      "DEMO",
      "NODE_ENV",
      "CI",
      "YES",
      "AUTO_ACCEPT",
    ]
    const environment = { ...(await makeEnvironment(t)), ...Object.fromEntries(switches.map((name) => [name, "accept"])) }
    const { ready } = await startServiceProcess(t, environment)
    const world = { service: ready, clock: { now: Math.floor(Date.now() / 1_000) } }
    const request = await askAbout(world, 1)
    assert.equal((await fetchAnswer(ready, request["request-id"], "?wait=1")).status, 202)
  })
})
