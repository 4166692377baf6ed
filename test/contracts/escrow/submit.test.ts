import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { ALL_STATUSES, DELIVERABLE, jobIn, STATUS } from "../support/escrow.ts"
import { escrowDomain, hash, SUBMIT_JOB_TYPES } from "../support/job.ts"
import { buyer, malleate, provider } from "../support/keys.ts"
import { assertions, atTime, freshWorld, type World } from "../support/world.ts"

const authorize = (world: World, jobId: bigint, signer = provider, deliverable = DELIVERABLE) =>
  signer.signTypedData({
    domain: escrowDomain(world.escrow.address),
    types: SUBMIT_JOB_TYPES,
    primaryType: "SubmitJob",
    message: { jobId, deliverable },
  })

describe("submit", () => {
  it("records the provider's deliverable", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Funded")
    await assertions.emitWithArgs(job.asProvider.write.submit([job.id, DELIVERABLE, "0x"]), world.escrow, "JobSubmitted", [
      job.id,
      provider.address,
      DELIVERABLE,
    ])
    const stored = await world.escrow.read.getJob([job.id])
    assert.deepEqual([stored.status, stored.deliverable], [STATUS.Submitted, DELIVERABLE])
  })

  it("is the provider's", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Funded")
    await assertions.revertWithCustomErrorWithArgs(job.asClient.write.submit([job.id, DELIVERABLE, "0x"]), world.escrow, "Unauthorized", [
      job.id,
      buyer.address,
    ])
  })

  it("E7: counts one second before expiry, not at it", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Funded")
    await atTime(job.expiredAt, () =>
      assertions.revertWithCustomError(job.asProvider.write.submit([job.id, DELIVERABLE, "0x"]), world.escrow, "JobHasExpired"),
    )
    const again = await jobIn(world, "Funded")
    await atTime(again.expiredAt - 1, () => again.asProvider.write.submit([again.id, DELIVERABLE, "0x"]))
    assert.equal(await world.escrow.read.statusOf([again.id]), STATUS.Submitted)
  })

  for (const status of ALL_STATUSES.filter((name) => name !== "Funded"))
    it(`refuses a job that is ${status}`, async () => {
      const world = await freshWorld()
      const job = await jobIn(world, status)
      const args: [bigint, number] = [job.id, STATUS[status]]
      await assertions.revertWithCustomErrorWithArgs(
        job.asProvider.write.submit([job.id, DELIVERABLE, "0x"]),
        world.escrow,
        "WrongStatus",
        args,
      )
      const signed = world.escrow.write.submitWithAuthorization([job.id, DELIVERABLE, await authorize(world, job.id)])
      await assertions.revertWithCustomErrorWithArgs(signed, world.escrow, "WrongStatus", args)
    })
})

describe("submitWithAuthorization", () => {
  it("submits for the provider, whoever relays it", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Funded")
    const signature = await authorize(world, job.id)
    await assertions.emitWithArgs(
      world.escrow.write.submitWithAuthorization([job.id, DELIVERABLE, signature]),
      world.escrow,
      "JobSubmitted",
      [job.id, provider.address, DELIVERABLE],
    )
  })

  it("refuses another job, another deliverable, another signer, a malleated and a malformed signature", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Funded")
    const other = await jobIn(world, "Funded")
    const signature = await authorize(world, job.id)
    const cases = [
      [other.id, DELIVERABLE, signature],
      [job.id, hash("swapped"), signature],
      [job.id, DELIVERABLE, await authorize(world, job.id, buyer)],
      [job.id, DELIVERABLE, malleate(signature)],
      [job.id, DELIVERABLE, "0x"],
      [job.id, DELIVERABLE, `${signature}00`],
    ] as const
    for (const args of cases)
      await assertions.revertWithCustomErrorWithArgs(
        world.escrow.write.submitWithAuthorization([...args]),
        world.escrow,
        "InvalidSignature",
        [provider.address],
      )
  })

  it("E7: is bound by expiry too", async () => {
    const world = await freshWorld()
    const job = await jobIn(world, "Funded")
    const signature = await authorize(world, job.id)
    await atTime(job.expiredAt, () =>
      assertions.revertWithCustomError(
        world.escrow.write.submitWithAuthorization([job.id, DELIVERABLE, signature]),
        world.escrow,
        "JobHasExpired",
      ),
    )
  })
})
