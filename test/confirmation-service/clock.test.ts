import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, type TestContext, test } from "node:test"
import { chainClock } from "../../orchestrator/confirmation-service/clock.ts"
import { readServiceConfig } from "../../orchestrator/confirmation-service/config.ts"
import { deploymentDocument, makeEnvironment } from "./support/world.ts"

/** A chain's RPC, as far as a clock asks: what it answers is the test's. */
const startRpc = async (t: TestContext, answer: () => string): Promise<string> => {
  const server = createServer((_request, response) => response.end(answer()))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const wall = (): number => Math.floor(Date.now() / 1_000)
const blockAt = (seconds: number): string => JSON.stringify({ jsonrpc: "2.0", id: 1, result: { timestamp: `0x${seconds.toString(16)}` } })

describe("the clock of a local chain", () => {
  test("is the chain's where that is ahead, the machine's otherwise, and keeps its distance while the chain says nothing", async (t) => {
    let answer = blockAt(wall() + 100_000)
    const clock = chainClock(await startRpc(t, () => answer))
    assert.ok(Math.abs(clock.now() - wall()) <= 1)
    await clock.refresh()
    assert.ok(Math.abs(clock.now() - wall() - 100_000) <= 2)
    for (const nonsense of ["", "{}", '{"result":null}', '{"result":{"timestamp":"0xzz"}}']) {
      answer = nonsense
      await clock.refresh()
      assert.ok(Math.abs(clock.now() - wall() - 100_000) <= 2)
    }
    answer = blockAt(wall() - 5_000)
    await clock.refresh()
    assert.ok(Math.abs(clock.now() - wall()) <= 1)
  })

  test("is for the local chain only", async (t) => {
    const environment: Record<string, string> = { ...(await makeEnvironment(t)), CONFIRMATION_CLOCK_RPC_URL: "http://127.0.0.1:8545" }
    assert.equal(readServiceConfig(environment).clockRpcUrl, "http://127.0.0.1:8545")
    await writeFile(environment.CONFIRMATION_DEPLOYMENT_FILES ?? "", JSON.stringify(deploymentDocument(8453)))
    assert.throws(() => readServiceConfig(environment), { code: "confirm-config-invalid" })
  })
})
