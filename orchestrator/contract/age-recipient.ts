/** age recipients: X25519 public keys in Bech32 (BIP 173) with the prefix `age`. Sealed inputs are encrypted to them. */

const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
const PREFIX = "age"
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const CHECKSUM_LENGTH = 6

const checksumState = (values: readonly number[]): number => {
  let state = 1
  for (const value of values) {
    const top = state >>> 25
    state = ((state & 0x1ffffff) << 5) ^ value
    for (const [bit, term] of GENERATOR.entries()) if ((top >>> bit) & 1) state ^= term
  }
  return state >>> 0
}

const PREFIX_VALUES = [...[...PREFIX].map((c) => c.charCodeAt(0) >> 5), 0, ...[...PREFIX].map((c) => c.charCodeAt(0) & 31)]

/** 32 bytes → `age1…`. */
export const ageRecipientOf = (publicKey: Uint8Array): string => {
  const data = toFiveBits(publicKey)
  const state = checksumState([...PREFIX_VALUES, ...data, ...new Array<number>(CHECKSUM_LENGTH).fill(0)]) ^ 1
  const checksum = Array.from({ length: CHECKSUM_LENGTH }, (_, i) => (state >>> (5 * (CHECKSUM_LENGTH - 1 - i))) & 31)
  return `${PREFIX}1${[...data, ...checksum].map((value) => ALPHABET.charAt(value)).join("")}`
}

/** Is this an age X25519 recipient, its checksum included? */
export const isAgeRecipient = (text: string): boolean => {
  if (!/^age1[02-9ac-hj-np-z]{58}$/.test(text)) return false
  return checksumState([...PREFIX_VALUES, ...[...text.slice(4)].map((char) => ALPHABET.indexOf(char))]) === 1
}

const toFiveBits = (bytes: Uint8Array): number[] => {
  const values: number[] = []
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      values.push((buffer >>> bits) & 31)
    }
  }
  if (bits > 0) values.push((buffer << (5 - bits)) & 31)
  return values
}
