/** `afg dev`: ready, its clock moved, gone without a trace. Started from a directory that is not the project's. */
import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"
import { startAfg } from "./support/demo.ts"
import { assertNothingLeft } from "./support/happy.ts"

type Ready = {
  api: string
  rpc: string
  chain_id: number
  confirmation: string
  accounts: { role: string; address: string; key_file: string }[]
  contracts: Record<string, string>
}

it("afg dev --warp: one ready line, POST /dev/warp, SIGTERM", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "afg-dev-"))
  const dev = startAfg(["dev", "--warp", "--data", "here"], {}, cwd)
  try {
    const ready = JSON.parse(await dev.firstLine) as Ready
    assert.equal(ready.chain_id, 31337)
    for (const url of [ready.api, ready.rpc, ready.confirmation]) assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    for (const role of ["buyer", "provider", "verifier", "mediator"]) {
      const account = ready.accounts.find((one) => one.role === role)
      assert.match(account?.address ?? "", /^0x[0-9a-fA-F]{40}$/)
      assert.match(readFileSync(account?.key_file ?? "", "utf8"), /^0x[0-9a-f]{64}\n$/)
    }
    for (const name of ["AFGResolver", "ERC8183Escrow", "TestUSDC"]) assert.match(ready.contracts[name] ?? "", /^0x[0-9a-fA-F]{40}$/)

    const warp = (body: string): Promise<Response> =>
      fetch(`${ready.api}/dev/warp`, { method: "POST", headers: { "content-type": "application/json" }, body })
    const first = (await (await warp('{"seconds":1}')).json()) as { chain_time: number }
    const later = (await (await warp('{"seconds":100000}')).json()) as { chain_time: number }
    assert.ok(later.chain_time - first.chain_time >= 100_000)
    const refused = await warp('{"seconds":-1}')
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [400, "body_invalid"])

    dev.child.kill("SIGTERM")
    const { code, stdout } = await dev.ended
    assert.equal(code, 0)
    assert.equal(stdout.split("\n").length, 2, "the ready line is all there is on standard output")
    await assertNothingLeft(dev, join(cwd, "here"))
  } finally {
    dev.child.kill("SIGKILL")
    await dev.ended
    rmSync(cwd, { recursive: true, force: true })
  }
})

// The parent-death signal that ends the others is Linux's.
if (process.platform === "linux")
  it("afg dev: a kill -9 takes everything with it", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "afg-dev-"))
    const dev = startAfg(["dev", "--data", "here"], {}, cwd)
    await dev.firstLine
    dev.child.kill("SIGKILL")
    await dev.gone()
    rmSync(cwd, { recursive: true, force: true })
  })
