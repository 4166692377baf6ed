import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Address, encodeFunctionData, type Hex, numberToHex, zeroAddress } from "viem"
import { bindWith, type Job, makeJob, openJob, PASS, submittedJob } from "../support/job.ts"
import { buyer, provider, stranger, verifier } from "../support/keys.ts"
import { assertions, connection, deployDouble, freshWorld, type World } from "../support/world.ts"

/** A job whose buyer is a contract: it opens its own escrow job by executing the call. */
const jobOfWallet = async (world: World, wallet: Awaited<ReturnType<typeof deployDouble>>): Promise<Job> => {
  const { terms } = await openJob(world)
  const data = encodeFunctionData({
    abi: world.escrow.abi,
    functionName: "createJobWithBudget",
    args: [provider.address, world.resolver.address, BigInt(terms.clock.expiry), "", zeroAddress, terms.money.price],
  })
  await wallet.write("execute", [world.escrow.address, data])
  const jobId = await world.escrow.read.jobCount()
  return makeJob(world, jobId, { ...terms, ref: numberToHex(jobId, { size: 32 }), roles: { ...terms.roles, buyer: wallet.address } })
}

/** Puts code at an address, as an EIP-7702 delegation or a deployment after signing would. */
const setCode = (address: Address, code: Hex): Promise<unknown> =>
  connection.provider.request({ method: "hardhat_setCode", params: [address, code] })

describe("a party that is a contract", () => {
  it("signs terms by ERC-1271", async () => {
    const world = await freshWorld()
    const wallet = await deployDouble("OwnedWallet", [stranger.address])
    const job = await jobOfWallet(world, wallet)
    await bindWith(world, await job.bindArgs(), { 1: await job.signTerms(stranger) })
  })

  it("is not bound by another's signature, nor by odd answers", async () => {
    const world = await freshWorld()
    const wallet = await deployDouble("OwnedWallet", [stranger.address])
    const job = await jobOfWallet(world, wallet)
    await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "InvalidSignature", [wallet.address])
    const odd = await deployDouble("OddWallet")
    const odder = makeJob(world, job.jobId, { ...job.terms, roles: { ...job.terms.roles, provider: odd.address } })
    const args = await odder.bindArgs()
    for (const answer of [0, 1, 2, 3, 4]) {
      await odd.write("set", [answer])
      const attempt = bindWith(world, args, { 1: await odder.signTerms(stranger), 2: "0x" })
      await assertions.revertWithCustomErrorWithArgs(attempt, world.resolver, "InvalidSignature", [odd.address])
    }
  })

  it("is asked by a static call: one that writes while answering is refused", async () => {
    const world = await freshWorld()
    const busy = await deployDouble("BusyWallet")
    const job = await openJob(world, { roles: { provider: busy.address } })
    await assertions.revertWithCustomErrorWithArgs(job.bind(), world.resolver, "InvalidSignature", [busy.address])
    assert.equal(await busy.read("calls"), 0n)
  })
})

describe("an account that gets code after signing (EIP-7702)", () => {
  it("stays bound by what its key signed, whatever the code says", async () => {
    const world = await freshWorld()
    const odd = await deployDouble("OddWallet")
    const job = await openJob(world)
    const args = await job.bindArgs()
    await setCode(buyer.address, `0xef0100${odd.address.slice(2)}`)
    await setCode(provider.address, `0xef0100${odd.address.slice(2)}`)
    await bindWith(world, args)
    await setCode(buyer.address, "0x")
    await setCode(provider.address, "0x")
  })

  it("a verifier is a key, with code or without", async () => {
    const world = await freshWorld()
    const job = await submittedJob(world)
    await setCode(verifier.address, "0x60006000fd")
    await job.verdict(PASS)
    assert.equal((await job.facts()).verdict, PASS)
    await setCode(verifier.address, "0x")
  })

  it("a verifier contract that would say yes is not asked", async () => {
    const world = await freshWorld()
    const wallet = await deployDouble("OwnedWallet", [stranger.address])
    const job = await submittedJob(world, { roles: { verifier: wallet.address } })
    const args = await job.verdictArgs(PASS, stranger)
    await assertions.revertWithCustomErrorWithArgs(world.resolver.write.verdict([...args]), world.resolver, "NotAVerifier", [
      stranger.address,
    ])
  })
})
