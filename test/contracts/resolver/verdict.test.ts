import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { zeroAddress, zeroHash } from "viem"
import { FAIL, fundedJob, hash, INCONCLUSIVE, type Job, PASS, state, submittedJob } from "../support/job.ts"
import { fallback, malleate, mediator, provider, stranger, verifier } from "../support/keys.ts"
import { assertions, atTime, freshWorld, time } from "../support/world.ts"

const VERDICT = 1
const NONE = 0

const refuse = (attempt: Promise<`0x${string}`>, job: Job, name: Parameters<typeof state>[0], decision = NONE) =>
  assertions.revertWithCustomErrorWithArgs(attempt, job.world.resolver, "ActRefused", [VERDICT, state(name), decision])

const windowOf = async (job: Job) => {
  const { submittedAt } = await job.facts()
  return {
    start: submittedAt,
    half: submittedAt + Math.floor(job.terms.clock.verification / 2),
    end: submittedAt + job.terms.clock.verification,
  }
}

describe("verdict", () => {
  for (const [finding, name] of [
    [PASS, "VERIFIED_PASS"],
    [FAIL, "VERIFIED_FAIL"],
  ] as const)
    it(`by the primary: ${name}`, async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      const tx = await job.verdict(finding)
      await assertions.emitWithArgs(tx, world.resolver, "VerdictGiven", [job.ref, job.termsHash, 1, finding, true, hash("root-1")])
      const facts = await job.facts()
      assert.deepEqual([facts.verdict, facts.verdictAt, facts.primarySpoke], [finding, await time.latest(), true])
      assert.equal((await job.standing()).state, name)
      assert.equal(await world.resolver.read.headOf([job.ref]), await world.resolver.read.headFor([job.termsHash, job.record]))
    })

  it("INCONCLUSIVE by the primary leaves SUBMITTED, keeps its root, and gives the fallback its turn", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await refuse(job.verdict(PASS, fallback), job, "SUBMITTED")
    await job.verdict(INCONCLUSIVE)
    assert.deepEqual(await job.standing(), { state: "SUBMITTED", decision: "NONE", outcome: "NONE", cause: "NONE" })
    assert.equal(job.record.merkleRoot, hash("root-1"))
    await job.verdict(PASS, fallback, hash("second root"))
    assert.equal((await job.standing()).state, "VERIFIED_PASS")
    assert.equal((await job.facts()).primarySpoke, true)
  })

  it("INCONCLUSIVE by the fallback is DISPUTED at once, and closes the window for both", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(INCONCLUSIVE)
    await job.verdict(INCONCLUSIVE, fallback)
    assert.equal((await job.standing()).state, "DISPUTED")
    await refuse(job.verdict(PASS), job, "DISPUTED")
    await refuse(job.verdict(PASS, fallback), job, "DISPUTED")
  })

  it("INCONCLUSIVE by the fallback in the second half, the primary silent, is DISPUTED too", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await atTime((await windowOf(job)).half + 1, () => job.verdict(INCONCLUSIVE, fallback))
    assert.equal((await job.standing()).state, "DISPUTED")
    assert.equal((await job.facts()).primarySpoke, false)
    await refuse(job.verdict(PASS), job, "DISPUTED")
  })

  it("is given once by the primary: not INCONCLUSIVE and then PASS", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await job.verdict(INCONCLUSIVE)
    await refuse(job.verdict(PASS), job, "SUBMITTED")
  })

  it("stands once it is PASS or FAIL", async () => {
    const world = await freshWorld()
    for (const [first, name] of [
      [PASS, "VERIFIED_PASS"],
      [FAIL, "VERIFIED_FAIL"],
    ] as const) {
      const job = await submittedJob(world)
      await job.verdict(first)
      await refuse(job.verdict(first === PASS ? FAIL : PASS), job, name)
      await refuse(job.verdict(first === PASS ? FAIL : PASS, fallback), job, name)
    }
  })

  describe("by time:", () => {
    for (const [who, signer] of [
      ["primary", verifier],
      ["fallback", fallback],
    ] as const)
      for (const late of [-1, 0, 1])
        it(`the ${who} at the window's end ${late < 0 ? "− 1" : `+ ${late}`}`, async () => {
          const world = await freshWorld()
          const job = await submittedJob(world)
          const { end } = await windowOf(job)
          const attempt = () => atTime(end + late, () => job.verdict(PASS, signer))
          if (late <= 0) await attempt()
          else await refuse(attempt(), job, "DISPUTED")
        })

    for (const verification of [1_800, 1_801])
      for (const late of [-1, 0, 1])
        it(`the fallback at half of ${verification} s ${late < 0 ? "− 1" : `+ ${late}`}`, async () => {
          const world = await freshWorld()
          const job = await submittedJob(world, { clock: { verification } })
          const { half } = await windowOf(job)
          const attempt = () => atTime(half + late, () => job.verdict(FAIL, fallback))
          if (late > 0) await attempt()
          else await refuse(attempt(), job, "SUBMITTED")
        })

    it("the primary still speaks in the second half, when the fallback has not", async () => {
      const world = await freshWorld()
      const job = await submittedJob(world)
      await atTime((await windowOf(job)).half + 10, () => job.verdict(PASS))
      assert.equal((await job.facts()).verdict, PASS)
    })
  })

  it("is refused before a submission, after a concession and after settlement", async () => {
    const world = await freshWorld()
    const funded = await fundedJob(world)
    await refuse(funded.verdict(PASS), funded, "FUNDED")
    const job = await submittedJob(world)
    await job.concede(2)
    await refuse(job.verdict(PASS), job, "SUBMITTED", 2)
    await job.settle()
    await refuse(job.verdict(PASS), job, "REFUNDED", 2)
  })

  it("wants one of three findings, the current number, and a signature over exactly what stands", async () => {
    const world = await freshWorld()
    const { resolver } = world
    const job = await submittedJob(world)
    const [ref, terms, record, n, , root, signature] = await job.verdictArgs(PASS)
    for (const finding of [0, 4, 255])
      await assertions.revertWithCustomErrorWithArgs(
        resolver.write.verdict([ref, terms, record, n, finding, root, signature]),
        resolver,
        "InvalidVerdict",
        [BigInt(finding)],
      )
    await assertions.revertWithCustomErrorWithArgs(
      resolver.write.verdict([ref, terms, record, 2, PASS, root, signature]),
      resolver,
      "WrongSubmission",
      [2n, 1n],
    )
    for (const [finding, merkleRoot, signed] of [
      [FAIL, root, signature],
      [PASS, hash("another root"), signature],
      [PASS, root, malleate(signature)],
      [PASS, root, "0x"],
    ] as const)
      await assertions.revertWithCustomError(
        resolver.write.verdict([ref, terms, record, n, finding, merkleRoot, signed]),
        resolver,
        "NotAVerifier",
      )
    const altered = { ...record, deliverableHash: hash("swapped") }
    await assertions.revertWithCustomErrorWithArgs(
      resolver.write.verdict([ref, terms, altered, n, PASS, root, signature]),
      resolver,
      "HeadMismatch",
      [ref],
    )
    await assertions.revertWithCustomErrorWithArgs(
      resolver.write.verdict([zeroHash, terms, record, n, PASS, root, signature]),
      resolver,
      "NotBound",
      [zeroHash],
    )
  })

  it("is nobody else's: provider, mediator, stranger", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    for (const signer of [provider, mediator, stranger])
      await assertions.revertWithCustomErrorWithArgs(job.verdict(PASS, signer), world.resolver, "NotAVerifier", [signer.address])
  })

  it("a zero verifier or fallback is no one, not everyone whose signature is broken", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world, { roles: { verifier: zeroAddress, fallbackVerifier: zeroAddress } })
    const [ref, terms, record, n, finding, root] = await job.verdictArgs(PASS)
    await assertions.revertWithCustomErrorWithArgs(
      world.resolver.write.verdict([ref, terms, record, n, finding, root, "0x"]),
      world.resolver,
      "NotAVerifier",
      [zeroAddress],
    )
  })

  it("a deliverable swapped under a verdict: signed for the first, posted for the second", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    const early = await job.verdictArgs(PASS)
    await job.verdict(FAIL)
    await job.submit(hash("worse"))
    const [ref, terms, , , finding, root, signature] = early
    await assertions.revertWithCustomError(
      world.resolver.write.verdict([ref, terms, job.record, 2, finding, root, signature]),
      world.resolver,
      "NotAVerifier",
    )
    await assertions.revertWithCustomError(world.resolver.write.verdict([...early]), world.resolver, "HeadMismatch")
  })
})
