import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import hre from "hardhat"
import { createPublicClient, http, keccak256 } from "viem"
import { parseDeployment, readDeployment } from "../../orchestrator/chain/deployment.ts"
import { isAfgError } from "../../orchestrator/errors.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { deployLocal, isDeployed } from "../../scripts/deploy.ts"
import { driftedAbis } from "../../scripts/generate-abi.ts"

const committed = join(import.meta.dirname, "../../deployments/31337.json")
const directory = mkdtempSync(join(tmpdir(), "afg-deploy-"))

type Server = Awaited<ReturnType<typeof hre.network.createServer>>
let server: Server
let rpcUrl: string

const start = async (): Promise<void> => {
  server = await hre.network.createServer("node", "127.0.0.1", 0)
  const { address, port } = await server.listen()
  rpcUrl = `http://${address}:${port}`
}

before(start)
after(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

describe("deployLocal", () => {
  it("gives on a fresh chain what is committed in deployments/31337.json", async () => {
    const out = join(directory, "31337.json")
    const deployment = await deployLocal({ rpcUrl, out, journal: join(directory, "journal") })
    assert.deepEqual(deployment, readDeployment(committed))
    assert.deepEqual(readDeployment(out), deployment)
    assert.equal(deployment.treasury, localAccount("treasury").address)
    const chain = createPublicClient({ transport: http(rpcUrl) })
    for (const { address, codeHash } of Object.values(deployment.contracts)) {
      const code = await chain.getCode({ address })
      assert.ok(code)
      assert.equal(keccak256(code), codeHash)
    }
  })

  it("changes nothing the second time, with its JSON or with its journal alone", async () => {
    const out = join(directory, "31337.json")
    const chain = createPublicClient({ transport: http(rpcUrl) })
    const [block, written] = [await chain.getBlockNumber(), statSync(out).mtimeMs]
    await deployLocal({ rpcUrl, out })
    const again = await deployLocal({ rpcUrl, journal: join(directory, "journal") })
    assert.deepEqual(again, readDeployment(out))
    assert.equal(await chain.getBlockNumber(), block)
    assert.equal(statSync(out).mtimeMs, written)
  })

  it("sees that a chain was reset: refuses its old journal, deploys anew without it", async () => {
    await server.close()
    await start()
    const out = join(directory, "31337.json")
    const chain = createPublicClient({ transport: http(rpcUrl) })
    assert.equal(await isDeployed(chain, readDeployment(out)), false)
    await assert.rejects(
      deployLocal({ rpcUrl, journal: join(directory, "journal") }),
      (error) => isAfgError(error) && error.code === "deployment-failed",
    )
    assert.deepEqual(await deployLocal({ rpcUrl, out }), readDeployment(committed))
    assert.equal(await isDeployed(chain, readDeployment(out)), true)
  })
})

describe("the deployment's document", () => {
  const refuses = (action: () => unknown, path?: string) =>
    assert.throws(
      action,
      (error) => isAfgError(error) && error.code === "deployment-unreadable" && (path === undefined || error.path === path),
    )

  it("is refused when missing, not JSON, or not of its form, with a pointer", () => {
    refuses(() => readDeployment(join(directory, "missing.json")))
    const broken = join(directory, "broken.json")
    writeFileSync(broken, "{")
    refuses(() => readDeployment(broken))
    const good = JSON.parse(readFileSync(committed, "utf8"))
    refuses(() => parseDeployment({ ...good, treasury: "0x12" }), "/treasury")
    refuses(() => parseDeployment({ ...good, feeBps: 10_001 }), "/feeBps")
    refuses(() => parseDeployment({ ...good, extra: 1 }))
    refuses(
      () => parseDeployment({ ...good, contracts: { ...good.contracts, Batcher: { address: good.treasury, codeHash: "0x00" } } }),
      "/contracts/Batcher/codeHash",
    )
    assert.deepEqual(parseDeployment({ ...good, treasury: good.treasury.toLowerCase() }), good)
  })
})

describe("the committed ABIs", () => {
  it("are what the contracts say", async () => {
    assert.deepEqual(await driftedAbis(), [])
  })
})
