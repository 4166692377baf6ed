/**
 * Which numbers may stand in a document that is hashed: those that every reader turns into the same double, and whose
 * canonical spelling (RFC 8785 §3.2.2.3) this reader would accept again.
 */
import type { JsonErrorCode } from "./errors.ts"

/** From here on ECMAScript writes an exponent, so the spelling no longer looks like an exact integer. */
const EXPONENT_FROM = 1e21
/** Below this, doubles are subnormal and lose digits one by one. */
const SMALLEST_NORMAL = 2 ** -1022
const DOUBLE_DIGITS = 17

/** A decimal as 0.`digits` × 10^`exponent`, without leading or trailing zeros: equal for equal numbers. */
type Decimal = { digits: string; exponent: number }

/** `1.50e3`, `-1500` → `{digits: "15", exponent: 4}`. The sign is left out. */
const decimalOf = (literal: string): Decimal => {
  const [mantissa = "", power = "0"] = literal.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".")
  const all = whole + fraction
  const first = all.search(/[1-9]/)
  if (first < 0) return { digits: "", exponent: 0 }
  return { digits: all.slice(first).replace(/0+$/, ""), exponent: Number(power) + whole.length - first }
}

const isExact = (written: Decimal, value: number): boolean => {
  const shortest = decimalOf(String(value))
  return written.digits === shortest.digits && written.exponent === shortest.exponent
}

/**
 * Judges a syntactically valid JSON number. Returns the code of what is wrong, or null.
 *
 * - `json-negative-zero`: -0 in any spelling;
 * - `json-number-range`: 1e400, or a number other than zero that would become zero;
 * - `json-integer-range`: an integer beyond ±(2^53 - 1), written out or such that its canonical form is;
 * - `json-number-precision`: an integer or subnormal that would change, or more than 17 significant digits.
 */
export const numberFault = (literal: string): JsonErrorCode | null => {
  const value = Number(literal)
  if (!Number.isFinite(value)) return "json-number-range"
  const written = decimalOf(literal)
  if (value === 0) {
    if (written.digits !== "") return "json-number-range"
    return literal.startsWith("-") ? "json-negative-zero" : null
  }
  const size = Math.abs(value)
  const plainInteger = !/[.eE]/.test(literal)
  if (size > Number.MAX_SAFE_INTEGER && (plainInteger || size < EXPONENT_FROM)) return "json-integer-range"
  const isInteger = written.digits.length <= written.exponent
  if (isInteger || size < SMALLEST_NORMAL) return isExact(written, value) ? null : "json-number-precision"
  return written.digits.length > DOUBLE_DIGITS ? "json-number-precision" : null
}

/** The same judgment of a number that is already a double. */
export const doubleFault = (value: number): JsonErrorCode | null => {
  if (!Number.isFinite(value)) return "json-not-finite"
  if (Object.is(value, -0)) return "json-negative-zero"
  const size = Math.abs(value)
  return size > Number.MAX_SAFE_INTEGER && size < EXPONENT_FROM ? "json-integer-range" : null
}
