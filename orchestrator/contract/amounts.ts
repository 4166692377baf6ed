/** Decimal strings of documents and smallest units of the chain. */
import { AfgError } from "../errors.ts"
import type { Units } from "../types.ts"

/** Decimal places per asset. An asset that is not listed has no amounts on chain. */
const ASSET_DECIMALS: Readonly<Record<string, number>> = { USDC: 6 }

export const decimalsOf = (asset: string): number | undefined => (Object.hasOwn(ASSET_DECIMALS, asset) ? ASSET_DECIMALS[asset] : undefined)

const AMOUNT = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/

/** `"40.00"` in an asset of 6 places → 40000000n. Throws `amount-format` for another form or more places than the asset has. */
export const parseAmount = (text: string, decimals: number, path?: string): Units => {
  const [, whole, fraction = ""] = AMOUNT.exec(text) ?? []
  if (whole === undefined) throw new AfgError("amount-format", `${text} is not a decimal amount such as 40.00`, { path })
  if (fraction.length > decimals) throw new AfgError("amount-format", `${text} has more than ${decimals} decimal places`, { path })
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/** 39400000n in an asset of 6 places → `"39.40"`: at least two places, no more zeros than that. */
export const formatAmount = (units: Units, decimals: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, "")
    .padEnd(Math.min(2, decimals), "0")
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}
