import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Hex, pad } from "viem"
import { type Contract, fromUnix, type KnownContracts, type LintOptions, lintOnChain, toUnix } from "../../orchestrator/contract/index.ts"
import { CHAIN_RULES } from "../../orchestrator/contract/lint/chain/rules.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { jobIn } from "../contracts/support/escrow.ts"
import { deployDouble, freshWorld, networkHelpers, type World } from "../contracts/support/world.ts"
import { client, contractOnChain, knownOf } from "./support/on-chain.ts"

type Setting = { world: World; contract: Contract; known: KnownContracts }

const setting = async (budget?: bigint): Promise<Setting> => {
  const world = await freshWorld()
  return { world, contract: await contractOnChain(world, budget), known: await knownOf(world) }
}

const judge = (contract: Contract, known: KnownContracts | undefined, options: LintOptions = {}) =>
  lintOnChain(JSON.stringify(contract), { client, known: () => known, ...options })

const codes = async (contract: Contract, known: KnownContracts | undefined, options?: LintOptions): Promise<string[]> => {
  const { rejects, warnings } = await judge(contract, known, options)
  return [...rejects, ...warnings].map(({ code, path }) => `${code} ${path}`)
}

const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"
const ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"
const LOGIC_SLOT = "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"

const tried = new Set<string>()
const rule = (code: string, what: string, run: () => Promise<void>): void => {
  tried.add(code)
  it(`${code}: ${what}`, run)
}

