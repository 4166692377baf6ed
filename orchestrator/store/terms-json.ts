/** Terms as JSON text: amounts are decimal strings there and bigints here. */
import type { Terms, TermsMoney } from "../contract/messages.ts"
import type { Units } from "../types.ts"

type Amount = { [K in keyof TermsMoney]: TermsMoney[K] extends Units ? K : never }[keyof TermsMoney]

const AMOUNTS = [
  "price",
  "verifierFee",
  "mediatorFee",
  "mediatorBond",
  "panelistBond",
  "disputeDeposit",
  "appealFee",
] as const satisfies readonly Amount[]

export const encodeTerms = (terms: Terms): string =>
  JSON.stringify(terms, (_, value) => (typeof value === "bigint" ? String(value) : value))

export const decodeTerms = (text: string): Terms => {
  const stored = JSON.parse(text) as Terms & { money: Record<Amount, string> }
  const amounts = Object.fromEntries(AMOUNTS.map((name) => [name, BigInt(stored.money[name])])) as Record<Amount, Units>
  return { ...stored, money: { ...stored.money, ...amounts } }
}
