import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { network } from "hardhat"
import { keccak256 } from "viem"
import { checkChain } from "../../orchestrator/cli/doctor/chain.ts"
import { checkEngine, checkNode } from "../../orchestrator/cli/doctor/machine.ts"
import { checkStoreAndQueue } from "../../orchestrator/cli/doctor/services.ts"
import { runNode } from "./support/run.ts"

const directory = mkdtempSync(join(tmpdir(), "afg-doctor-"))
after(() => rmSync(directory, { recursive: true, force: true }))

/** A port that takes connections and never answers. */
const deaf = async (use: (port: number) => Promise<void>): Promise<void> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  try {
    await use(address !== null && typeof address === "object" ? address.port : 0)
  } finally {
    server.close()
  }
}

describe("afg doctor", () => {
  it("finds everything in place on a machine that is set up", async () => {
    const { code, stdout } = await runNode(["bin/afg.mjs", "doctor", "--json"])
    const { ok, checks } = JSON.parse(stdout)
    assert.deepEqual([code, ok], [0, true], stdout)
    assert.deepEqual(
      checks.map(({ name }: { name: string }) => name),
      ["Node", "container engine", "images", "store", "queue", "chain", "clock", "services for tests"],
    )
    for (const { detail, ok: well } of checks) assert.deepEqual([typeof detail, well], ["string", true])
  })

  it("says what is wrong and how to mend it, and exits 1", async () => {
    const env = { ...process.env, AFG_HOME: directory, RPC_URL: "http://127.0.0.1:1" }
    const { code, stdout } = await runNode(["bin/afg.mjs", "doctor", "--json"], { env })
    const { ok, checks } = JSON.parse(stdout)
    assert.deepEqual([code, ok], [1, false])
    const wrong = checks.filter((check: { ok: boolean }) => !check.ok)
    assert.deepEqual(
      wrong.map(({ name }: { name: string }) => name),
      ["container engine", "images", "chain"],
    )
    for (const { fix } of wrong) assert.ok(fix)
  })

  it("refuses another line of Node", async () => {
    assert.equal((await checkNode("20.20.2")).ok, false)
    assert.equal((await checkNode()).ok, true)
  })

  it("does not take a record for an engine", async () => {
    const home = mkdtempSync(join(directory, "gone-"))
    const engine = {
      kind: "docker",
      socket: "/nonexistent/docker.sock",
      runtime: null,
      version: "1",
      ulimits: [],
      userns: null,
      cgroup: "v2",
      why: "",
    }
    writeFileSync(join(home, "setup.json"), JSON.stringify({ version: 1, node: "", engine, images: [] }))
    const { ok, detail } = await checkEngine({ AFG_HOME: home })
    assert.equal(ok, false)
    assert.match(detail, /^engine-unreachable: docker does not answer/)
  })
})

describe("afg doctor on the chain", () => {
  let rpc = ""
  let close = async () => {}
  const deployment = join(directory, "deployment.json")
  /** Code that answers nothing: enough to have a hash. */
  const CODE = "0x60006000fd"
  const ADDRESS = "0x00000000000000000000000000000000000000aa"

  before(async () => {
    const server = await network.createServer("default", "127.0.0.1", 0)
    const { address, port } = await server.listen()
    rpc = `http://${address}:${port}`
    close = () => server.close()
    const put = await fetch(rpc, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "hardhat_setCode", params: [ADDRESS, CODE] }),
    })
    assert.deepEqual(await put.json(), { jsonrpc: "2.0", id: 1, result: true })
  })
  after(() => close())

  const check = (contracts: object, chainId = 31337) => {
    writeFileSync(deployment, JSON.stringify({ chainId, contracts }))
    return checkChain({ RPC_URL: rpc, DEPLOYMENT_FILE: deployment })
  }

  it("accepts contracts whose code is what was deployed", async () => {
    const result = await check({ Resolver: { address: ADDRESS, codeHash: keccak256(CODE) } })
    assert.equal(result.ok, true, result.detail)
  })

  it("refuses a contract whose code is another, naming it", async () => {
    const { ok, detail, fix } = await check({ Resolver: { address: ADDRESS, codeHash: keccak256("0x00") } })
    assert.equal(ok, false)
    assert.match(detail, /the code of Resolver at 0x0+aa is 0x[0-9a-f]{64}, not 0x/)
    assert.ok(fix)
  })

  it("refuses a contract that is not there", async () => {
    assert.match(
      (await check({ Resolver: { address: `0x${"b".repeat(40)}`, codeHash: keccak256("0x00") } })).detail,
      /there is no Resolver/,
    )
  })

  it("refuses the deployment of another chain", async () => {
    assert.match((await check({}, 8453)).detail, /RPC_URL is chain 31337, but the deployment file is of chain 8453/)
  })

  it("refuses a deployment file that is none", async () => {
    writeFileSync(deployment, "{}")
    assert.equal((await checkChain({ RPC_URL: rpc, DEPLOYMENT_FILE: deployment })).ok, false)
  })
})

describe("afg doctor on store and queue", () => {
  const names = ["DATABASE_URL", "REDIS_URL"] as const

  for (const name of names) {
    it(`says that nothing is at ${name}, and does not wait for ever`, { timeout: 30_000 }, async () => {
      const url = name === "REDIS_URL" ? "redis://127.0.0.1:1" : "postgres://afg@127.0.0.1:1/afg"
      const results = await checkStoreAndQueue({ [name]: url })
      assert.equal(results[names.indexOf(name)]?.ok, false)
    })
  }

  it("does not wait for ever for a database that takes the connection and says nothing", { timeout: 30_000 }, () =>
    deaf(async (port) => {
      const [store] = await checkStoreAndQueue({ DATABASE_URL: `postgres://afg@127.0.0.1:${port}/afg` })
      assert.equal(store?.ok, false)
    }),
  )

  const database = process.env.TEST_DATABASE_URL
  const queue = process.env.TEST_REDIS_URL
  it("accepts the servers that work", { skip: database && queue ? false : "TEST_DATABASE_URL or TEST_REDIS_URL is not set" }, async () => {
    const results = await checkStoreAndQueue({ DATABASE_URL: database, REDIS_URL: queue })
    for (const { ok, detail } of results) assert.ok(ok, detail)
  })
})
