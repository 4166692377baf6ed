import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { concat, type Hex, keccak256 } from "viem"
import { messageDigest } from "../../../orchestrator/contract/messages.ts"
import { bindWith, hash, type Job, makeJob, openJob } from "../support/job.ts"
import { buyer, highS, p256Confirmer, provider, stranger } from "../support/keys.ts"
import { assertions, atTime, deployDouble, freshWorld, gasOf, networkHelpers, type World } from "../support/world.ts"

/** Positions in bind's arguments. */
const CONFIRMATION = 4
const SIGNER = 5
const SIGNATURE = 6

const digestOf = (job: Job, evidenceDigest: Hex = hash("evidence"), notAfter = job.terms.clock.fundBy): Hex =>
  messageDigest(job.domain, "Confirmation", { termsHash: job.termsHash, evidenceDigest, notAfter })

/** A job whose confirmer is a 20-byte ERC-7913 signer: a wallet. */
const confirmedBy = async (world: World, wallet: Hex) => openJob(world, { roles: { confirmer: keccak256(wallet) } })

describe("bind before the human has confirmed", () => {
  it("refuses no signature, a malformed one, the twin with high s, and another key's", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    const args = await job.bindArgs()
    const stolen = p256Confirmer(world.p256Verifier, keccak256("0x02"))
    const bad: Hex[] = [
      "0x",
      args[SIGNATURE].slice(0, -2) as Hex,
      highS(args[SIGNATURE]),
      stolen.sign(digestOf(job)),
      await buyer.sign({ hash: digestOf(job) }),
    ]
    for (const signature of bad)
      await assertions.revertWithCustomError(bindWith(world, args, { [SIGNATURE]: signature }), world.resolver, "ConfirmationInvalid")
  })

  it("refuses a confirmer that the terms do not name, though its signature is good", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    const own = p256Confirmer(world.p256Verifier, keccak256("0x02"))
    const args = await job.bindArgs()
    const forged = bindWith(world, args, { [SIGNER]: own.signer, [SIGNATURE]: own.sign(digestOf(job)) })
    await assertions.revertWithCustomErrorWithArgs(forged, world.resolver, "ConfirmerMismatch", [job.terms.roles.confirmer])
    const sayYes = await deployDouble("OddWallet")
    const verifier = concat([sayYes.address, "0x00"])
    await assertions.revertWithCustomError(bindWith(world, args, { [SIGNER]: verifier }), world.resolver, "ConfirmerMismatch")
  })

  it("refuses a confirmation of another job, other evidence or another time", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    const other = await openJob(world)
    const confirmer = p256Confirmer(world.p256Verifier)
    const args = await job.bindArgs()
    const { notAfter } = args[CONFIRMATION]
    for (const digest of [digestOf(other), digestOf(job, hash("other evidence")), digestOf(job, hash("evidence"), notAfter - 1)])
      await assertions.revertWithCustomError(
        bindWith(world, args, { [SIGNATURE]: confirmer.sign(digest) }),
        world.resolver,
        "ConfirmationInvalid",
      )
    const edited = bindWith(world, args, { [CONFIRMATION]: { ...args[CONFIRMATION], notAfter: notAfter + 1 } })
    await assertions.revertWithCustomError(edited, world.resolver, "ConfirmationInvalid")
  })

  it("refuses one for the same terms on another resolver", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    const args = await job.bindArgs()
    const domain = { ...job.domain, verifyingContract: stranger.address }
    const digest = messageDigest(domain, "Confirmation", { termsHash: job.termsHash, ...args[CONFIRMATION] })
    const signature = p256Confirmer(world.p256Verifier).sign(digest)
    await assertions.revertWithCustomError(bindWith(world, args, { [SIGNATURE]: signature }), world.resolver, "ConfirmationInvalid")
  })

  for (const late of [-1, 0, 1])
    it(`at notAfter ${late < 0 ? "− 1" : `+ ${late}`} ${late > 0 ? "refuses a stale one" : "takes it"}`, async () => {
      const world = await freshWorld()
      const job = await openJob(world)
      const notAfter = job.terms.clock.fundBy - 100
      const args = await job.bindArgs(hash("evidence"), notAfter)
      const attempt = () => atTime(notAfter + late, () => bindWith(world, args))
      if (late <= 0) await attempt()
      else
        await assertions.revertWithCustomErrorWithArgs(attempt(), world.resolver, "ConfirmationExpired", [
          BigInt(notAfter),
          BigInt(notAfter + 1),
        ])
    })
})

