/** `POST /v1/jobs/{id}/fund`: money locks only behind the buyer's human, once per decision (AACP §8). */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { p256 } from "@noble/curves/p256"
import { afgResolverAbi } from "../../deployments/abi/index.ts"
import type { FundAnswer } from "../../orchestrator/client/client.ts"
import { agreed, authorizationFor, bound, type Decided, decide, draft, funded, signatureOf, upload } from "./support/jobs.ts"
import { type ApiWorld, agentOf, refused, startApi, unique } from "./support/world.ts"

describe("fund", () => {
  let world: ApiWorld
  before(async () => {
    world = await startApi()
  })
  after(async () => {
    await world.stop()
  })
  const buyer = () => agentOf(world, "buyer")
  const binds = async (): Promise<number> =>
    (
      await world.node.test.getContractEvents({
        address: world.node.deployment.contracts.AFGResolver.address,
        abi: afgResolverAbi,
        eventName: "Bound",
        fromBlock: 0n,
      })
    ).length
  const used = async (): Promise<number> =>
    (await world.orchestrator().core.store.db.selectFrom("afg.confirmations").select("request_id").execute()).length

  it("asks first: 428 with the request, and nothing is used up", async () => {
    const { contract } = await agreed(world)
    const problem = await refused("confirmation_required", buyer().fund(contract.job_id, "", undefined))
    assert.equal(problem.status, 428)
    assert.equal(problem.outcome, "absent")
    const request = problem.request as Record<string, unknown>
    assert.equal((request["afg-contract"] as { job_id: string }).job_id, contract.job_id)
    const again = (await refused("confirmation_required", buyer().fund(contract.job_id, "", undefined))).request as Record<string, unknown>
    assert.equal(again["action-digest"], request["action-digest"], "asking again is about the same action")
    assert.notEqual(again["request-id"], request["request-id"])
    assert.notEqual(again.challenge, request.challenge)
  })

  it("binds, hands out the funding call, and the authorization is relayed once", async () => {
    const { answer, job } = await funded(world)
    assert.equal(answer.status, "bound")
    assert.equal(answer.funding?.transactions.length, 2)
    assert.equal(job.state, "FUNDED")
    assert.deepEqual(job.escrow, { status: "FUNDED", amount: "40.00" })
    await refused("wrong_state", buyer().confirmationRequest(job.job_id))
  })

  it("the same evidence in two calls at once: one success, one confirmation_replay, one bind (probe 4)", async () => {
    const { contract } = await agreed(world)
    const { evidence, confirmation } = await decide(world, contract.job_id)
    const before = { binds: await binds(), used: await used() }
    const ends = await Promise.allSettled(
      [unique(), unique()].map((idempotencyKey) => buyer().fund(contract.job_id, evidence, confirmation, { idempotencyKey })),
    )
    assert.deepEqual(ends.map((end) => (end.status === "fulfilled" ? end.value.status : end.reason.code)).sort(), [
      "bound",
      "confirmation_replay",
    ])
    assert.deepEqual({ binds: await binds(), used: await used() }, { binds: before.binds + 1, used: before.used + 1 })
  })

  it("evidence sent twice without any Idempotency-Key is a replay", async () => {
    const { contract, decided } = await bound(world)
    const path = `/v1/jobs/${encodeURIComponent(contract.job_id)}/fund`
    const signed = await rawFund(path, decided)
    assert.equal(signed.code, "confirmation_replay")
  })

  it("the same evidence with the same key says how its bind stands: at once, later, and after a restart", async () => {
    const { contract } = await agreed(world)
    const { evidence, confirmation } = await decide(world, contract.job_id)
    const before = await binds()
    const act = { idempotencyKey: unique() }
    const call = (): Promise<FundAnswer> => buyer().fund(contract.job_id, evidence, confirmation, act)
    const both = await Promise.all([call(), call()])
    await world.restart()
    const third = await call()
    assert.deepEqual(new Set([...both, third].map(({ status, bind }) => `${status} ${bind}`)).size, 1)
    assert.equal(await binds(), before + 1)
    await refused("confirmation_replay", buyer().fund(contract.job_id, evidence, confirmation, { idempotencyKey: unique() }))
  })

  it("evidence for another job of the same buyer is a mismatch, whatever the amount (probe 7)", async () => {
    const one = await agreed(world)
    const other = await agreed(world)
    const { evidence, confirmation } = await decide(world, one.contract.job_id)
    const problem = await refused("confirmation_mismatch", buyer().fund(other.contract.job_id, evidence, confirmation))
    assert.equal(problem.status, 409)
    assert.equal((await buyer().getJob(other.contract.job_id)).tx.bind, null)
  })

  it("a denial is told as such and ends the action until the human turns to it again", async () => {
    const { contract } = await agreed(world)
    const { evidence } = await decide(world, contract.job_id, "reject")
    const problem = await refused("confirmation_denied", buyer().fund(contract.job_id, evidence, undefined))
    assert.equal(problem.status, 403)
  })

  it("a changed, cut or foreign evidence is invalid; a good one is still good afterwards", async () => {
    const { contract } = await agreed(world)
    const { evidence, confirmation } = await decide(world, contract.job_id)
    const [header, payload = "", signature] = evidence.split(".")
    const content = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as Record<string, unknown>
    const without = (member: string): string => {
      const { [member]: _left, ...rest } = content
      return `${header}.${Buffer.from(JSON.stringify(rest)).toString("base64url")}.${signature}`
    }
    for (const bad of [
      without("audience"),
      without("challenge"),
      `${header}.${payload}`,
      "x",
      `${header}.${payload}.${signature?.slice(4)}AAAA`,
    ])
      await refused("confirmation_invalid", buyer().fund(contract.job_id, bad, confirmation))
    assert.equal((await buyer().fund(contract.job_id, evidence, confirmation)).status, "bound")
  })

  it("good evidence with a bad on-chain confirmation is not used up", async () => {
    const { contract } = await agreed(world)
    const { evidence, confirmation } = await decide(world, contract.job_id)
    if (confirmation === undefined) throw new Error("confirmed")
    const before = await used()
    const stranger = p256.sign(new Uint8Array(32).fill(1), new Uint8Array(32).fill(7), { prehash: false, lowS: true }).toCompactHex()
    const bad: (Decided["confirmation"] | undefined)[] = [
      undefined,
      { ...confirmation, signature: `0x${stranger}` },
      { ...confirmation, signature: "0x" },
      { ...confirmation, notAfter: confirmation.notAfter + 1 },
      { ...confirmation, evidenceDigest: `0x${"11".repeat(32)}` },
      { ...confirmation, signer: "0x1234" },
    ]
    for (const wrong of bad) await refused("confirmation_signature_invalid", buyer().fund(contract.job_id, evidence, wrong))
    assert.equal(await used(), before)
    assert.equal((await buyer().fund(contract.job_id, evidence, confirmation)).status, "bound")
  })

  it("evidence in the header and another in the body are refused", async () => {
    const { contract } = await agreed(world)
    const signed = await rawFund(`/v1/jobs/${encodeURIComponent(contract.job_id)}/fund`, {
      evidence: "a.b.c",
      confirmation: undefined,
      body: { evidence: "d.e.f" },
    })
    assert.equal(signed.code, "body_invalid")
  })

  it("belongs to the buyer", async () => {
    const { contract } = await agreed(world)
    for (const role of ["provider", "mediator", "keeper"] as const)
      await refused("wrong_party", agentOf(world, role).confirmationRequest(contract.job_id))
  })

  it("waits for all three signatures and all inputs", async () => {
    const { contract, inputs } = await draft(world)
    await buyer().postJob(contract)
    await refused("wrong_state", buyer().confirmationRequest(contract.job_id))
    for (const role of ["buyer", "provider", "mediator"] as const)
      await agentOf(world, role).sign(contract.job_id, role, await signatureOf(contract, role))
    const missing = await refused("inputs_missing", buyer().confirmationRequest(contract.job_id))
    assert.deepEqual(missing.inputs, ["repo@base", "tests", "hidden_tests"])
    await upload(buyer(), inputs)
    await buyer().confirmationRequest(contract.job_id)
  })

  it("a sealed input that its buyer stored openly is not accepted, and stays open", async () => {
    const { contract, inputs } = await draft(world)
    await upload(buyer(), inputs, false)
    await upload(buyer(), inputs, true)
    await buyer().postJob(contract)
    for (const role of ["buyer", "provider", "mediator"] as const)
      await agentOf(world, role).sign(contract.job_id, role, await signatureOf(contract, role))
    const problem = await refused("artifact_not_sealed", buyer().confirmationRequest(contract.job_id))
    assert.deepEqual(problem.inputs, ["hidden_tests"])
  })

  it("an authorization that is not the buyer's, for another price, ended, or early is refused; a good one may be repeated", async () => {
    const early = await agreed(world)
    const { contract, answer } = await bound(world)
    const good = await authorizationFor(answer)
    await refused("wrong_state", buyer().authorizeFunding(early.contract.job_id, good))
    await refused("wrong_party", agentOf(world, "provider").authorizeFunding(contract.job_id, good))
    await refused("act_signature_invalid", buyer().authorizeFunding(contract.job_id, { ...good, validBefore: good.validBefore - 1 }))
    await refused("act_signature_invalid", buyer().authorizeFunding(contract.job_id, { ...good, salt: `0x${"22".repeat(32)}` }))
    await refused("window_closed", buyer().authorizeFunding(contract.job_id, { ...good, validBefore: 1 }))
    const key = { idempotencyKey: unique() }
    const first = await buyer().authorizeFunding(contract.job_id, good, key)
    assert.deepEqual((await buyer().authorizeFunding(contract.job_id, good)).transaction?.to, first.transaction?.to)
    const repeated = await buyer().authorizeFunding(contract.job_id, good, key)
    assert.deepEqual(repeated, first, "the kept answer")
  })

  /** A signed call without the client's own Idempotency-Key. */
  const rawFund = async (path: string, { evidence, confirmation, body }: Decided & { body?: object }): Promise<Record<string, unknown>> => {
    const { signRequest } = await import("../../orchestrator/api/signed-request.ts")
    const { localAccount } = await import("../../orchestrator/local-accounts.ts")
    const { account, address } = localAccount("buyer")
    const bytes = Buffer.from(JSON.stringify(body ?? { confirmation }))
    const headers = await signRequest(
      { method: "POST", path, body: bytes, address, nonce: unique(), timestamp: Math.floor(Date.now() / 1_000) },
      (message) => account.signMessage({ message }),
    )
    const response = await fetch(`${world.origin}${path}`, {
      method: "POST",
      headers: { ...headers, "AACP-Evidence": evidence },
      body: bytes,
    })
    return (await response.json()) as Record<string, unknown>
  }
})
