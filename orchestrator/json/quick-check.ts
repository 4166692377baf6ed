/**
 * Says in one pass whether a text that `JSON.parse` accepted is certainly free of everything the strict reader refuses.
 *
 * "No" only means that the careful reader has to look. The pass relies on the syntax being right.
 */
import { numberFault } from "./number.ts"
import type { JsonValue } from "./value.ts"

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
/** Digits that are certainly below 2^53. */
const SAFE_DIGITS = 15
/** `\ud800` … `\udfff`: an escaped surrogate, paired or not. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/

/** `value` is what `JSON.parse` made of `text`. */
export const isCertainlyStrict = (text: string, value: JsonValue, maxDepth: number): boolean => {
  const escapes = text.includes("\\")
  if (!text.isWellFormed() || (escapes && ESCAPED_SURROGATE.test(text))) return false
  const members = scan(text, escapes, maxDepth)
  // JSON.parse keeps the last of two equal names: fewer members in the value than colons in the text.
  return members >= 0 && members === countMembers(value)
}

/** The number of members in the text; -1 where a number is doubtful or the nesting is too deep. */
const scan = (text: string, escapes: boolean, maxDepth: number): number => {
  let members = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = closingQuote(text, i, escapes)
    else if (code === COLON) members++
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = numberEnd(text, i)
      if (end < 0) return -1
      i = end - 1
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return -1
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return members
}

const closingQuote = (text: string, open: number, escapes: boolean): number => {
  let close = text.indexOf('"', open + 1)
  if (!escapes) return close
  for (;;) {
    let slashes = 0
    while (text.charCodeAt(close - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return close
    close = text.indexOf('"', close + 1)
  }
}

/** Where the number that begins at `start` ends; -1 when it is refused. Short plain integers need no closer look. */
const numberEnd = (text: string, start: number): number => {
  let end = start
  let plain = true
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code >= ZERO && code <= NINE) continue
    // . + - e E
    if (code !== 0x2e && code !== 0x2b && code !== MINUS && code !== 0x65 && code !== 0x45) break
    plain = false
  }
  if (plain && end - start <= SAFE_DIGITS) return end
  return numberFault(text.slice(start, end)) === null ? end : -1
}

const countMembers = (value: JsonValue): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countMembers(item)
    return count
  }
  // JSON.parse makes plain objects, so what is enumerable is their own.
  for (const name in value) {
    count++
    const item = value[name]
    if (typeof item === "object") count += countMembers(item)
  }
  return count
}
