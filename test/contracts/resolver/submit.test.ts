import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { encodeFunctionData, type Hex, zeroHash } from "viem"
import { escrowAs } from "../support/escrow.ts"
import { boundJob, EMPTY_RECORD, FAIL, fundedJob, hash, INCONCLUSIVE, PASS, state, submittedJob } from "../support/job.ts"
import { buyer, fallback, malleate, provider, verifier } from "../support/keys.ts"
import { assertions, atTime, freshWorld, time } from "../support/world.ts"

const SUBMIT = 0
const NONE = 0
const REFUND = 2
const STATUS = 0
const BUDGET = 5
const DELIVERABLE = 8

describe("submit", () => {
  it("records the provider's deliverable and says so", async () => {
    const world = await freshWorld()
    const job = await fundedJob(world)
    const tx = await job.submit(hash("patch"))
    await assertions.emitWithArgs(tx, world.resolver, "Submitted", [job.ref, job.termsHash, 1, hash("patch"), hash("uri-1")])
    const facts = await job.facts()
    assert.deepEqual([facts.n, facts.submittedAt], [1, await time.latest()])
    assert.equal((await job.standing()).state, "SUBMITTED")
    assert.equal(await world.resolver.read.headOf([job.ref]), await world.resolver.read.headFor([job.termsHash, job.record]))
  })

  describe("submission 1 finds the rail exactly as bound:", () => {
    it("E9: submitted there, with the same deliverable", async () => {
      const world = await freshWorld()
      const job = await fundedJob(world)
      await assertions.revertWithCustomErrorWithArgs(job.submitOnly(), world.resolver, "RailMismatch", [job.ref, STATUS])
      await world.escrow.write.submitWithAuthorization([...(await job.railSubmitArgs(hash("one")))])
      await assertions.revertWithCustomErrorWithArgs(job.submitOnly(hash("two")), world.resolver, "RailMismatch", [job.ref, DELIVERABLE])
      await job.submitOnly(hash("one"))
    })

    it("refused while unfunded", async () => {
      const world = await freshWorld()
      const job = await boundJob(world)
      await assertions.revertWithCustomErrorWithArgs(job.submitOnly(), world.resolver, "RailMismatch", [job.ref, STATUS])
    })

    it("E4: refused when the buyer lowered the budget between bind and fund; only a refund is left", async () => {
      const world = await freshWorld()
      const job = await boundJob(world)
      await (await escrowAs(world, buyer.address)).write.setBudget([job.jobId, 1n, "0x"])
      await world.usdc.write.mint([buyer.address, 1n])
      await world.escrow.write.fundWithAuthorization([...(await job.fundArgs(1n))])
      await assertions.revertWithCustomErrorWithArgs(job.submit(), world.resolver, "RailMismatch", [job.ref, BUDGET])
      await atTime(job.terms.clock.deliveryBy + 1, job.settle)
      assert.equal(await world.usdc.read.balanceOf([buyer.address]), 1n)
    })
  })

  it("can be made in the same transaction as the rail's, by the batcher", async () => {
    const world = await freshWorld()
    const job = await fundedJob(world)
    const rail = encodeFunctionData({
      abi: world.escrow.abi,
      functionName: "submitWithAuthorization",
      args: [...(await job.railSubmitArgs(hash("patch")))],
    })
    const ours = encodeFunctionData({
      abi: world.resolver.abi,
      functionName: "submit",
      args: [...(await job.submitArgs(1, hash("patch")))],
    })
    await world.batcher.write.batch([
      [
        { target: world.escrow.address, data: rail },
        { target: world.resolver.address, data: ours },
      ],
    ])
    assert.equal((await job.facts()).n, 1)
  })

  describe("by time:", () => {
    for (const late of [-1, 0, 1])
      it(`deliveryBy ${late < 0 ? "− 1" : `+ ${late}`} ${late > 0 ? "is too late" : "counts"}`, async () => {
        const world = await freshWorld()
        const job = await fundedJob(world)
        await world.escrow.write.submitWithAuthorization([...(await job.railSubmitArgs(hash("deliverable-1")))])
        const attempt = () => atTime(job.terms.clock.deliveryBy + late, () => job.submitOnly())
        if (late <= 0) await attempt()
        else await assertions.revertWithCustomErrorWithArgs(attempt(), world.resolver, "ActRefused", [SUBMIT, state("FUNDED"), REFUND])
      })
  })

  describe("a resubmission", () => {
    it("after FAIL withdraws the submission and its verdict", async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      await job.verdict(FAIL)
      await job.submit()
      const facts = await job.facts()
      assert.deepEqual([facts.n, facts.verdict, facts.verdictAt, facts.primarySpoke], [2, NONE, 0, false])
      assert.deepEqual(job.record, { ...EMPTY_RECORD, deliverableHash: hash("deliverable-2") })
      assert.equal((await job.standing()).state, "SUBMITTED")
    })

    it("after the fallback's INCONCLUSIVE, and after a missed window", async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      await job.verdict(INCONCLUSIVE)
      await job.verdict(INCONCLUSIVE, fallback)
      assert.equal((await job.standing()).state, "DISPUTED")
      await job.submit()
      assert.equal((await job.facts()).n, 2)
      const { submittedAt } = await job.facts()
      await atTime(submittedAt + job.terms.clock.verification + 1, () => job.submit())
      assert.equal((await job.facts()).n, 3)
    })

    it("is refused while the verifier is at work, after PASS, and after the primary's INCONCLUSIVE alone", async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      const refusal = (name: Parameters<typeof state>[0]) =>
        assertions.revertWithCustomErrorWithArgs(job.submit(), world.resolver, "ActRefused", [SUBMIT, state(name), NONE])
      await refusal("SUBMITTED")
      await job.verdict(INCONCLUSIVE)
      await refusal("SUBMITTED")
      const { submittedAt } = await job.facts()
      await atTime(submittedAt + job.terms.clock.verification, () => refusal("SUBMITTED"))
      const passed = await submittedJob(world)
      await passed.verdict(PASS)
      await assertions.revertWithCustomErrorWithArgs(passed.submit(), world.resolver, "ActRefused", [SUBMIT, state("VERIFIED_PASS"), NONE])
    })

    for (const late of [0, 1])
      it(`${late === 0 ? "counts until the mediator's deadline" : "is refused once a default ruling exists"}`, async () => {
        const world = await freshWorld()
        const job = await submittedJob(world)
        const { submittedAt } = await job.facts()
        const deadline = submittedAt + job.terms.clock.verification + job.terms.clock.mediatorRuling
        const attempt = () => atTime(deadline + late, () => job.submit())
        if (late === 0) await attempt()
        else await assertions.revertWithCustomErrorWithArgs(attempt(), world.resolver, "ActRefused", [SUBMIT, state("RULED"), NONE])
      })

    it("is refused after maxSubmissions and after deliveryBy", async () => {
      const world = await freshWorld()
      const job = await submittedJob(world, { clock: { maxSubmissions: 2 } })
      await job.verdict(FAIL)
      await job.submit()
      await job.verdict(FAIL)
      await assertions.revertWithCustomErrorWithArgs(job.submit(), world.resolver, "ActRefused", [SUBMIT, state("VERIFIED_FAIL"), NONE])
      const late = await submittedJob(world)
      await late.verdict(FAIL)
      await atTime(late.terms.clock.deliveryBy + 1, () =>
        assertions.revertWithCustomErrorWithArgs(late.submit(), world.resolver, "ActRefused", [SUBMIT, state("VERIFIED_FAIL"), REFUND]),
      )
    })

    it("does not look at the rail again, whose deliverable stays that of the first (E10)", async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      await job.verdict(FAIL)
      await job.submit(hash("second try"))
      assert.equal((await world.escrow.read.getJob([job.jobId])).deliverable, hash("deliverable-1"))
    })
  })

  it("is refused after a concession and after settlement", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(FAIL)
    await job.concede(2)
    await assertions.revertWithCustomErrorWithArgs(job.submit(), world.resolver, "ActRefused", [SUBMIT, state("VERIFIED_FAIL"), REFUND])
    await job.settle()
    await assertions.revertWithCustomErrorWithArgs(job.submit(), world.resolver, "ActRefused", [SUBMIT, state("REFUNDED"), REFUND])
  })

  it("wants number, signature, record and terms right", async () => {
    const world = await freshWorld()
    const { resolver } = world
    const job = await fundedJob(world)
    const deliverable = hash("patch")
    await world.escrow.write.submitWithAuthorization([...(await job.railSubmitArgs(deliverable))])
    const args = await job.submitArgs(1, deliverable)
    const [ref, terms, record, n, , uriHash, signature] = args
    const send = (
      changed: Partial<{ n: number; deliverable: Hex; uri: Hex; signature: Hex; record: typeof record; terms: typeof terms; ref: Hex }>,
    ) =>
      resolver.write.submit([
        changed.ref ?? ref,
        changed.terms ?? terms,
        changed.record ?? record,
        changed.n ?? n,
        changed.deliverable ?? deliverable,
        changed.uri ?? uriHash,
        changed.signature ?? signature,
      ])
    await assertions.revertWithCustomErrorWithArgs(send({ n: 0 }), resolver, "WrongSubmission", [0n, 1n])
    await assertions.revertWithCustomErrorWithArgs(send({ n: 2 }), resolver, "WrongSubmission", [2n, 1n])
    for (const changed of [
      { deliverable: hash("other") },
      { uri: hash("other") },
      { signature: malleate(signature) },
      { signature: "0x" as const },
    ])
      await assertions.revertWithCustomErrorWithArgs(send(changed), resolver, "InvalidSignature", [provider.address])
    const foreign = await job.sign(verifier, "Submission", { n: 1, deliverableHash: deliverable, uriHash })
    await assertions.revertWithCustomError(send({ signature: foreign }), resolver, "InvalidSignature")
    await assertions.revertWithCustomErrorWithArgs(send({ record: { ...record, merkleRoot: hash("x") } }), resolver, "HeadMismatch", [ref])
    await assertions.revertWithCustomErrorWithArgs(send({ terms: { ...terms, contractHash: hash("x") } }), resolver, "HeadMismatch", [ref])
    await assertions.revertWithCustomErrorWithArgs(send({ ref: zeroHash }), resolver, "NotBound", [zeroHash])
    await send({})
    await assertions.revertWithCustomErrorWithArgs(send({}), resolver, "HeadMismatch", [ref])
  })
})
