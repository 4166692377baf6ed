/** The watcher on a real node: what it reads, once, in order, through gaps, restarts and reorganisations. */
import assert from "node:assert/strict"
import { after, afterEach, before, beforeEach, describe, it } from "node:test"
import { encodeFunctionData, zeroAddress } from "viem"
import { erc8183EscrowAbi } from "../../deployments/abi/index.ts"
import { chainNow, createWatcher, type Watcher, type WatcherOptions } from "../../orchestrator/chain/index.ts"
import type { Rail } from "../../orchestrator/chain/rails/rail.ts"
import { readEvents } from "../../orchestrator/store/index.ts"
import {
  clientOf,
  load,
  makeJob,
  type Node,
  PRICE,
  post,
  railOf,
  sendAs,
  startNode,
  type TestJob,
  temporaryStore,
} from "./support/chain.ts"

type Line = { level: string; message: string; details: Record<string, unknown> | undefined }

describe("watcher", () => {
  let node: Node
  let rail: Rail
  let store: Awaited<ReturnType<typeof temporaryStore>>
  let lines: Line[]
  let touched: string[]
  let open: Watcher[]

  before(async () => {
    node = await startNode()
    rail = railOf(node.rpc, node.deployment)
    store = await temporaryStore()
  })
  after(async () => {
    await store.remove()
    await node.stop()
  })
  beforeEach(() => {
    lines = []
    touched = []
    open = []
  })
  afterEach(async () => {
    await Promise.all(open.map((watcher) => watcher.close()))
  })

  const watch = (options: Partial<WatcherOptions> = {}): Watcher => {
    const watcher = createWatcher({
      client: clientOf(node.rpc),
      chainId: 31337,
      rail,
      store,
      onJobs: async (jobs) => {
        touched.push(...jobs)
      },
      onHead: async () => {},
      log: (level, message, details) => lines.push({ level, message, details }),
      ...options,
    })
    open.push(watcher)
    return watcher
  }

  const types = async (job: TestJob) => (await readEvents(store.db, job.jobId)).map(({ event }) => event.type)

  /** Bound and funded on chain by strangers to the orchestrator. */
  const fund = async (job: TestJob): Promise<void> => {
    await sendAs(node, "panelist-1", await job.bind())
    await sendAs(node, "panelist-1", rail.fund(job.terms, await job.authorizeFunding()))
  }

  it("gives a job what happened to it, in order, with block times and places", async () => {
    const job = await makeJob(node, rail, "in-order")
    await post(store, job)
    await fund(job)
    await watch().look()
    const events = (await readEvents(store.db, job.jobId)).map(({ event }) => event)
    assert.deepEqual(
      events.map(({ type }) => type),
      ["bound", "funded"],
    )
    const [bound, funded] = events
    assert.ok(bound?.source === "chain" && funded?.source === "chain")
    const block = await node.test.getBlock({ blockNumber: BigInt(bound.position.block) })
    assert.equal(bound.at, Number(block.timestamp))
    assert.equal(bound.position.blockHash, block.hash)
    assert.ok(funded.type === "funded" && funded.amount === PRICE.toString())
    assert.deepEqual(touched, ["in-order"])
  })

  it("looking twice, or with another watcher on the same store, adds nothing", async () => {
    const job = await makeJob(node, rail, "twice")
    await post(store, job)
    await fund(job)
    const first = watch()
    await first.look()
    await first.look()
    await watch().look()
    assert.deepEqual(await types(job), ["bound", "funded"])
    assert.deepEqual(touched, ["twice"])
  })

  it("reads what happened while nobody watched, over more blocks than one range takes", async () => {
    const job = await makeJob(node, rail, "away")
    await post(store, job)
    await watch().look()
    await fund(job)
    await node.test.mine({ blocks: 2_500 })
    await sendAs(node, "panelist-1", rail.submit(await load(store, job), await job.submission(1)))
    await watch().look()
    assert.deepEqual(await types(job), ["bound", "funded", "railSubmitted", "submitted"])
  })

  it("gives a job that is posted late what was read before", async () => {
    const job = await makeJob(node, rail, "late")
    await fund(job)
    const watcher = watch()
    await watcher.look()
    await post(store, job)
    await watcher.look()
    assert.deepEqual(await types(job), ["bound", "funded"])
    assert.deepEqual(touched, ["late"])
    assert.equal((await store.db.selectFrom("afg.chain_unclaimed").selectAll().where("rail_ref", "=", job.terms.ref).execute()).length, 0)
  })

  it("waits for the configured depth", async () => {
    const job = await makeJob(node, rail, "deep")
    await post(store, job)
    await sendAs(node, "panelist-1", await job.bind())
    const watcher = watch({ confirmations: 3 })
    await watcher.look()
    assert.deepEqual(await types(job), [])
    await node.test.mine({ blocks: 3 })
    await watcher.look()
    assert.deepEqual(await types(job), ["bound"])
  })

  for (const depth of [1, 2, 7, 64]) {
    it(`drops what a reorganisation of ${depth} blocks orphaned, and reads what replaced it`, async () => {
      const job = await makeJob(node, rail, `reorg-${depth}`)
      await post(store, job)
      await sendAs(node, "panelist-1", await job.bind())
      const watcher = watch()
      await watcher.look()
      const fork = await node.test.snapshot()
      const funding = rail.fund(job.terms, await job.authorizeFunding())
      await sendAs(node, "panelist-1", funding)
      if (depth > 2) await node.test.mine({ blocks: depth - 2 })
      await watcher.look()
      assert.equal((await load(store, job)).facts.fundedAt !== null, true)

      await node.test.revert({ id: fork })
      // The other branch: as long, other hashes, no funding.
      await node.test.setNextBlockTimestamp({ timestamp: BigInt(await chainNow(clientOf(node.rpc))) + 1_000n })
      await node.test.mine({ blocks: depth + 1 })
      touched = []
      await watcher.look()
      assert.deepEqual((await load(store, job)).facts.fundedAt, null)
      assert.notEqual((await load(store, job)).facts.boundAt, null)
      assert.ok(touched.includes(job.jobId))
      assert.ok(lines.some(({ message }) => message === "the chain was reorganised"))

      await sendAs(node, "panelist-1", rail.fund(job.terms, await job.authorizeFunding()))
      await watcher.look()
      assert.notEqual((await load(store, job)).facts.fundedAt, null)
      assert.equal((await load(store, job)).ignored.length, 0)
    })
  }

  it("follows a chain that has become shorter", async () => {
    const job = await makeJob(node, rail, "shorter")
    await post(store, job)
    const fork = await node.test.snapshot()
    await fund(job)
    const watcher = watch()
    await watcher.look()
    await node.test.revert({ id: fork })
    await watcher.look()
    assert.deepEqual(await types(job), [])
  })

  it("reads everything again when a reorganisation is deeper than what it remembers", async () => {
    const job = await makeJob(node, rail, "everything")
    await post(store, job)
    await sendAs(node, "panelist-1", await job.bind())
    const watcher = watch()
    await watcher.look()
    await store.db
      .updateTable("afg.chain_blocks")
      .set({ hash: `0x${"ab".repeat(32)}` })
      .execute()
    await node.test.mine({ blocks: 1 })
    await watcher.look()
    assert.deepEqual(await types(job), ["bound"])
  })

  it("is not impressed by logs that name no job, other Terms, or the resolver from elsewhere", async () => {
    const job = await makeJob(node, rail, "foreign")
    await post(store, { ...job, termsHash: `0x${"11".repeat(32)}` })
    await sendAs(node, "panelist-1", await job.bind())
    const create = encodeFunctionData({
      abi: erc8183EscrowAbi,
      functionName: "createJob",
      args: [zeroAddress, rail.resolver, BigInt(job.terms.clock.expiry), "not yours", zeroAddress],
    })
    await sendAs(node, "panelist-2", { to: rail.escrow, data: create })
    await watch().look()
    assert.deepEqual(await types(job), [])
    assert.ok(lines.some(({ message }) => message === "other Terms on a job's reference"))
  })

  it("passes over a log that it cannot read, says so, and reads on", async () => {
    const job = await makeJob(node, rail, "unreadable")
    await post(store, job)
    await fund(job)
    const torn: Rail = {
      ...rail,
      logs: {
        ...rail.logs,
        read: (log) => rail.logs.read({ ...log, data: log.data === "0x" ? log.data : (log.data.slice(0, 70) as `0x${string}`) }),
      },
    }
    await watch({ rail: torn }).look()
    assert.ok(lines.some(({ message }) => message === "a log that cannot be read"))
    const cursor = await store.db.selectFrom("afg.chain_cursor").selectAll().executeTakeFirstOrThrow()
    assert.equal(Number(cursor.next_block), Number(await node.test.getBlockNumber()) + 1)
  })

  it("refuses an RPC of another chain", async () => {
    await assert.rejects(watch({ chainId: 1 }).start(), { code: "chain_mismatch" })
  })

  it("says that the chain does not answer, and goes on when it does", async () => {
    await assert.rejects(watch({ client: clientOf("http://127.0.0.1:9") }).start(), { code: "chain_unavailable" })
  })

  it("a quiet chain does not stop the clock, and a moved clock is noticed", async () => {
    const client = clientOf(node.rpc)
    // Blocks mined in a row run ahead of the node's clock by a second each, so this is not the clock itself.
    const before = await chainNow(client)
    const heard: number[] = []
    const jumped = Promise.withResolvers<void>()
    const watcher = watch({
      pollMs: { busy: 20, idle: 20 },
      onHead: async (now) => {
        heard.push(now)
        if (now >= before + 80_000) jumped.resolve()
      },
    })
    await watcher.start()
    const block = await node.test.getBlockNumber()
    await node.test.increaseTime({ seconds: 86_400 })
    await jumped.promise
    assert.equal(await node.test.getBlockNumber(), block)
    assert.ok((await chainNow(client)) >= before + 80_000)
  })
})
