/**
 * Base64url without padding (RFC 4648 §5), read strictly: one spelling per byte string, so that a digest, a challenge
 * or a signature cannot be written in two ways.
 */
const ALPHABET = /^[A-Za-z0-9_-]*$/

export const toBase64url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url")

/** Last characters whose spare bits are zero, by how many characters the last group has. */
const CLEAN_END: Readonly<Record<number, string>> = { 2: "AQgw", 3: "AEIMQUYcgkosw048" }

/** Without padding, foreign characters, an impossible length or spare bits that are not zero. */
export const isBase64url = (text: string): boolean => {
  const group = text.length % 4
  if (group === 1 || !ALPHABET.test(text)) return false
  return group === 0 || CLEAN_END[group]?.includes(text.charAt(text.length - 1)) === true
}

/** The bytes, or null when `text` is not their one spelling. */
export const fromBase64url = (text: string): Buffer | null => (isBase64url(text) ? Buffer.from(text, "base64url") : null)

/** Whether `text` spells exactly `length` bytes, or at least `length` with `orMore`. */
export const isBase64urlOf = (text: string, length: number, orMore = false): boolean => {
  const octets = Math.floor((text.length * 3) / 4)
  return (orMore ? octets >= length : octets === length) && isBase64url(text)
}
