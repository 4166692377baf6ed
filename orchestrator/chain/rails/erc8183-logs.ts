/** Logs of our resolver and of the ERC-8183 escrow, as facts. */
import { decodeEventLog, isAddressEqual, numberToHex, toEventSelector, zeroHash } from "viem"
import { afgResolverAbi, erc8183EscrowAbi } from "../../../deployments/abi/index.ts"
import { CAUSES, type Outcome, type Party, type Verdict } from "../../state-machine/index.ts"
import type { Address, Hex } from "../../types.ts"
import type { RailFact, RailLogs, RawLog } from "./logs.ts"

const OUTCOMES: readonly (Outcome | undefined)[] = [undefined, "RELEASE", "REFUND"]
const VERDICTS: readonly (Verdict | undefined)[] = [undefined, "PASS", "FAIL", "INCONCLUSIVE"]
const PARTIES: readonly (Party | undefined)[] = [undefined, "buyer", "provider"]

const named = <T>(names: readonly (T | undefined | null)[], index: number): T => {
  const name = names[index]
  if (name === undefined || name === null) throw new RangeError(`no name for ${index}`)
  return name
}

const selectors = (abi: readonly { type: string }[]): ReadonlySet<string> =>
  new Set(abi.filter((item) => item.type === "event").map((item) => toEventSelector(item as Parameters<typeof toEventSelector>[0])))

const RESOLVER_EVENTS = selectors(afgResolverAbi)
const ESCROW_EVENTS = selectors(erc8183EscrowAbi)

const ofResolver = ({ topics, data }: RawLog): RailFact | null => {
  if (topics[0] === undefined || !RESOLVER_EVENTS.has(topics[0])) return null
  const { eventName, args } = decodeEventLog({ abi: afgResolverAbi, topics: topics as [Hex, ...Hex[]], data })
  if (!("ref" in args)) return null
  const { ref } = args
  const termsHash = args.termsHash === zeroHash ? null : args.termsHash
  switch (eventName) {
    case "Bound":
      return { ref, termsHash, fact: { type: "bound", termsHash: args.termsHash } }
    case "Submitted": {
      const { n, deliverableHash, uriHash } = args
      return { ref, termsHash, fact: { type: "submitted", n, deliverableHash, uriHash } }
    }
    case "VerdictGiven": {
      const { n, verdict, primary, merkleRoot } = args
      return {
        ref,
        termsHash,
        fact: { type: "verdict", n, by: primary ? "primary" : "fallback", verdict: named(VERDICTS, verdict), merkleRoot },
      }
    }
    case "Conceded":
      return { ref, termsHash, fact: { type: "conceded", n: args.n, by: named(PARTIES, args.by) } }
    case "Lapsed":
      return { ref, termsHash, fact: { type: "lapsed" } }
    case "Settled": {
      const { outcome, cause, root } = args
      return { ref, termsHash, fact: { type: "settled", outcome: named(OUTCOMES, outcome), cause: named(CAUSES, cause), root } }
    }
    case "SettledElsewhere":
      return { ref, termsHash, fact: { type: "settledElsewhere", outcome: named(OUTCOMES, args.outcome) } }
    default:
      return null
  }
}

const ofEscrow = ({ topics, data }: RawLog, resolver: Address): RailFact | null => {
  if (topics[0] === undefined || !ESCROW_EVENTS.has(topics[0])) return null
  const { eventName, args } = decodeEventLog({ abi: erc8183EscrowAbi, topics: topics as [Hex, ...Hex[]], data })
  if (!("jobId" in args)) return null
  const place = { ref: numberToHex(args.jobId, { size: 32 }), termsHash: null }
  switch (eventName) {
    case "JobFunded":
      return { ...place, fact: { type: "funded", amount: args.amount.toString() } }
    case "JobSubmitted":
      return { ...place, fact: { type: "railSubmitted", deliverableHash: args.deliverable } }
    case "JobCompleted":
      // By the resolver: its own log in the same transaction says why.
      return isAddressEqual(args.evaluator, resolver) ? null : { ...place, fact: { type: "settledElsewhere", outcome: "RELEASE" } }
    case "JobRejected":
      return isAddressEqual(args.rejector, resolver) ? null : { ...place, fact: { type: "settledElsewhere", outcome: "REFUND" } }
    case "JobExpired":
      return { ...place, fact: { type: "settledElsewhere", outcome: "REFUND" } }
    default:
      return null
  }
}

export const erc8183Logs = (resolver: Address, escrow: Address): RailLogs => ({
  addresses: [resolver, escrow],
  read: (log) => {
    if (isAddressEqual(log.address, resolver)) return ofResolver(log)
    return isAddressEqual(log.address, escrow) ? ofEscrow(log, resolver) : null
  },
})
