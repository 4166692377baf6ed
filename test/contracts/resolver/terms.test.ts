import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { TypedDataEncoder } from "ethers"
import fc from "fast-check"
import { type Address, bytesToHex, encodeFunctionData, type Hex, hashStruct } from "viem"
import { afgDomain, hashTerms, MESSAGE_TYPES, TERMS_TYPES, type Terms, termsDigest } from "../../../orchestrator/contract/messages.ts"
import { partsOf } from "../support/job.ts"
import { connection, deployDouble, freshWorld } from "../support/world.ts"

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((value): Hex => bytesToHex(value))
const bytes32 = bytes(32)
const address = bytes(20) as fc.Arbitrary<Address>
/** Edges as often as the middle. */
const uint = (bits: number) =>
  fc.oneof(fc.constant(0), fc.constant(2 ** bits - 1), fc.integer({ min: 0, max: Math.min(2 ** bits - 1, 2 ** 31) }))
const amount = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

const terms: fc.Arbitrary<Terms> = fc.record({
  contractHash: bytes32,
  ref: bytes32,
  roles: fc.record({
    buyer: address,
    provider: address,
    confirmer: bytes32,
    verifier: address,
    fallbackVerifier: address,
    mediator: address,
    rosterHash: bytes32,
    panelSize: uint(8),
  }),
  money: fc.record({
    token: address,
    price: amount,
    verifierFee: amount,
    mediatorFee: amount,
    mediatorBond: amount,
    panelistBond: amount,
    disputeDeposit: amount,
    appealFee: amount,
    mediationShareBps: uint(16),
  }),
  clock: fc.record({
    fundBy: uint(40),
    deliveryBy: uint(40),
    expiry: uint(40),
    verification: uint(32),
    buyerReview: uint(32),
    providerDispute: uint(32),
    mediatorRuling: uint(32),
    appealFiling: uint(32),
    panelRuling: uint(32),
    maxSubmissions: uint(8),
  }),
})

/** ethers wants plain, mutable type tables. */
const ethersTypes = JSON.parse(JSON.stringify(TERMS_TYPES)) as Record<string, { name: string; type: string }[]>

describe("Terms in Solidity and TypeScript", () => {
  it("hash alike whole, from the parts of later calls, by the compiler's encoder, by viem and by ethers", async () => {
    const { resolver } = await freshWorld()
    const harness = await deployDouble("MessagesHarness")
    await fc.assert(
      fc.asyncProperty(terms, async (value) => {
        const expected = hashTerms(value)
        const { act, time } = partsOf(value)
        assert.equal(await resolver.read.hashTerms([value]), expected)
        assert.deepEqual(await harness.read("hashes", [value, act, time]), [expected, expected, expected])
        const groups = [value.roles, value.money, value.clock]
        assert.deepEqual(await harness.read("groups", groups), await harness.read("encoded", groups))
        assert.equal(TypedDataEncoder.hashStruct("Terms", ethersTypes, value), expected)
        assert.equal(
          TypedDataEncoder.hash(afgDomain(31337, resolver.address), ethersTypes, value),
          termsDigest(afgDomain(31337, resolver.address), value),
        )
      }),
      { numRuns: 60 },
    )
  })

  it("change with every single member", async () => {
    const { resolver } = await freshWorld()
    const [sample] = fc.sample(terms, { numRuns: 1, seed: 7 })
    assert.ok(sample)
    const hashes = new Set([hashTerms(sample)])
    let members = 0
    const variants: Terms[] = [
      { ...sample, contractHash: `0x${"11".repeat(32)}` },
      { ...sample, ref: `0x${"22".repeat(32)}` },
    ]
    for (const group of ["roles", "money", "clock"] as const)
      for (const [name, value] of Object.entries(sample[group])) {
        const changed =
          typeof value === "bigint"
            ? value ^ 1n
            : typeof value === "number"
              ? value === 0
                ? 1
                : value - 1
              : `${value.slice(0, -1)}${value.endsWith("0") ? "1" : "0"}`
        variants.push({ ...sample, [group]: { ...sample[group], [name]: changed } })
      }
    for (const variant of variants) {
      members += 1
      const onChain = await resolver.read.hashTerms([variant])
      assert.equal(onChain, hashTerms(variant))
      hashes.add(onChain)
    }
    assert.equal(members, 29)
    assert.equal(hashes.size, 30)
  })

  it("use the resolver's EIP-712 domain AFG, version 0", async () => {
    const { resolver } = await freshWorld()
    const [, name, version, chainId, verifyingContract] = await resolver.read.eip712Domain()
    assert.deepEqual(
      { name, version, chainId: Number(chainId), verifyingContract: verifyingContract.toLowerCase() },
      {
        ...afgDomain(31337, resolver.address),
      },
    )
  })
})

describe("messages in Solidity and TypeScript", () => {
  const cases = {
    Submission: fc.record({ termsHash: bytes32, n: uint(8), deliverableHash: bytes32, uriHash: bytes32 }),
    Verdict: fc.record({ termsHash: bytes32, n: uint(8), deliverableHash: bytes32, verdict: uint(8), merkleRoot: bytes32 }),
    Concession: fc.record({ termsHash: bytes32, n: uint(8), merkleRoot: bytes32, rulingDigest: bytes32 }),
  } as const
  for (const [name, values] of Object.entries(cases) as [keyof typeof cases, fc.Arbitrary<Record<string, unknown>>][])
    it(`${name} hashes alike`, async () => {
      const harness = await deployDouble("MessagesHarness")
      await fc.assert(
        fc.asyncProperty(values, async (value) => {
          const expected = hashStruct({ types: MESSAGE_TYPES, primaryType: name, data: value as never })
          assert.equal(await harness.read(name.toLowerCase(), Object.values(value)), expected)
        }),
        { numRuns: 25 },
      )
    })

  it("Confirmation hashes alike", async () => {
    const harness = await deployDouble("MessagesHarness")
    await fc.assert(
      fc.asyncProperty(bytes32, bytes32, uint(40), async (termsHash, evidenceDigest, notAfter) => {
        const expected = hashStruct({
          types: MESSAGE_TYPES,
          primaryType: "Confirmation",
          data: { termsHash, evidenceDigest, notAfter },
        })
        assert.equal(await harness.read("confirmation", [termsHash, { evidenceDigest, notAfter }]), expected)
      }),
      { numRuns: 25 },
    )
  })
})

describe("a group with stray bits", () => {
  it("hashes to what no one signed", async () => {
    const world = await freshWorld()
    // The first word of Clock is fundBy (40 bits): set a bit above it in raw calldata and ask for the hash.
    const [sample] = fc.sample(terms, { numRuns: 1, seed: 9 })
    assert.ok(sample)
    const data = encodeFunctionData({ abi: world.resolver.abi, functionName: "hashTerms", args: [sample] })
    const firstClockWord = 2 + 8 + 64 * (2 + 8 + 9)
    const dirty = `${data.slice(0, firstClockWord)}01${data.slice(firstClockWord + 2)}` as Hex
    const ask = (input: Hex) =>
      connection.provider.request({ method: "eth_call", params: [{ to: world.resolver.address, data: input }, "latest"] })
    assert.equal(await ask(data), hashTerms(sample))
    assert.notEqual(await ask(dirty), hashTerms(sample))
  })
})