describe("a P-256 confirmer", () => {
  it("is checked by the precompile: thousands of gas, not hundreds of thousands", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    assert.ok((await gasOf(await job.bind())) < 130_000n)
  })

  it("verifies r and s with leading zeros", async () => {
    const world = await freshWorld()
    const confirmer = p256Confirmer(world.p256Verifier)
    const job = await openJob(world)
    let found = 0
    for (let i = 0; found < 2 && i < 4_000; i++) {
      const evidence = hash(`evidence ${i}`)
      const signature = confirmer.sign(digestOf(job, evidence))
      if (!signature.startsWith("0x00") && signature.slice(66, 68) !== "00") continue
      found += 1
      await networkHelpers.takeSnapshot().then(async (snapshot) => {
        await bindWith(world, await job.bindArgs(evidence))
        await snapshot.restore()
      })
    }
    assert.equal(found, 2)
  })
})

describe("a wallet as confirmer", () => {
  it("confirms by its key", async () => {
    const world = await freshWorld()
    const job = await confirmedBy(world, buyer.address)
    const args = await job.bindArgs()
    const signature = await buyer.sign({ hash: digestOf(job) })
    await bindWith(world, args, { [SIGNER]: buyer.address, [SIGNATURE]: signature })
  })

  it("is not fooled by someone else's key", async () => {
    const world = await freshWorld()
    const job = await confirmedBy(world, buyer.address)
    const args = await job.bindArgs()
    const signature = await provider.sign({ hash: digestOf(job) })
    const attempt = bindWith(world, args, { [SIGNER]: buyer.address, [SIGNATURE]: signature })
    await assertions.revertWithCustomError(attempt, world.resolver, "ConfirmationInvalid")
  })

  it("confirms by ERC-1271 when it is a contract", async () => {
    const world = await freshWorld()
    const wallet = await deployDouble("OwnedWallet", [stranger.address])
    const job = await confirmedBy(world, wallet.address)
    const args = await job.bindArgs()
    const signature = await stranger.sign({ hash: digestOf(job) })
    await bindWith(world, args, { [SIGNER]: wallet.address, [SIGNATURE]: signature })
  })

  for (const length of [0, 19])
    it(`of ${length} bytes is no one`, async () => {
      const world = await freshWorld()
      const short = buyer.address.slice(0, 2 + 2 * length) as Hex
      const job = await openJob(world, { roles: { confirmer: keccak256(short) } })
      const args = await job.bindArgs()
      const signature = await buyer.sign({ hash: digestOf(job) })
      const attempt = bindWith(world, args, { [SIGNER]: short, [SIGNATURE]: signature })
      await assertions.revertWithCustomError(attempt, world.resolver, "ConfirmationInvalid")
    })

  it("of a verifier contract that answers oddly is no one", async () => {
    const world = await freshWorld()
    const odd = await deployDouble("OddWallet")
    const signer = concat([odd.address, "0x01"])
    for (const answer of [0, 1, 2, 3, 4]) {
      await odd.write("set", [answer])
      const job = await openJob(world, { roles: { confirmer: keccak256(signer) } })
      const attempt = bindWith(world, await job.bindArgs(), { [SIGNER]: signer })
      await assertions.revertWithCustomError(attempt, world.resolver, "ConfirmationInvalid")
    }
  })

  it("named for other terms cannot confirm these", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    const edited = makeJob(world, job.jobId, { ...job.terms, money: { ...job.terms.money, mediatorFee: 1n } })
    const args = await edited.bindArgs()
    const stale = (await job.bindArgs())[SIGNATURE]
    await assertions.revertWithCustomError(bindWith(world, args, { [SIGNATURE]: stale }), world.resolver, "ConfirmationInvalid")
  })
})
