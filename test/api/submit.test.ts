/** `POST /v1/jobs/{id}/submit`: nothing is taken that the chain would refuse, and a taken submission is safe to repeat. */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { after, before, describe, it } from "node:test"
import { agreed, funded, submissionOf } from "./support/jobs.ts"
import { type ApiWorld, agentOf, refused, startApi, unique } from "./support/world.ts"

describe("submit", () => {
  let world: ApiWorld
  let job: Awaited<ReturnType<typeof funded>>
  before(async () => {
    world = await startApi({ MAX_ARTIFACT_BYTES: "100000" })
    job = await funded(world)
  })
  after(async () => {
    await world.stop()
  })
  const provider = () => agentOf(world, "provider")
  const events = async (): Promise<number> =>
    (await world.orchestrator().core.store.db.selectFrom("afg.events").select("seq").where("job_id", "=", job.contract.job_id).execute())
      .length

  it("waits for the money", async () => {
    const { contract } = await agreed(world)
    await refused("wrong_state", provider().submit(contract.job_id, await submissionOf(world, contract, Buffer.from("too early"))))
  })

  it("wants the bytes first, no more than the contract allows, and uses nothing up", async () => {
    const { contract } = job
    const before = await events()
    await refused("deliverable_missing", provider().submit(contract.job_id, await submissionOf(world, contract, randomBytes(10))))
    const large = randomBytes(contract.deliverable.max_size_bytes + 1)
    await refused("body_too_large", provider().putArtifact(large, false, contract.job_id))
    // As a verifier's output would be stored: without the limit of uploads.
    const { store } = world.orchestrator().core
    const { sha256, size } = await store.blobs.put(large)
    await store.db.insertInto("afg.artifacts").values({ sha256, size, sealed: false, stored_at: 0, owner: "verifier" }).execute()
    await refused("deliverable_too_large", provider().submit(contract.job_id, await submissionOf(world, contract, large)))
    assert.equal(await events(), before)
  })

  it("takes deliverables larger than other artifacts when the contract says so, from the job's provider only", async () => {
    const { contract } = job
    const large = randomBytes(150_000)
    await refused("body_too_large", provider().putArtifact(large))
    await refused("body_too_large", agentOf(world, "mediator").putArtifact(large, false, contract.job_id))
    await refused("not_found", provider().putArtifact(large, false, "afg:job:NOSUCHJOB000"))
    assert.equal((await provider().putArtifact(large, false, contract.job_id)).size, large.length)
  })

  it("belongs to the provider, names the next number, and is signed for this job", async () => {
    const { contract } = job
    const bytes = randomBytes(64)
    await provider().putArtifact(bytes)
    const good = await submissionOf(world, contract, bytes)
    const before = await events()
    await refused("wrong_party", agentOf(world, "buyer").submit(contract.job_id, good))
    await refused("submission_out_of_turn", provider().submit(contract.job_id, { ...good, n: 2 }))
    const other = await agreed(world)
    const foreign = await submissionOf(world, other.contract, bytes)
    await refused("act_signature_invalid", provider().submit(contract.job_id, { ...good, signature: foreign.signature }))
    await refused("act_signature_invalid", provider().submit(contract.job_id, { ...good, uri: `${good.uri}x` }))
    const { railAuthorization: _left, ...without } = good
    for (const bad of [without, { ...good, railAuthorization: foreign.railAuthorization }, { ...good, railAuthorization: "0x" }])
      assert.equal((await refused("act_signature_invalid", provider().submit(contract.job_id, bad))).path, "/railAuthorization")
    assert.equal(await events(), before, "nothing was taken")
  })

  it("a patient's data must be stored sealed, and is then served to nobody", async () => {
    const { contract } = await funded(world, (plain) => ({ ...plain, deliverable: { ...plain.deliverable, phi: true } }))
    const [open, sealed] = [randomBytes(48), randomBytes(48)]
    await provider().putArtifact(open)
    await refused("artifact_not_sealed", provider().submit(contract.job_id, await submissionOf(world, contract, open)))
    await provider().putArtifact(sealed, true)
    const body = await submissionOf(world, contract, sealed)
    await provider().submit(contract.job_id, body)
    await refused("artifact_sealed", provider().getArtifact(body.sha256))
  })

  it("is relayed once; a repeated call, whenever and with whatever key, answers and changes nothing", async () => {
    const { contract } = job
    const bytes = randomBytes(128)
    await provider().putArtifact(bytes)
    const body = await submissionOf(world, contract, bytes)
    const key = { idempotencyKey: unique() }
    const [first, second] = await Promise.all([
      provider().submit(contract.job_id, body, key),
      provider().submit(contract.job_id, body, key),
    ])
    assert.deepEqual(first, second, "two at once get one answer")
    assert.notEqual(first.transaction, null)
    const onChain = await provider().until(contract.job_id, ({ tx }) => tx.submit.length > 0)
    assert.equal(onChain.state, "SUBMITTED")
    const count = await events()
    assert.deepEqual(await provider().submit(contract.job_id, body, key), first)
    const later = await provider().submit(contract.job_id, body)
    assert.equal(later.transaction, null, "it is on chain")
    assert.equal(await events(), count)
    await refused("idempotency_conflict", provider().submit(contract.job_id, { ...body, n: 2 }, key))
    await refused("wrong_state", provider().submit(contract.job_id, await submissionOf(world, contract, bytes, 2)))
  })
})