describe("the linter with a look at the chain", () => {
  it("finds nothing on our own deployment", async () => {
    const { contract, known } = await setting()
    assert.deepEqual(await codes(contract, known), [])
  })

  it("needs no audit reference where the code is our escrow's", async () => {
    const { contract, known } = await setting()
    const { audit_ref: _, ...escrow } = contract.escrow
    assert.deepEqual(await codes({ ...contract, escrow }, known), [])
  })

  rule("escrow-not-admitted", "an address without code", async () => {
    const { contract, known } = await setting()
    const escrow = { ...contract.escrow, contract: localAccount("keeper").address }
    assert.deepEqual(await codes({ ...contract, escrow }, known), ["escrow-not-admitted /escrow/contract"])
  })

  rule("escrow-not-admitted", "nothing is known of the chain", async () => {
    const { contract } = await setting()
    assert.deepEqual(await codes(contract, undefined), ["escrow-not-admitted /escrow/contract"])
  })

  rule("escrow-not-admitted", "other code at the admitted address", async () => {
    const { contract, known, world } = await setting()
    await networkHelpers.setCode(world.escrow.address, "0x60006000fd")
    assert.deepEqual(await codes(contract, known), ["escrow-not-admitted /escrow/contract"])
  })

  rule("escrow-not-admitted", "the admitted code at another address", async () => {
    const { contract, known, world } = await setting()
    const [admitted] = known.escrows
    assert.ok(admitted)
    const elsewhere = { ...known, escrows: [{ ...admitted, address: world.usdc.address }] }
    assert.deepEqual(await codes(contract, elsewhere), ["escrow-not-admitted /escrow/contract"])
  })

  rule("escrow-not-admitted", "a resolver that is none of ours", async () => {
    const { contract, known } = await setting()
    assert.deepEqual(await codes(contract, { ...known, resolvers: [] }), ["escrow-not-admitted /escrow/resolver"])
  })

  for (const [what, slot] of [
    ["an EIP-1967 implementation", IMPLEMENTATION_SLOT],
    ["a beacon", BEACON_SLOT],
    ["a proxy admin", ADMIN_SLOT],
    ["an EIP-1822 logic contract", LOGIC_SLOT],
  ] as const)
    rule("escrow-upgradeable", `${what} in its slot, whatever the contract says`, async () => {
      const { contract, known, world } = await setting()
      await networkHelpers.setStorageAt(world.escrow.address, slot, pad(world.usdc.address, { size: 32 }))
      assert.deepEqual(await codes(contract, known), ["escrow-upgradeable /escrow/contract"])
    })

  rule("escrow-upgradeable", "an account that delegates (EIP-7702)", async () => {
    const { contract, known, world } = await setting()
    const account = localAccount("keeper").address
    await networkHelpers.setCode(account, `0xef0100${world.escrow.address.slice(2)}` as Hex)
    assert.deepEqual(await codes({ ...contract, escrow: { ...contract.escrow, contract: account } }, known), [
      "escrow-upgradeable /escrow/contract",
    ])
  })

  rule("token-mismatch", "another token than the escrow's", async () => {
    const { contract, known } = await setting()
    const other = await deployDouble("TestUSDC")
    assert.deepEqual(await codes({ ...contract, price: { ...contract.price, token_address: other.address } }, known), [
      "token-mismatch /price/token_address",
    ])
  })

  rule("token-mismatch", "an address that is no token", async () => {
    const { contract, known } = await setting()
    const price = { ...contract.price, token_address: localAccount("keeper").address }
    assert.deepEqual(await codes({ ...contract, price }, known), ["token-mismatch /price/token_address"])
  })

  rule("token-mismatch", "a token with other decimal places", async () => {
    const { contract, known, world } = await setting()
    // Answers 18 to everything.
    await networkHelpers.setCode(world.usdc.address, "0x601260005260206000f3")
    assert.deepEqual(await codes(contract, known), ["token-mismatch /price/token_address"])
  })

  rule("fee-mutable", "another fee than the escrow takes", async () => {
    const { contract, known } = await setting()
    const fees = { ...contract.fees, afg_release_fee_bps: 100 }
    assert.deepEqual(await codes({ ...contract, fees }, known), ["fee-mutable /fees/afg_release_fee_bps"])
  })

  rule("rail-job-mismatch", "no such job", async () => {
    const { contract, known } = await setting()
    const escrow = { ...contract.escrow, escrow_ref: "99999" }
    assert.deepEqual(await codes({ ...contract, escrow }, known), ["rail-job-mismatch /escrow/escrow_ref"])
  })

  rule("rail-job-mismatch", "a job with another budget", async () => {
    const { contract, known } = await setting(39_000_000n)
    assert.deepEqual(await codes(contract, known), ["rail-job-mismatch /escrow/escrow_ref"])
  })

  rule("rail-job-mismatch", "a job with another provider", async () => {
    const { contract, known } = await setting()
    const provider = { ...contract.provider, wallet: localAccount("keeper").address }
    assert.deepEqual(await codes({ ...contract, provider }, known), ["rail-job-mismatch /escrow/escrow_ref"])
  })

  rule("expiry-not-on-rail", "a job that expires at another time", async () => {
    const { contract, known } = await setting()
    const escrow = { ...contract.escrow, expiry: fromUnix(toUnix(contract.escrow.expiry) + 1) }
    assert.deepEqual(await codes({ ...contract, escrow }, known), ["expiry-not-on-rail /escrow/expiry"])
  })

  rule("rail-already-funded", "a job that is funded", async () => {
    const { contract, known, world } = await setting()
    const { id } = await jobIn(world, "Funded")
    const found = await codes({ ...contract, escrow: { ...contract.escrow, escrow_ref: id.toString() } }, known)
    assert.ok(found.includes("rail-already-funded /escrow/escrow_ref"), found.join())
  })

  rule("mediator-not-drawn", "no selection proof", async () => {
    const { contract, known } = await setting()
    const { selection_proof: _, ...mediator } = contract.mediator
    assert.deepEqual(await codes({ ...contract, mediator }, known), ["mediator-not-drawn /mediator/selection_proof"])
  })

  rule("conflict-report-missing", "none is pinned", async () => {
    const { contract, known } = await setting()
    const { conflict_check_ref: _, ...mediator } = contract.mediator
    assert.deepEqual(await codes({ ...contract, mediator }, known), ["conflict-report-missing /mediator/conflict_check_ref"])
  })

  it("judges what it can of a contract too malformed to look up", async () => {
    const { contract, known } = await setting()
    const result = await lintOnChain(JSON.stringify({ ...contract, escrow: 1 }), { client, known: () => known })
    assert.deepEqual(
      result.rejects.map(({ code, path }) => `${code} ${path}`),
      ["schema /escrow"],
    )
    assert.equal((await lintOnChain("{", { client })).rejects[0]?.code, "json-syntax")
  })
})

describe("chain rules that our own escrow can never break", () => {
  // Our kernel refuses hooks, so the facts are given.
  rule("hook-not-zero", "a job with a hook", async () => {
    const { contract, world } = await setting()
    const hook = CHAIN_RULES.find(({ code }) => code === "hook-not-zero")
    assert.ok(hook)
    const job = {
      client: contract.buyer.wallet,
      provider: contract.provider.wallet,
      evaluator: contract.escrow.resolver,
      hook: world.usdc.address,
      budget: 40_000_000n,
      expiredAt: 0n,
      status: 0,
    }
    const facts = {
      admitted: undefined,
      escrowHasCode: true,
      upgradeableBy: undefined,
      resolverIsKnown: true,
      ours: { token: world.usdc.address, feeBps: 150, job },
      tokenDecimals: 6,
      drawSucceeded: true,
    }
    assert.deepEqual(
      [...hook.find(contract, facts, {})].map(({ path }) => path),
      [["escrow", "escrow_ref"]],
    )
  })

  it("every chain rule was tried", () => {
    assert.deepEqual(
      CHAIN_RULES.map(({ code }) => code).filter((code) => !tried.has(code)),
      [],
    )
  })
})
