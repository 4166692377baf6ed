/** Text for a value under a rendering hint (AACP §5.1 `format`; `docs/aacp.md`, "What the person sees"). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { canonicalText, isJsonObject, type Json } from "./json.ts"
import { parseTime } from "./time.ts"

type Format = (value: Json) => string | null

const AMOUNT = /^-?\d+(\.\d+)?$/
const CURRENCY = /^[A-Za-z][A-Za-z0-9]{0,11}$/

/** `412.00 USD`. Only for exactly {currency, amount}: a third member must not disappear from the person's view. */
const currency: Format = (value) => {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return null
  const { currency: unit, amount } = value
  if (typeof unit !== "string" || typeof amount !== "string" || !CURRENCY.test(unit) || !AMOUNT.test(amount)) return null
  return `${amount} ${unit}`
}

/** `YYYY-MM-DD HH:MM:SS UTC`, from RFC 3339 with whole seconds or from Unix seconds. */
const dateTime: Format = (value) => {
  const seconds = typeof value === "string" ? parseTime(value) : typeof value === "number" ? value : null
  if (seconds === null || !Number.isInteger(seconds) || Math.abs(seconds) > 250_000_000_000) return null
  const text = new Date(seconds * 1000).toISOString()
  return text.length === 24 ? `${text.slice(0, 10)} ${text.slice(11, 19)} UTC` : null
}

/** EIP-55: a letter is a capital where the hash of the lower-case digits has a nibble of 8 or more. */
const checksummed = (digits: string): string => {
  const hash = Buffer.from(keccak_256(Buffer.from(digits, "latin1"))).toString("hex")
  return Array.from(digits, (digit, index) => (Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit)).join("")
}

const address: Format = (value) =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? `0x${checksummed(value.slice(2).toLowerCase())}` : null

/** `0x` and 64 lower-case digits, from a digest with or without `0x`. */
const bytes32: Format = (value) =>
  typeof value === "string" && /^(0x)?[0-9a-fA-F]{64}$/.test(value) ? `0x${value.slice(-64).toLowerCase()}` : null

const date: Format = (value) => (typeof value === "string" ? value : null)

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["currency", currency],
  ["date", date],
  ["date-time", dateTime],
  ["address", address],
  ["bytes32", bytes32],
])

/** A string as it is, anything else its JCS; also what a format falls back to when the value does not fit it. */
const plain = (value: Json): string => (typeof value === "string" ? value : canonicalText(value))

/** The text that a person reads. Total: an unknown hint or an unfitting value shows the value itself. */
export const formatValue = (value: Json, format?: string): string => {
  const known = format === undefined ? undefined : FORMATS.get(format)
  return known?.(value) ?? plain(value)
}
