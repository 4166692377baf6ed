import assert from "node:assert/strict"
import { describe, it } from "node:test"
import hre from "hardhat"
import { type Hex, numberToHex, zeroAddress, zeroHash } from "viem"
import { afgResolverAbi } from "../../../deployments/abi/index.ts"
import { termsDigest } from "../../../orchestrator/contract/messages.ts"
import { escrowAs } from "../support/escrow.ts"
import { bindWith, boundJob, hash, makeJob, type Overrides, openJob } from "../support/job.ts"
import { buyer, malleate, mediator, provider, stranger } from "../support/keys.ts"
import { assertions, atTime, contractAt, deployDouble, freshWorld, time, USDC, viem, walletOf } from "../support/world.ts"

/** A bind that everyone has signed for these terms, refused with `error`. */
const refused = async (overrides: Overrides, error: string, args?: readonly unknown[]): Promise<void> => {
  const world = await freshWorld()
  const job = await openJob(world, overrides)
  if (args === undefined) await assertions.revertWithCustomError(job.bind(), world.resolver, error as never)
  else await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, error as never, args as never)
}

describe("bind", () => {
  it("fixes the terms for the rail's reference and says so", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    assert.equal(await world.resolver.read.headOf([job.ref]), zeroHash)
    await assertions.emitWithArgs(job.bind(), world.resolver, "Bound", [job.ref, job.termsHash, job.terms.contractHash, hash("evidence")])
    assert.equal(await world.resolver.read.headOf([job.ref]), await world.resolver.read.headFor([job.termsHash, job.record]))
    assert.deepEqual(await job.standing(), { state: "AGREED", decision: "NONE", outcome: "NONE", cause: "NONE" })
  })

  it("works for anyone who carries the signatures", async () => {
    const world = await freshWorld()
    const job = await openJob(world)
    const resolver = contractAt(afgResolverAbi, world.resolver.address, await walletOf(stranger.address))
    await resolver.write.bind([...(await job.bindArgs())])
  })

  it("happens once per reference, with the same terms or others", async () => {
    const world = await freshWorld()
    const job = await boundJob(world)
    await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "AlreadyBound", [job.ref])
    const again = makeJob(world, job.jobId, { ...job.terms, contractHash: hash("another contract") })
    await assertions.revertWithCustomErrorWithArgs(again.bind(), world.resolver, "AlreadyBound", [job.ref])
  })

  it("takes the same contract hash for another reference: it is a field, not a key", async () => {
    const world = await freshWorld()
    const first = await boundJob(world)
    const second = await boundJob(world)
    assert.equal(first.terms.contractHash, second.terms.contractHash)
    assert.notEqual(first.ref, second.ref)
  })

  describe("refuses unsound terms though all have signed:", () => {
    it("buyer and provider the same", () => refused({ roles: { provider: buyer.address } }, "PartiesSame", [buyer.address]))
    for (const panelSize of [0, 1, 2, 4, 6, 254])
      it(`a panel of ${panelSize}`, () => refused({ roles: { panelSize } }, "PanelSizeInvalid", [BigInt(panelSize)]))
    it("no price", () => refused({ money: { price: 0n } }, "PriceMissing"))
    it("no submission allowed", () => refused({ clock: { maxSubmissions: 0 } }, "NoSubmissionAllowed"))
    it("fundBy not before deliveryBy", async () => {
      const now = await time.latest()
      await refused({ clock: { fundBy: now + 5_000, deliveryBy: now + 5_000 } }, "DeadlineOrder")
    })
    it("deliveryBy not before expiry", async () => {
      const now = await time.latest()
      await refused({ clock: { deliveryBy: now + 9_000, expiry: now + 9_000 } }, "DeadlineOrder")
    })
  })

  it("takes a panel of 3 and of 255", async () => {
    const world = await freshWorld()
    for (const panelSize of [3, 255]) await boundJob(world, { roles: { panelSize } })
  })

  describe("wants expiry after every window and 3,600 s:", () => {
    const windows = { verification: 100, mediatorRuling: 200, appealFiling: 300, panelRuling: 400 }
    for (const [buyerReview, providerDispute] of [
      [7_000, 5_000],
      [5_000, 7_000],
    ] as const)
      for (const slack of [-1, 0, 1])
        it(`review ${buyerReview}, dispute ${providerDispute}, ${slack} s to spare`, async () => {
          const world = await freshWorld()
          const deliveryBy = (await time.latest()) + 10_000
          const earliest = deliveryBy + 100 + 7_000 + 200 + 300 + 400 + 3_600
          const expiry = earliest + slack
          const job = await openJob(world, { clock: { ...windows, buyerReview, providerDispute, deliveryBy, expiry } })
          if (slack < 0)
            await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "ExpiryTooShort", [BigInt(expiry), BigInt(earliest)])
          else await job.bind()
        })

    it("windows whose sum overflows 32 bits are no way around it", async () => {
      const world = await freshWorld()
      const expiry = (await time.latest()) + 1_000_000
      const job = await openJob(world, { clock: { verification: 2 ** 32 - 1, mediatorRuling: 2 ** 32 - 1, expiry } })
      await assertions.revertWithCustomError(job.bind(), world.resolver, "ExpiryTooShort")
    })
  })

  for (const late of [0, 1])
    it(`counts ${late === 0 ? "at" : "not after"} fundBy`, async () => {
      const world = await freshWorld()
      const job = await openJob(world)
      const { fundBy } = job.terms.clock
      const args = await job.bindArgs(hash("evidence"), fundBy + 10)
      const attempt = () => atTime(fundBy + late, () => bindWith(world, args))
      if (late === 0) await attempt()
      else
        await assertions.revertWithCustomErrorWithArgs(attempt(), world.resolver, "FundByPassed", [BigInt(fundBy), BigInt(fundBy + late)])
    })

  describe("signatures:", () => {
    for (const [index, signer, role] of [
      [1, buyer, "buyer"],
      [2, provider, "provider"],
      [3, mediator, "mediator"],
    ] as const) {
      it(`the ${role}'s must be there, well-formed, of these terms and with low s`, async () => {
        const world = await freshWorld()
        const job = await openJob(world)
        const other = makeJob(world, job.jobId, { ...job.terms, contractHash: hash("another") })
        const args = await job.bindArgs()
        const good = args[index]
        const bad: Hex[] = [
          "0x",
          `${good}00`,
          malleate(good),
          await job.signTerms(stranger),
          await other.signTerms(signer),
          `${good.slice(0, -2) as Hex}1d`,
        ]
        for (const signature of bad)
          await assertions.revertWithCustomErrorWithArgs(
            bindWith(world, args, { [index]: signature }),
            world.resolver,
            "InvalidSignature",
            [signer.address],
          )
        await bindWith(world, args)
      })
    }

    it("of terms for another resolver or chain are no good here", async () => {
      const world = await freshWorld()
      const job = await openJob(world)
      const args = await job.bindArgs()
      for (const domain of [
        { ...job.domain, verifyingContract: stranger.address },
        { ...job.domain, chainId: 1 },
      ]) {
        const foreign = await buyer.sign({ hash: termsDigest(domain, job.terms) })
        await assertions.revertWithCustomError(bindWith(world, args, { 1: foreign }), world.resolver, "InvalidSignature")
      }
    })

    it("no mediator at all is refused: a zero address signs nothing", async () => {
      const world = await freshWorld()
      const job = await openJob(world, { roles: { mediator: zeroAddress } })
      await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "InvalidSignature", [zeroAddress])
    })

    it("a mediator is a key: a contract that would say yes is not asked", async () => {
      const world = await freshWorld()
      const wallet = await deployDouble("OwnedWallet", [mediator.address])
      const job = await openJob(world, { roles: { mediator: wallet.address } })
      await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "InvalidSignature", [wallet.address])
    })
  })

  describe("wants the rail's job unfunded and exactly as signed:", () => {
    const FIELDS = { STATUS: 0, CLIENT: 1, PROVIDER: 2, EVALUATOR: 3, TOKEN: 4, BUDGET: 5, EXPIRY: 6, HOOK: 7 } as const
    const mismatch = async (field: keyof typeof FIELDS, overrides: Overrides) => {
      const world = await freshWorld()
      const job = await openJob(world, overrides)
      await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "RailMismatch", [job.ref, FIELDS[field]])
    }
    it("another token", () => mismatch("TOKEN", { money: { token: stranger.address } }))
    it("a budget above or below the price", async () => {
      await mismatch("BUDGET", { money: { price: 40n * USDC + 1n } })
      await mismatch("BUDGET", { money: { price: 40n * USDC - 1n } })
    })
    it("a client that is not the buyer", async () => {
      const world = await freshWorld()
      const real = await openJob(world)
      const asOther = await escrowAs(world, stranger.address)
      const { clock, money } = real.terms
      await asOther.write.createJobWithBudget([
        provider.address,
        world.resolver.address,
        BigInt(clock.expiry),
        "",
        zeroAddress,
        money.price,
      ])
      const job = makeJob(world, 2n, { ...real.terms, ref: numberToHex(2n, { size: 32 }) })
      await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "RailMismatch", [job.ref, FIELDS.CLIENT])
    })
    it("another provider, evaluator or expiry", async () => {
      const world = await freshWorld()
      const real = await openJob(world)
      const asBuyer = await escrowAs(world, buyer.address)
      const { expiry } = real.terms.clock
      const { price } = real.terms.money
      const variants = [
        ["PROVIDER", stranger.address, world.resolver.address, expiry],
        ["PROVIDER", zeroAddress, world.resolver.address, expiry],
        ["EVALUATOR", provider.address, buyer.address, expiry],
        ["EXPIRY", provider.address, world.resolver.address, expiry + 1],
        ["EXPIRY", provider.address, world.resolver.address, expiry - 1],
      ] as const
      for (const [field, who, evaluator, expiredAt] of variants) {
        await asBuyer.write.createJobWithBudget([who, evaluator, BigInt(expiredAt), "", zeroAddress, price])
        const jobId = await world.escrow.read.jobCount()
        const job = makeJob(world, jobId, { ...real.terms, ref: numberToHex(jobId, { size: 32 }) })
        await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "RailMismatch", [job.ref, FIELDS[field]])
      }
    })
    it("funded already", async () => {
      const world = await freshWorld()
      const job = await openJob(world)
      await job.fund()
      await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "RailMismatch", [job.ref, FIELDS.STATUS])
    })
    it("rejected already", async () => {
      const world = await freshWorld()
      const job = await openJob(world)
      await (await escrowAs(world, buyer.address)).write.reject([job.jobId, zeroHash, "0x"])
      await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "RailMismatch", [job.ref, FIELDS.STATUS])
    })
    it("a job that does not exist", async () => {
      const world = await freshWorld()
      const job = await openJob(world, { ref: numberToHex(99n, { size: 32 }) })
      await assertions.revertWithCustomErrorWithArgs(job.bind(), world.escrow, "UnknownJob", [99n])
    })
    it("E5: a hook, on a rail that has them", async () => {
      const world = await freshWorld()
      const rail = await deployDouble("LyingEscrow", [world.usdc.address])
      const { address } = await viem.deployContract("ERC8183Resolver", [rail.address])
      const onRail = { ...world, resolver: contractAt(afgResolverAbi, address) }
      const { terms } = await openJob(world)
      const claim = {
        client: buyer.address,
        provider: provider.address,
        evaluator: address,
        hook: stranger.address,
        budget: terms.money.price,
        expiredAt: BigInt(terms.clock.expiry),
        status: 0,
        deliverable: zeroHash,
      }
      await rail.write("claim", [claim])
      const job = makeJob(onRail, 1n, terms)
      await assertions.revertWithCustomErrorWithArgs(job.bind(), onRail.resolver, "RailMismatch", [job.ref, FIELDS.HOOK])
      await rail.write("claim", [{ ...claim, hook: zeroAddress }])
      await job.bind()
    })
  })
})

