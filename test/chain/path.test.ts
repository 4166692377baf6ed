/** From signed messages to money: what the lifecycle asks for, performed by the keeper, seen by the watcher, on real contracts. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { encodeFunctionData, zeroHash } from "viem"
import { erc8183EscrowAbi, testUsdcAbi } from "../../deployments/abi/index.ts"
import { chainNow, createKeeper, createWatcher, type Keeper, performActions, type Watcher } from "../../orchestrator/chain/index.ts"
import { fundingNonce } from "../../orchestrator/chain/rails/erc8183.ts"
import type { Rail } from "../../orchestrator/chain/rails/rail.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { assess, type Job, type JobEvent, next } from "../../orchestrator/state-machine/index.ts"
import { appendEvents } from "../../orchestrator/store/index.ts"
import {
  clientOf,
  digest,
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

describe("a job on the ERC-8183 rail", () => {
  let node: Node
  let rail: Rail
  let store: Awaited<ReturnType<typeof temporaryStore>>
  let keeper: Keeper
  let watcher: Watcher

  before(async () => {
    node = await startNode()
    rail = railOf(node.rpc, node.deployment)
    store = await temporaryStore()
    const log = () => {}
    const client = clientOf(node.rpc)
    keeper = await createKeeper({ client, account: localAccount("keeper").account, chainId: 31337, store, log })
    watcher = createWatcher({ client, chainId: 31337, rail, store, log, onJobs: async () => {}, onHead: async () => {} })
  })
  after(async () => {
    await watcher.close()
    await keeper.close()
    await store.remove()
    await node.stop()
  })

  const now = () => chainNow(clientOf(node.rpc))
  const note = async (job: TestJob, ...messages: Record<string, unknown>[]): Promise<void> => {
    const at = await now()
    await appendEvents(
      store.db,
      job.jobId,
      messages.map((message) => ({ ...message, source: "message", at }) as unknown as JobEvent),
    )
  }
  const balance = (role: "buyer" | "provider") =>
    node.test.readContract({
      address: node.deployment.contracts.TestUSDC.address,
      abi: testUsdcAbi,
      functionName: "balanceOf",
      args: [localAccount(role).address],
    })

  /** Performs what is due until nothing is; verification is answered with `verdict`. */
  const run = async (job: TestJob, verdict: "PASS" | "FAIL" = "PASS"): Promise<Job> => {
    const perform = performActions({
      rail,
      keeper,
      enqueueVerification: async ({ n, by }) => {
        const signed = await job.verdict(await load(store, job), verdict === "PASS" ? 1 : 2, by === "primary" ? "verifier" : "fallback")
        const { deliverableHash } = (await load(store, job)).facts
        await note(job, {
          type: "verdictSigned",
          n,
          by,
          verdict,
          merkleRoot: signed.merkleRoot,
          deliverableHash,
          signature: signed.signature,
          bundle: "b",
        })
      },
    })
    for (;;) {
      await watcher.look()
      const present = await load(store, job)
      const { actions } = next(present, await now())
      if (actions.length === 0) return present
      for (const action of actions) await perform(action, { jobId: job.jobId, job: present })
    }
  }

  const agree = async (label: string): Promise<TestJob> => {
    const job = await makeJob(node, rail, label)
    await post(store, job)
    const { buyer, provider, mediator, confirmation } = await job.bindSignatures()
    await note(
      job,
      { type: "posted" },
      { type: "signed", role: "buyer", signature: buyer },
      { type: "signed", role: "provider", signature: provider },
      { type: "signed", role: "mediator", signature: mediator },
      { type: "confirmed", requestId: label, ...confirmation, method: "passkey", loa: 2 },
    )
    return job
  }
  const fund = async (label: string): Promise<TestJob> => {
    const job = await agree(label)
    await note(job, { type: "fundingAuthorized", ...(await job.authorizeFunding()) })
    await run(job)
    return job
  }
  const warpTo = async (at: number): Promise<void> => {
    await node.test.setNextBlockTimestamp({ timestamp: BigInt(at) })
    await node.test.mine({ blocks: 1 })
  }

  it("confirmed, funded, delivered, passed, and the buyer silent: the provider is paid 39.40 of 40.00", async () => {
    const before = { provider: await balance("provider") }
    const job = await fund("paid")
    assert.deepEqual(await rail.view(job.terms), { status: "FUNDED", held: PRICE })
    await note(job, { type: "submissionReceived", ...(await job.submission(1)) })
    const passed = await run(job)
    assert.equal(assess(passed, await now()).state, "VERIFIED_PASS")
    const { wakeAt } = next(passed, await now())
    assert.ok(wakeAt)
    await warpTo(wakeAt - 2)
    assert.equal((await run(job)).facts.settled, null)
    await warpTo(wakeAt)
    const settled = await run(job)
    assert.equal(settled.facts.settled, "RELEASE")
    assert.equal(settled.facts.settledCause, "REVIEW_ELAPSED")
    assert.equal(settled.facts.settledRoot, passed.facts.merkleRoot)
    assert.equal((await balance("provider")) - before.provider, 39_400_000n)
    assert.deepEqual(settled.ignored, [])
    assert.deepEqual(settled.surprises, [])
    assert.deepEqual(Object.keys(settled.tx).sort(), ["bound", "funded", "railSubmitted", "settled", "submitted", "verdict"])
    assert.equal(settled.tx.railSubmitted, settled.tx.submitted, "handed in on the rail in the same transaction")
  })

  it("FAIL, resubmitted, passed, accepted by the buyer: released for CONCEDED at once", async () => {
    const job = await fund("accepted")
    await note(job, { type: "submissionReceived", ...(await job.submission(1)) })
    assert.equal(assess(await run(job, "FAIL"), await now()).state, "VERIFIED_FAIL")
    await note(job, { type: "submissionReceived", ...(await job.submission(2)) })
    const passed = await run(job)
    assert.equal(passed.facts.n, 2)
    await note(job, {
      type: "concessionReceived",
      rulingDigest: zeroHash,
      merkleRoot: passed.facts.merkleRoot,
      ...(await job.concession(passed, "buyer")),
    })
    const settled = await run(job)
    assert.equal(settled.facts.settledCause, "CONCEDED")
    assert.equal(settled.facts.settled, "RELEASE")
  })

  it("no submission by the deadline: refunded in full", async () => {
    const before = await balance("buyer")
    const job = await fund("silent")
    await warpTo(job.terms.clock.deliveryBy + 1)
    const settled = await run(job)
    assert.equal(settled.facts.settledCause, "NO_SUBMISSION")
    assert.equal(await balance("buyer"), before + PRICE)
  })

  it("bound and not funded: lapses on chain; money that comes afterwards is refunded as UNBOUND", async () => {
    const job = await agree("lapsed")
    await run(job)
    await warpTo(job.terms.clock.fundBy + 1)
    const lapsed = await run(job)
    assert.notEqual(lapsed.facts.lapsedAt, null)
    await sendAs(node, "panelist-1", rail.fund(job.terms, await job.authorizeFunding()))
    const refunded = await run(job)
    assert.equal(refunded.facts.settledCause, "UNBOUND")
    assert.deepEqual((await rail.view(job.terms)).status, "REFUNDED")
  })

  it("the client takes the rail's own refund after expiry: REFUNDED for ELSEWHERE", async () => {
    const job = await fund("expired")
    await note(job, { type: "submissionReceived", ...(await job.submission(1)) })
    await run(job)
    await warpTo(job.terms.clock.expiry)
    const claim = encodeFunctionData({ abi: erc8183EscrowAbi, functionName: "claimRefund", args: [job.railId] })
    await sendAs(node, "buyer", { to: rail.escrow, data: claim })
    const ended = await run(job)
    assert.equal(ended.facts.settledCause, "ELSEWHERE")
    assert.equal(assess(ended, await now()).state, "REFUNDED")
  })

  it("the client withdraws the job before funding it: REFUNDED for ELSEWHERE, and funding is refused", async () => {
    const job = await agree("withdrawn")
    await run(job)
    const withdraw = encodeFunctionData({ abi: erc8183EscrowAbi, functionName: "reject", args: [job.railId, zeroHash, "0x"] })
    await sendAs(node, "buyer", { to: rail.escrow, data: withdraw })
    assert.equal((await run(job)).facts.settledCause, "ELSEWHERE")
    await assert.rejects(keeper.send("fund", rail.fund(job.terms, await job.authorizeFunding()), { jobId: job.jobId }), {
      code: "chain_refused",
    })
  })

  it("the price's authorization can pay for nothing else: its nonce is the escrow's own", async () => {
    const salt = digest("nonce")
    const theirs = await node.test.readContract({
      address: rail.escrow,
      abi: erc8183EscrowAbi,
      functionName: "fundingNonce",
      args: [7n, PRICE, salt],
    })
    assert.equal(fundingNonce(31337, rail.escrow, 7n, PRICE, salt), theirs)
  })

  it("[probe 22] a verdict or concession signed for another job of the same contract is refused", async () => {
    const one = await fund("one")
    const other = await fund("other")
    for (const job of [one, other]) {
      await note(job, { type: "submissionReceived", ...(await job.submission(1)) })
      await watcher.look()
      const present = await load(store, job)
      const action = next(present, await now()).actions.find(({ kind }) => kind === "relay-submission")
      assert.ok(action?.kind === "relay-submission")
      await keeper.send(action.key, rail.submit(present, action.message), { jobId: job.jobId })
    }
    await watcher.look()
    const foreign = await one.verdict(await load(store, one), 1)
    const target = await load(store, other)
    await assert.rejects(keeper.send("verdict", rail.verdict(target, foreign), { jobId: other.jobId }), { code: "chain_refused" })
    const concession = await one.concession(await load(store, one), "provider")
    await assert.rejects(keeper.send("concede", rail.concede(target, concession), { jobId: other.jobId }), { code: "chain_refused" })
  })
})
