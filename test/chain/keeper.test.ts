/** The keeper on a real node: one effect per action, whatever dies or gets lost. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, beforeEach, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { encodeFunctionData, parseTransaction } from "viem"
import { testUsdcAbi } from "../../deployments/abi/index.ts"
import { createKeeper, type Keeper, type KeeperOptions } from "../../orchestrator/chain/index.ts"
import type { Call, Rail } from "../../orchestrator/chain/rails/rail.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import {
  clientOf,
  digest,
  load,
  makeJob,
  type Node,
  post,
  railOf,
  sendAs,
  startNode,
  type TestJob,
  temporaryStore,
} from "./support/chain.ts"
import { startLossyProxy } from "./support/lossy-proxy.ts"

const account = localAccount("keeper").account

describe("keeper", () => {
  let node: Node
  let rail: Rail
  let store: Awaited<ReturnType<typeof temporaryStore>>
  let job: TestJob
  let said: string[]
  let serial = 0
  /** Where keepers of their own process have their store. */
  let home: string
  const opened: Keeper[] = []

  before(async () => {
    node = await startNode()
    rail = railOf(node.rpc, node.deployment)
    store = await temporaryStore()
    home = mkdtempSync(join(tmpdir(), "afg-keeper-"))
  })
  after(async () => {
    rmSync(home, { recursive: true, force: true })
    await Promise.all(opened.map((keeper) => keeper.close()))
    await store.remove()
    await node.stop()
  })
  beforeEach(async () => {
    said = []
    job = await makeJob(node, rail, `job-${serial++}`)
    await post(store, job)
  })

  const openKeeper = async (options: Partial<KeeperOptions> = {}): Promise<Keeper> => {
    const keeper = await createKeeper({
      client: clientOf(node.rpc),
      account,
      chainId: 31337,
      store,
      pollMs: 20,
      log: (level, message) => said.push(`${level} ${message}`),
      ...options,
    })
    opened.push(keeper)
    return keeper
  }

  const nonce = () => node.test.getTransactionCount({ address: account.address })
  /** A call whose effects can be counted: one token more for a fresh address each time it is mined. */
  const countable = (label: string): { call: Call; effects: () => Promise<bigint> } => {
    const holder = `0x${digest(label).slice(2, 42)}` as const
    const token = node.deployment.contracts.TestUSDC.address
    return {
      call: {
        to: token,
        data: encodeFunctionData({ abi: testUsdcAbi, functionName: "mint", args: [holder, 1n] }),
        value: 0n,
        what: "mint one",
      },
      effects: () => node.test.readContract({ address: token, abi: testUsdcAbi, functionName: "balanceOf", args: [holder] }),
    }
  }
  const status = async (key: string) =>
    (await store.db.selectFrom("afg.transactions").selectAll().where("action_key", "=", `${job.jobId}/${key}`).executeTakeFirst())?.status

  it("sends a call once and answers where it is, however often and by however many it is asked", async () => {
    const keeper = await openKeeper()
    const { call, effects } = countable("once")
    const answers = await Promise.all([1, 2, 3].map(() => keeper.send("act", call, { jobId: job.jobId })))
    const again = await keeper.send("act", call, { jobId: job.jobId })
    const other = await (await openKeeper()).send("act", call, { jobId: job.jobId })
    assert.equal(await effects(), 1n)
    assert.equal(new Set([...answers, again, other].map(({ tx }) => tx)).size, 1)
    assert.equal(await status("act"), "mined")
  })

  it("gives every one of many calls at once a nonce of its own, without a gap", async () => {
    const keeper = await openKeeper()
    const before = await nonce()
    const calls = Array.from({ length: 24 }, (_, index) => countable(`many-${index}`))
    await Promise.all(calls.map(({ call }, index) => keeper.send(`act-${index}`, call, { jobId: job.jobId })))
    for (const { effects } of calls) assert.equal(await effects(), 1n)
    assert.equal(await nonce(), before + 24)
  })

  it("refuses what the chain would refuse, by the contract's own error, and spends nothing on it", async () => {
    const keeper = await openKeeper()
    const before = await nonce()
    await assert.rejects(keeper.send("settle", rail.settle(await load(store, job)), { jobId: job.jobId }), (error: unknown) => {
      assert.ok(error instanceof Error && "code" in error && "details" in error)
      assert.equal(error.code, "chain_refused")
      assert.deepEqual(error.details, { error: "NotBound", args: { ref: job.terms.ref } })
      return true
    })
    assert.equal(await nonce(), before)
    assert.equal(await status("settle"), undefined)
  })

  it("names the error of the call that failed inside a batch", async () => {
    const keeper = await openKeeper()
    await sendAs(node, "panelist-1", await job.bind())
    await sendAs(node, "panelist-1", rail.fund(job.terms, await job.authorizeFunding()))
    const unbound = { ...(await load(store, job)) }
    const submission = await job.submission(1)
    const tampered = rail.submit(unbound, { ...submission, uri: "ipfs://another" })
    await assert.rejects(keeper.send("submit", tampered, { jobId: job.jobId }), (error: unknown) => {
      assert.ok(error instanceof Error && "details" in error)
      assert.equal((error.details as { error: string }).error, "InvalidSignature")
      return true
    })
    await keeper.send("submit", rail.submit(unbound, submission), { jobId: job.jobId })
  })

  it("a refused action can be performed once its time has come", async () => {
    const keeper = await openKeeper()
    const early = rail.fund(job.terms, await job.authorizeFunding())
    await assert.rejects(keeper.send("lapse", rail.lapse(await load(store, job)), { jobId: job.jobId }), { code: "chain_refused" })
    await keeper.send("bind", await job.bind(), { jobId: job.jobId })
    await keeper.send("fund", early, { jobId: job.jobId })
  })

  it("[lost reply] a transaction whose sending was not answered is found, not sent again", async () => {
    const proxy = await startLossyProxy(node.rpc)
    try {
      const keeper = await openKeeper({ client: clientOf(proxy.url) })
      await keeper.send("bind", await job.bind(), { jobId: job.jobId })
      const funding = rail.fund(job.terms, await job.authorizeFunding())
      const before = await nonce()
      proxy.loseReplyOf("eth_sendRawTransaction")
      const { tx } = await keeper.send("fund", funding, { jobId: job.jobId })
      assert.equal(await nonce(), before + 1)
      const held = await node.test.getTransactionReceipt({ hash: tx })
      assert.equal(held.status, "success")
      assert.ok(said.some((line) => line.includes("answered a transaction with an error")))
      assert.equal(
        await node.test.readContract({ address: rail.resolver, abi: RAIL_STATE, functionName: "railStateOf", args: [job.terms.ref] }),
        1,
      )
    } finally {
      await proxy.close()
    }
  })

  for (const lost of ["eth_estimateGas", "eth_getTransactionCount", "eth_getTransactionReceipt"]) {
    it(`[lost reply] ${lost} unanswered neither doubles nor drops the action`, async () => {
      const proxy = await startLossyProxy(node.rpc)
      try {
        const keeper = await openKeeper({ client: clientOf(proxy.url) })
        const { call, effects } = countable(`lost-${lost}`)
        proxy.loseReplyOf(lost)
        await keeper
          .send("act", call, { jobId: job.jobId })
          .catch((error: { code: string }) => assert.equal(error.code, "chain_unavailable"))
        await keeper.send("act", call, { jobId: job.jobId })
        assert.equal(await effects(), 1n)
      } finally {
        await proxy.close()
      }
    })
  }

  it("replaces a stuck transaction by one with a higher fee and the same nonce; one of them is mined", async () => {
    const keeper = await openKeeper({ stuckMs: 100 })
    const { call, effects } = countable("stuck")
    await node.test.setAutomine(false)
    try {
      const before = await nonce()
      const sending = keeper.send("act", call, { jobId: job.jobId })
      const kept = async () => {
        const row = await store.db
          .selectFrom("afg.transactions")
          .selectAll()
          .where("action_key", "=", `${job.jobId}/act`)
          .executeTakeFirst()
        return (JSON.parse(row?.raw ?? "[]") as `0x${string}`[]).map((raw) => parseTransaction(raw))
      }
      await until(async () => (await kept()).length >= 3)
      const versions = await kept()
      assert.deepEqual(new Set(versions.map((one) => one.nonce)), new Set([before]))
      for (const [index, one] of versions.entries()) {
        const earlier = versions[index - 1]
        if (earlier === undefined) continue
        assert.ok((one.maxFeePerGas ?? 0n) * 10n >= (earlier.maxFeePerGas ?? 0n) * 11n)
        assert.equal(one.data, earlier.data)
      }
      await node.test.mine({ blocks: 1 })
      await sending
      assert.equal(await effects(), 1n)
      assert.equal(await nonce(), before + 1)
    } finally {
      await node.test.setAutomine(true)
    }
  })

  it("answers chain_pending with the hash while it waits, and the same transaction when asked again", async () => {
    const keeper = await openKeeper({ waitMs: 50 })
    const { call, effects } = countable("slow")
    await node.test.setAutomine(false)
    try {
      let hash: unknown
      await assert.rejects(keeper.send("act", call, { jobId: job.jobId }), (error: unknown) => {
        assert.ok(error instanceof Error && "code" in error && "details" in error)
        assert.equal(error.code, "chain_pending")
        hash = (error.details as { tx: string }).tx
        return true
      })
      await node.test.mine({ blocks: 1 })
      assert.equal((await keeper.send("act", call, { jobId: job.jobId })).tx, hash)
      assert.equal(await effects(), 1n)
    } finally {
      await node.test.setAutomine(true)
    }
  })

  it("records a transaction that reverts on chain, says why, and tries again only when it would work", async () => {
    const keeper = await openKeeper()
    await keeper.send("bind", await job.bind(), { jobId: job.jobId })
    const authorization = await job.authorizeFunding()
    const funding = rail.fund(job.terms, authorization)
    await node.test.setAutomine(false)
    const sending = keeper.send("fund", funding, { jobId: job.jobId })
    sending.catch(() => undefined)
    try {
      await until(async () => (await node.test.getTransactionCount({ address: account.address, blockTag: "pending" })) > (await nonce()))
      // Someone else is faster: the same authorization, at a higher price.
      const rival = localAccount("panelist-1").account
      const raw = await rival.signTransaction({
        type: "eip1559",
        chainId: 31337,
        nonce: await node.test.getTransactionCount({ address: rival.address }),
        to: funding.to,
        data: funding.data,
        gas: 1_000_000n,
        maxFeePerGas: 500_000_000_000n,
        maxPriorityFeePerGas: 400_000_000_000n,
      })
      await node.test.sendRawTransaction({ serializedTransaction: raw })
      await node.test.mine({ blocks: 1 })
    } finally {
      await node.test.setAutomine(true)
    }
    await assert.rejects(sending, (error: unknown) => {
      assert.ok(error instanceof Error && "code" in error && "details" in error)
      assert.equal(error.code, "chain_reverted")
      assert.equal((error.details as { error: string }).error, "WrongStatus")
      return true
    })
    assert.equal(await status("fund"), "reverted")
    await assert.rejects(keeper.send("fund", funding, { jobId: job.jobId }), { code: "chain_refused" })
    assert.equal(await status("fund"), "reverted")
  })

  it("stops at the gas budget of a job and of a wallet", async () => {
    const poor = await openKeeper({ budget: { perJob: 100_000n, perWallet: 10_000_000n } })
    const first = countable("budget-1")
    await poor.send("one", first.call, { jobId: job.jobId })
    await assert.rejects(poor.send("two", countable("budget-2").call, { jobId: job.jobId }), { code: "gas_budget_exhausted" })
    const another = await makeJob(node, rail, `job-${serial++}`)
    await post(store, another)
    await poor.send("one", countable("budget-3").call, { jobId: another.jobId })
    const poorest = await openKeeper({ budget: { perJob: 10_000_000n, perWallet: 100_000n } })
    await assert.rejects(poorest.send("two", countable("budget-4").call, { jobId: another.jobId }), { code: "gas_budget_exhausted" })
    assert.equal(await countable("budget-4").effects(), 0n)
  })

  it("goes on when another program has used the key: a nonce that is gone is given up, the action is not", async () => {
    const keeper = await openKeeper({ waitMs: 5_000 })
    const { call, effects } = countable("shared-key")
    await node.test.setAutomine(false)
    const sending = keeper.send("act", call, { jobId: job.jobId })
    sending.catch(() => undefined)
    try {
      const next = await nonce()
      await until(async () => (await node.test.getTransactionCount({ address: account.address, blockTag: "pending" })) > next)
      const raw = await account.signTransaction({
        type: "eip1559",
        chainId: 31337,
        nonce: next,
        to: account.address,
        gas: 21_000n,
        maxFeePerGas: 900_000_000_000n,
        maxPriorityFeePerGas: 800_000_000_000n,
      })
      await node.test.sendRawTransaction({ serializedTransaction: raw })
      await node.test.mine({ blocks: 1 })
    } finally {
      await node.test.setAutomine(true)
    }
    await assert.rejects(sending, { code: "chain_nonce_taken" })
    assert.equal(await status("act"), "dropped")
    await keeper.send("act", call, { jobId: job.jobId })
    assert.equal(await effects(), 1n)
  })

  it("[reorganisation] what was mined and is not any more goes out again as it was, with all that came before it", async () => {
    const keeper = await openKeeper()
    const fork = await node.test.snapshot()
    const before = await nonce()
    const calls = [1, 2, 3].map((index) => countable(`reorg-${index}`))
    const sent = []
    for (const [index, { call }] of calls.entries()) sent.push(await keeper.send(`act-${index}`, call, { jobId: job.jobId }))
    await node.test.revert({ id: fork })
    assert.equal(await nonce(), before)
    const [, , third] = calls
    assert.ok(third)
    const again = await keeper.send("act-2", third.call, { jobId: job.jobId })
    assert.equal(again.tx, sent[2]?.tx)
    for (const { effects } of calls) assert.equal(await effects(), 1n)
    assert.equal(await nonce(), before + 3)
  })

  // Killed between storing and sending, and between sending and the reply; after that only the book-keeping is left.
  for (const point of ["keeper.prepared", "keeper.sent", ...(process.env.AFG_DEEP ? ["keeper.mined"] : [])]) {
    it(`[kill -9] at ${point}, then started again: the effect of once`, async () => {
      const { call, effects } = countable(`killed-${point}`)
      const before = await nonce()
      const start = (failpoint?: string) =>
        runKeeper([node.rpc, home, job.jobId, "act", call.to, call.data], failpoint === undefined ? {} : { AFG_FAILPOINT: failpoint })
      assert.equal((await start(point)).signal, "SIGKILL")
      const second = await start()
      assert.equal(second.code, 0, second.errors)
      assert.equal(await effects(), 1n)
      assert.equal(await nonce(), before + 1)
      const { tx } = JSON.parse(second.output) as { tx: `0x${string}` }
      assert.equal((await node.test.getTransactionReceipt({ hash: tx })).status, "success")
    })
  }
})

const RAIL_STATE = [
  {
    type: "function",
    name: "railStateOf",
    stateMutability: "view",
    inputs: [{ name: "ref", type: "bytes32" }],
    outputs: [{ type: "uint8" }],
  },
] as const

/** Looks until it holds; the test's own time limit ends it. */
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}

type Ended = { code: number | null; signal: NodeJS.Signals | null; output: string; errors: string }

const runKeeper = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL("./support/keeper-process.ts", import.meta.url))
    const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let errors = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk
    })
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk
    })
    child.once("error", reject)
    child.once("close", (code, signal) => resolve({ code, signal, output, errors }))
  })
