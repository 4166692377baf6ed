/** Rules about amounts and bonds. */
import { decimalsOf, parseAmount } from "../../amounts.ts"
import { moneyMembers, unitsOf } from "../money.ts"
import { LOCAL_CHAIN } from "../options.ts"
import { isPanelSize } from "../panel.ts"
import { type Problem, type Rule, rule } from "../rule.ts"

export const MONEY_RULES: readonly Rule[] = [
  rule(
    {
      code: "amount-format",
      severity: "reject",
      what: "An amount is not a decimal string, has more places than its asset, or is a price of zero.",
      fix: 'Write "40.00"; USDC has at most six places.',
    },
    ["price", "verifier", "mediator", "appeal", "bonds"],
    function* (contract): Iterable<Problem> {
      for (const { path, amount, asset } of moneyMembers(contract)) {
        const decimals = decimalsOf(asset)
        // An asset without known places is reported by `terms-underivable`.
        if (decimals === undefined) continue
        if (unitsOf({ amount, asset }) === undefined)
          yield { path: [...path, "amount"], message: `${amount} has more than ${decimals} decimal places` }
        else if (path.length === 1 && parseAmount(amount, decimals) === 0n)
          yield { path: [...path, "amount"], message: "a job without a price locks nothing" }
      }
    },
  ),
  rule(
    {
      code: "bond-too-small",
      severity: "reject",
      what: "A bond cannot do its work: the mediator's must cover the appeal fee, a panelist's must not be zero.",
      fix: "Raise the bond at `path`.",
    },
    ["appeal", "bonds"],
    function* ({ appeal, bonds }): Iterable<Problem> {
      const [mediator, panelist, fee] = [unitsOf(bonds.mediator_bond), unitsOf(bonds.panelist_bond), unitsOf(appeal.fee)]
      if (mediator !== undefined && fee !== undefined && mediator < fee)
        yield {
          path: ["bonds", "mediator_bond", "amount"],
          message: "less than the appeal fee, which it repays when a ruling is overturned",
        }
      if (panelist === 0n) yield { path: ["bonds", "panelist_bond", "amount"], message: "a hidden vote would cost nothing" }
    },
  ),
  rule(
    {
      code: "vault-missing",
      severity: "reject",
      what: "No vault holds the bonds, so nobody stands for a ruling or a vote (allowed on chain 31337 only).",
      fix: "Name the deployment's BondVault in `bonds.staking_contract`.",
    },
    ["price", "bonds"],
    function* ({ price, bonds }) {
      if (price.chain_id !== LOCAL_CHAIN && /^0x0{40}$/.test(bonds.staking_contract))
        yield { path: ["bonds", "staking_contract"], message: "the zero address" }
    },
  ),
  rule(
    {
      code: "bond-below-price",
      severity: "warn",
      what: "A bond is below what is proposed: the price for the mediator, the price over the panel's seats for a panelist.",
      fix: "Raise the bond, or accept that bribing the judge costs less than the price.",
    },
    ["price", "appeal", "bonds"],
    function* ({ price, appeal, bonds }): Iterable<Problem> {
      const [total, mediator, panelist, fee] = [
        unitsOf(price),
        unitsOf(bonds.mediator_bond),
        unitsOf(bonds.panelist_bond),
        unitsOf(appeal.fee),
      ]
      if (total === undefined) return
      if (mediator !== undefined && fee !== undefined && mediator >= fee && mediator < total)
        yield { path: ["bonds", "mediator_bond", "amount"], message: "less than the price" }
      if (panelist !== undefined && panelist > 0n && isPanelSize(appeal.panel_size) && panelist * BigInt(appeal.panel_size) < total)
        yield { path: ["bonds", "panelist_bond", "amount"], message: `less than the price over ${appeal.panel_size} seats` }
    },
  ),
]
