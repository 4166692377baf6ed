/** `POST /v1/speccheck`, `POST /v1/jobs`, `GET /v1/jobs/{id}`, `POST /v1/jobs/{id}/sign`: from a contract to an agreement. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { createWalletClient, type Hex, http } from "viem"
import { hardhat } from "viem/chains"
import { jobAnswer, speccheckAnswer } from "../../orchestrator/api/schemas.ts"
import { createTransport } from "../../orchestrator/client/transport.ts"
import type { Contract } from "../../orchestrator/contract/index.ts"
import { contractHash } from "../../orchestrator/contract/index.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { countOpenJobs } from "../../orchestrator/store/index.ts"
import { draft, signatureOf } from "./support/jobs.ts"
import { send } from "./support/quiet.ts"
import { type ApiWorld, agentOf, refused, startApi, unique } from "./support/world.ts"

const LIMIT = 5

describe("jobs", () => {
  let world: ApiWorld
  before(async () => {
    world = await startApi({ MAX_OPEN_JOBS: String(LIMIT + 1) })
  })
  after(async () => {
    await world.stop()
  })
  const buyer = () => agentOf(world, "buyer")
  const stored = async (): Promise<unknown> => {
    const { db } = world.orchestrator().core.store
    return Promise.all([db.selectFrom("afg.jobs").select("job_id").execute(), db.selectFrom("afg.events").selectAll().execute()])
  }

  it("speccheck: a good contract is valid and acceptable, for anyone; answers have the documented shape", async () => {
    const { contract } = await draft(world)
    const report = await buyer().speccheck(contract)
    assert.deepEqual(report, speccheckAnswer.parse(report))
    assert.deepEqual([report.valid, report.acceptable, report.rejects, report.contract_hash], [true, true, [], contractHash(contract)])
    const unsigned = await send(world.origin, { path: "/v1/speccheck", body: JSON.stringify(contract), role: null })
    assert.deepEqual(unsigned.json, report)
  })

  it("speccheck: what is no contract is not valid; what the chain contradicts is not acceptable", async () => {
    for (const body of ["", "{}", "[]", '{"a":1,"a":2}', '{"a":-0}', "nonsense"]) {
      const { status, json } = await send(world.origin, { path: "/v1/speccheck", body, role: null })
      assert.deepEqual([status, json.valid, json.acceptable], [200, false, false], body)
    }
    const { contract } = await draft(world)
    const foreign = { ...contract, escrow: { ...contract.escrow, contract: localAccount("keeper").address } }
    const report = await buyer().speccheck(foreign)
    assert.deepEqual([report.valid, report.acceptable], [true, false])
    assert.deepEqual(
      report.rejects.map(({ code }) => code),
      ["escrow-not-admitted"],
    )
  })

  it("post: the buyer's, once; a lost answer is given again, another post of it is refused", async () => {
    const { contract } = await draft(world)
    await refused("wrong_party", agentOf(world, "provider").postJob(contract))
    const key = { idempotencyKey: unique() }
    const [one, two] = await Promise.all([buyer().postJob(contract, key), buyer().postJob(contract, key)])
    assert.deepEqual(one, two)
    assert.deepEqual(one, jobAnswer.parse(one))
    assert.equal(one.state, "DRAFT")
    const before = await stored()
    await refused("job_exists", buyer().postJob(contract))
    await refused("job_exists", buyer().postJob(contract, { idempotencyKey: unique() }))
    await refused("idempotency_conflict", buyer().postJob({ ...contract, job_id: "afg:job:ANOTHER00000" }, key))
    await world.restart()
    assert.deepEqual(await buyer().postJob(contract, key), one, "kept across the restart")
    // As if the process had died between keeping the job and keeping the answer.
    const { db } = world.orchestrator().core.store
    await db.updateTable("afg.idempotency_keys").set({ status: null, answer: null }).where("key", "=", key.idempotencyKey).execute()
    const { job_id, state, terms_hash } = await buyer().postJob(contract, key)
    assert.deepEqual([job_id, state, terms_hash], [one.job_id, "DRAFT", one.terms_hash])
    assert.deepEqual(await stored(), before)
  })

  it("post: what the linter rejects, or a signature of somebody else, is refused and not kept", async () => {
    const { contract } = await draft(world)
    const before = await stored()
    const rejected: [contract: unknown, code: string][] = [
      [{ ...contract, price: { ...contract.price, amount: "40.0000001" } }, "contract_rejected"],
      [{ ...contract, job_id: "afg:job:\u0000" }, "contract_rejected"],
      [{ ...contract, escrow: { ...contract.escrow, escrow_ref: "999999" } }, "contract_rejected"],
      [{ ...contract, signatures: { buyer: await signatureOf(contract, "provider") } }, "act_signature_invalid"],
    ]
    for (const [bad, code] of rejected) await refused(code, buyer().postJob(bad))
    assert.deepEqual(await stored(), before)
  })

  it("sign: by each role's own key, over these Terms; the third makes it agreed", async () => {
    const { contract } = await draft(world)
    const { job_id: id } = await buyer().postJob({ ...contract, signatures: { buyer: await signatureOf(contract, "buyer") } })
    await refused("wrong_party", agentOf(world, "mediator").sign(id, "provider", await signatureOf(contract, "provider")))
    const changed: Contract = { ...contract, price: { ...contract.price, amount: "41.00" } }
    const before = await stored()
    for (const bad of [
      await signatureOf(changed, "provider"),
      await signatureOf(contract, "mediator"),
      "0x",
      `0x${"11".repeat(65)}`,
    ] as Hex[])
      await refused("act_signature_invalid", agentOf(world, "provider").sign(id, "provider", bad))
    assert.deepEqual(await stored(), before)
    await agentOf(world, "provider").sign(id, "provider", await signatureOf(contract, "provider"))
    const agreed = await agentOf(world, "mediator").sign(id, "mediator", await signatureOf(contract, "mediator"))
    assert.equal(agreed.state, "AGREED")
    assert.deepEqual(Object.keys((agreed.contract as Contract).signatures ?? {}).sort(), ["buyer", "mediator", "provider"])
    const again = await agentOf(world, "mediator").sign(id, "mediator", await signatureOf(contract, "mediator"))
    assert.equal(again.cursor, agreed.cursor, "signing again changes nothing")
    assert.deepEqual(await buyer().getJob(id), jobAnswer.parse(await buyer().getJob(id)))
  })

  it("a contract wallet signs requests; when the chain says no, it is no", async () => {
    const owner = localAccount("keeper")
    const wallet = createWalletClient({ account: owner.account, chain: hardhat, transport: http(world.node.rpc), cacheTime: 0 })
    const file = join(projectRoot, "artifacts/test/contracts/doubles/Wallets.sol/OwnedWallet.json")
    const { abi, bytecode } = JSON.parse(readFileSync(file, "utf8")) as { abi: []; bytecode: Hex }
    const hash = await wallet.deployContract({ abi, bytecode, args: [localAccount("buyer").address] as never })
    const { contractAddress } = await world.node.test.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    if (!contractAddress) throw new Error("deployed")
    const as = (role: "buyer" | "provider") =>
      createTransport({
        api: world.origin,
        signer: { address: contractAddress, signMessage: (message) => localAccount(role).account.signMessage({ message }) },
      }).json<{ size: number }>("/v1/artifacts", { method: "POST", body: Buffer.from(unique()) })
    assert.equal((await as("buyer")).size, 32)
    await refused("signature_invalid", as("provider"))
  })

  it("at most so many open jobs per wallet, also when they are posted at once", async () => {
    const open = (): Promise<number> => countOpenJobs(world.orchestrator().core.store.db, localAccount("buyer").address)
    const drafts = []
    for (let left = LIMIT + 1 - (await open()) + 2; left > 0; left--) drafts.push(await draft(world))
    const ends = await Promise.allSettled(drafts.map(({ contract }) => buyer().postJob(contract)))
    assert.equal(ends.filter(({ status }) => status === "rejected").length, 2)
    for (const end of ends) if (end.status === "rejected") assert.equal(end.reason.code, "too_many_jobs")
    assert.equal(await open(), LIMIT + 1)
  })

  it("after fund_by nobody signs any more", async () => {
    const open = await world.orchestrator().core.store.db.selectFrom("afg.jobs").select("job_id").execute()
    const id = open.at(-1)?.job_id ?? ""
    const { contract } = (await buyer().getJob(id)) as unknown as { contract: Contract }
    await world.node.test.increaseTime({ seconds: 43_300 })
    await world.node.test.mine({ blocks: 1 })
    await refused("window_closed", agentOf(world, "provider").sign(id, "provider", await signatureOf(contract, "provider")))
    assert.equal((await buyer().until(id, ({ state }) => state === "LAPSED")).cause, "NOT_FUNDED")
  })
})