describe("the constructor", () => {
  it("refuses every chain but the local one while bonds are missing, and says so", async () => {
    const world = await freshWorld()
    const elsewhere = await hre.network.create({ network: "default", override: { chainId: 8453 } })
    const token = await elsewhere.viem.deployContract("TestUSDC")
    const escrow = await elsewhere.viem.deployContract("ERC8183Escrow", [token.address, 150, stranger.address])
    const attempt = elsewhere.viem.deployContract("ERC8183Resolver", [escrow.address])
    await elsewhere.viem.assertions.revertWithCustomErrorWithArgs(attempt as never, world.resolver, "LocalChainOnly", [8453n])
    await elsewhere.close()
  })

  it("has no owner, takes no coin, and names one escrow for ever", async () => {
    const { resolver, escrow } = await freshWorld()
    assert.equal((await resolver.read.escrow()).toLowerCase(), escrow.address)
    const names = afgResolverAbi.flatMap((entry) =>
      entry.type === "function" && (entry.stateMutability as string) === "nonpayable" ? [entry.name] : [],
    )
    assert.deepEqual(names.sort(), ["bind", "concede", "lapse", "refundUnbound", "settle", "submit", "verdict"])
    assert.ok(afgResolverAbi.every((entry) => !("stateMutability" in entry) || (entry.stateMutability as string) !== "payable"))
    const wallet = await walletOf(stranger.address)
    await assert.rejects(wallet.sendTransaction({ to: resolver.address, value: 1n }))
  })
})
