import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { encodeEventTopics, hashTypedData, parseAbiItem, toEventSelector, toFunctionSelector } from "viem"
import { erc8183EscrowAbi } from "../../../deployments/abi/index.ts"
import { CREATE_JOB_TYPES, escrowDomain } from "../support/job.ts"
import { freshWorld } from "../support/world.ts"

/** As deployed kernels and their clients have them. */
const SELECTORS = {
  createJob: "0x41528812",
  setBudget: "0xdd4ae9d4",
  fund: "0xd2e13f50",
  submit: "0x9e63798d",
  complete: "0xd75bbdf3",
  reject: "0x41dd26f5",
  claimRefund: "0x5b7baf64",
  getJob: "0xbf22c457",
} as const

const EVENTS = [
  "event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint256 expiredAt, address hook)",
  "event ProviderSet(uint256 indexed jobId, address indexed provider)",
  "event BudgetSet(uint256 indexed jobId, uint256 amount)",
  "event JobFunded(uint256 indexed jobId, address indexed client, uint256 amount)",
  "event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable)",
  "event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason)",
  "event JobRejected(uint256 indexed jobId, address indexed rejector, bytes32 reason)",
  "event JobExpired(uint256 indexed jobId)",
  "event PaymentReleased(uint256 indexed jobId, address indexed provider, uint256 amount)",
  "event Refunded(uint256 indexed jobId, address indexed client, uint256 amount)",
] as const

describe("ERC-8183's interface", () => {
  for (const [name, selector] of Object.entries(SELECTORS)) {
    it(`${name} is ${selector}`, () => {
      const item = erc8183EscrowAbi.find((entry) => entry.type === "function" && entry.name === name)
      assert.ok(item?.type === "function")
      assert.equal(toFunctionSelector(item), selector)
    })
  }

  for (const signature of EVENTS) {
    const wanted = parseAbiItem(signature)
    it(`emits ${wanted.name} with the ERC's topic and indexed members`, () => {
      const ours = erc8183EscrowAbi.find((entry) => entry.type === "event" && entry.name === wanted.name)
      assert.ok(ours?.type === "event")
      assert.equal(toEventSelector(ours), toEventSelector(wanted))
      assert.deepEqual(
        ours.inputs.map((input) => [input.type, input.indexed === true]),
        wanted.inputs.map((input) => [input.type, "indexed" in input && input.indexed === true]),
      )
    })
  }

  it("accepts setProvider with and without optParams", () => {
    const overloads = erc8183EscrowAbi.filter((entry) => entry.type === "function" && entry.name === "setProvider")
    assert.deepEqual(overloads.map((entry) => entry.inputs.map((input) => input.type)).sort(), [
      ["uint256", "address"],
      ["uint256", "address", "bytes"],
    ])
  })

  it("has no admin: no function moves money or settings but those of the ERC, the authorizations and the fee's pull", () => {
    const writes = erc8183EscrowAbi.flatMap((entry) =>
      entry.type === "function" && (entry.stateMutability as string) !== "view" && (entry.stateMutability as string) !== "pure"
        ? [entry.name]
        : [],
    )
    assert.deepEqual([...new Set<string>(writes)].sort(), [
      "claimRefund",
      "collectFees",
      "complete",
      "createJob",
      "createJobWithAuthorization",
      "createJobWithBudget",
      "fund",
      "fundWithAuthorization",
      "reject",
      "setBudget",
      "setProvider",
      "submit",
      "submitWithAuthorization",
    ])
    assert.ok(erc8183EscrowAbi.every((entry) => !("stateMutability" in entry) || (entry.stateMutability as string) !== "payable"))
  })

  it("announces its own EIP-712 domain, which is not AFG's", async () => {
    const { escrow } = await freshWorld()
    const [, name, version, chainId, verifyingContract] = await escrow.read.eip712Domain()
    assert.deepEqual(
      { name, version, chainId: Number(chainId), verifyingContract: verifyingContract.toLowerCase() },
      escrowDomain(escrow.address),
    )
    assert.ok(hashTypedData({ domain: escrowDomain(escrow.address), types: CREATE_JOB_TYPES, primaryType: "CreateJob", message: sample }))
    assert.equal(encodeEventTopics({ abi: erc8183EscrowAbi, eventName: "JobExpired", args: { jobId: 1n } }).length, 2)
  })
})

const ZERO = "0x0000000000000000000000000000000000000000" as const
const sample = { client: ZERO, provider: ZERO, evaluator: ZERO, expiredAt: 0n, budget: 0n, salt: `0x${"0".repeat(64)}` as const }
