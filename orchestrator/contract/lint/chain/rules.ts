/** Rules that look at the chain (`--rpc`). Each is a pure function of facts that `facts.ts` read. */
import { decimalsOf } from "../../amounts.ts"
import type { Contract } from "../../schema/contract.ts"
import { toUnix } from "../../times.ts"
import { unitsOf } from "../money.ts"
import { type LintOptions, LOCAL_CHAIN } from "../options.ts"
import type { Problem, RuleText } from "../rule.ts"
import { ESCROW_UPGRADEABLE, EXPIRY_NOT_ON_RAIL } from "../rules/escrow.ts"
import { CONFLICT_REPORT_MISSING } from "../rules/people.ts"
import type { ChainFacts } from "./facts.ts"

export type ChainRule = RuleText & {
  readonly find: (contract: Contract, facts: ChainFacts, options: LintOptions) => Iterable<Problem>
}

const ZERO_ADDRESS = /^0x0{40}$/
const OPEN = 0

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export const CHAIN_RULES: readonly ChainRule[] = [
  {
    ...ESCROW_UPGRADEABLE,
    *find(_, { upgradeableBy }) {
      if (upgradeableBy !== undefined) yield { path: ["escrow", "contract"], message: `the contract has ${upgradeableBy}` }
    },
  },
  {
    code: "escrow-not-admitted",
    severity: "reject",
    what: "The rail's contract or the resolver is not one that is admitted: unknown address, or other code than was admitted there.",
    fix: "Use a contract of the deployment on that chain; `deployments/` lists addresses and code hashes.",
    *find(_, { admitted, escrowHasCode, upgradeableBy, resolverIsKnown }) {
      if (!escrowHasCode) yield { path: ["escrow", "contract"], message: "there is no contract at this address" }
      else if (admitted === undefined && upgradeableBy === undefined)
        yield { path: ["escrow", "contract"], message: "the code at this address is not an admitted escrow's" }
      else if (admitted !== undefined && !resolverIsKnown)
        yield { path: ["escrow", "resolver"], message: "the code at this address is not an AFG resolver's" }
    },
  },
  {
    code: "fee-mutable",
    severity: "reject",
    what: "The rail's fee can be changed, or is not the one that the contract names.",
    fix: "Use a rail whose fee is fixed, and name that fee in `fees.afg_release_fee_bps`.",
    *find({ fees }, { ours }) {
      if (ours !== undefined && ours.feeBps !== fees.afg_release_fee_bps)
        yield { path: ["fees", "afg_release_fee_bps"], message: `the escrow takes ${ours.feeBps} bps` }
    },
  },
  {
    code: "token-mismatch",
    severity: "reject",
    what: "The price's token is not the escrow's, is no token, or counts in other decimal places.",
    fix: "Name the token that the escrow was deployed for.",
    *find({ price }, { ours, tokenDecimals }) {
      const path = ["price", "token_address"]
      const decimals = decimalsOf(price.asset)
      if (tokenDecimals === undefined) yield { path, message: "there is no token at this address" }
      else if (decimals !== undefined && tokenDecimals !== decimals)
        yield { path, message: `the token has ${tokenDecimals} places, ${price.asset} has ${decimals}` }
      else if (ours !== undefined && !same(ours.token, price.token_address)) yield { path, message: `the escrow holds ${ours.token}` }
    },
  },
  {
    code: "rail-job-mismatch",
    severity: "reject",
    what: "The rail's job is not the one that the contract describes: no such job, or other parties or another price.",
    fix: "Create the unfunded job with the contract's parties, price and resolver, and name its id.",
    *find(contract, { ours }) {
      if (ours === undefined) return
      const path = ["escrow", "escrow_ref"]
      if (ours.job === null) yield { path, message: "the escrow has no such job" }
      else
        for (const [what, agrees] of agreement(contract, ours.job))
          if (!agrees) yield { path, message: `the rail's job has another ${what}` }
    },
  },
  {
    ...EXPIRY_NOT_ON_RAIL,
    *find({ escrow }, { ours }) {
      if (ours?.job && ours.job.expiredAt !== BigInt(toUnix(escrow.expiry)))
        yield { path: ["escrow", "expiry"], message: `the rail's job expires at ${ours.job.expiredAt} (Unix seconds)` }
    },
  },
  {
    code: "hook-not-zero",
    severity: "reject",
    what: "The rail's job has a hook: foreign code that can block release and refund.",
    fix: "Create the job with hook zero.",
    *find(_, { ours }) {
      if (ours?.job && !ZERO_ADDRESS.test(ours.job.hook))
        yield { path: ["escrow", "escrow_ref"], message: `the job's hook is ${ours.job.hook}` }
    },
  },
  {
    code: "rail-already-funded",
    severity: "reject",
    what: "The rail's job is funded or ended already, so these terms can no longer be bound to it.",
    fix: "Create a new unfunded job and name it.",
    *find(_, { ours }) {
      if (ours?.job && ours.job.status !== OPEN) yield { path: ["escrow", "escrow_ref"], message: "the job is no longer open" }
    },
  },
  {
    code: "mediator-not-drawn",
    severity: "reject",
    what: "Nothing shows that the mediator was drawn before funding.",
    fix: "Draw the mediator, and give both seed commitments and the draw's transaction in `mediator.selection_proof`.",
    *find({ price }, { drawSucceeded }) {
      const path = ["mediator", "selection_proof"]
      if (drawSucceeded === undefined) yield { path, message: "there is no selection proof" }
      // A local network is younger than any draw; the seeds and the transcript are judged where the draw is.
      else if (!drawSucceeded && price.chain_id !== LOCAL_CHAIN)
        yield { path: [...path, "draw_tx"], message: "no such transaction succeeded" }
    },
  },
  {
    ...CONFLICT_REPORT_MISSING,
    *find({ mediator, price }, _, { conflictReport }) {
      if (mediator.conflict_check_ref === undefined)
        yield { path: ["mediator", "conflict_check_ref"], message: "the contract pins no conflict report" }
      else if (conflictReport === undefined && price.chain_id !== LOCAL_CHAIN)
        yield { path: ["mediator", "conflict_check_ref"], message: "the report was not given" }
    },
  },
]

const agreement = (contract: Contract, job: NonNullable<NonNullable<ChainFacts["ours"]>["job"]>): [string, boolean][] => [
  ["client", same(job.client, contract.buyer.wallet)],
  ["provider", same(job.provider, contract.provider.wallet)],
  ["evaluator", same(job.evaluator, contract.escrow.resolver)],
  ["budget", job.budget === unitsOf(contract.price)],
]
