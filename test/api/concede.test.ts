/** `POST /v1/jobs/{id}/concede`: a party gives in, about what stands and nothing else. */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { after, before, describe, it } from "node:test"
import { agreed, concessionOf, funded, submissionOf } from "./support/jobs.ts"
import { type ApiWorld, agentOf, refused, startApi } from "./support/world.ts"

describe("concede", () => {
  let world: ApiWorld
  before(async () => {
    world = await startApi()
  })
  after(async () => {
    await world.stop()
  })
  const as = (role: "buyer" | "provider" | "mediator") => agentOf(world, role)

  it("the provider's ends the job with a refund; repeated, it says so", async () => {
    const { contract } = await funded(world)
    const body = await concessionOf(contract, "provider")
    await refused("wrong_party", as("mediator").concede(contract.job_id, body))
    await refused("act_signature_invalid", as("provider").concede(contract.job_id, await concessionOf(contract, "buyer")))
    await refused("wrong_state", as("buyer").concede(contract.job_id, await concessionOf(contract, "buyer")))
    const { transaction } = await as("provider").concede(contract.job_id, body)
    assert.notEqual(transaction, null)
    const job = await as("buyer").until(contract.job_id, ({ tx }) => tx.settle !== null)
    assert.deepEqual([job.state, job.cause, job.escrow.status], ["REFUNDED", "CONCEDED", "REFUNDED"])
    assert.equal((await as("provider").concede(contract.job_id, body)).transaction, null)
    await refused("window_closed", as("provider").concede(contract.job_id, await concessionOf(contract, "provider", { n: 1 })))
  })

  it("one about another submission, root or ruling is refused before it is kept", async () => {
    const { contract } = await funded(world)
    const bytes = randomBytes(32)
    await as("provider").putArtifact(bytes)
    await as("provider").submit(contract.job_id, await submissionOf(world, contract, bytes))
    const before = await as("provider").until(contract.job_id, ({ tx }) => tx.submit.length > 0)
    const root = `0x${"33".repeat(32)}`
    for (const about of [{ n: 0 }, { n: 2 }, { n: 1, merkleRoot: root }, { n: 1, rulingDigest: root }])
      await refused("act_outdated", as("buyer").concede(contract.job_id, await concessionOf(contract, "buyer", about)))
    assert.equal((await as("buyer").getJob(contract.job_id)).cursor, before.cursor)
    await as("buyer").concede(contract.job_id, await concessionOf(contract, "buyer", { n: 1 }))
    const job = await as("buyer").until(contract.job_id, ({ tx }) => tx.settle !== null)
    assert.deepEqual([job.state, job.cause], ["RELEASED", "CONCEDED"])
  })

  it("needs a funded job", async () => {
    const { contract } = await agreed(world)
    await refused("wrong_state", as("provider").concede(contract.job_id, await concessionOf(contract, "provider")))
  })
})
