/** Every amount of a contract, with the member that holds it. */
import type { PathSegment } from "../../json/index.ts"
import type { Units } from "../../types.ts"
import { decimalsOf, parseAmount } from "../amounts.ts"
import type { Contract } from "../schema/contract.ts"

type Moneyed = Pick<Contract, "price" | "verifier" | "mediator" | "appeal" | "bonds">

export const moneyMembers = (contract: Moneyed): { path: PathSegment[]; amount: string; asset: string }[] => [
  { path: ["price"], ...contract.price },
  { path: ["verifier", "fee"], ...contract.verifier.fee },
  { path: ["mediator", "fee"], ...contract.mediator.fee },
  { path: ["appeal", "fee"], ...contract.appeal.fee },
  { path: ["bonds", "mediator_bond"], ...contract.bonds.mediator_bond },
  { path: ["bonds", "panelist_bond"], ...contract.bonds.panelist_bond },
  { path: ["bonds", "dispute_deposit"], ...contract.bonds.dispute_deposit },
]

/** Smallest units, or undefined where another rule already reports the amount or the asset. */
export const unitsOf = ({ amount, asset }: { amount: string; asset: string }): Units | undefined => {
  const decimals = decimalsOf(asset)
  if (decimals === undefined) return undefined
  try {
    return parseAmount(amount, decimals)
  } catch {
    return undefined
  }
}
