/**
 * The strict JSON reader: what it accepts has one meaning and one canonical form (RFC 8785 on RFC 7493).
 */
import { isUtf8 } from "node:buffer"
import { AfgError } from "../errors.ts"
import { readCarefully } from "./careful-reader.ts"
import { type JsonLimits, limitsOf } from "./limits.ts"
import { isCertainlyStrict } from "./quick-check.ts"
import type { JsonValue } from "./value.ts"

/**
 * Reads one JSON document, refusing before anything is hashed whatever two readers could take for two documents.
 *
 * Refused, each with its code and a path (RFC 6901): duplicate names, lone surrogates, invalid UTF-8, a byte order mark,
 * NaN and Infinity, numbers a double does not hold, -0, integers beyond ±(2^53 - 1), text after the value, and anything
 * over the limits. `__proto__` is a member like any other. Throws nothing but {@link AfgError}.
 *
 * @param input UTF-8 bytes, or text that was decoded already.
 */
export const parseStrictJson = (input: Uint8Array | string, limits?: Partial<JsonLimits>): JsonValue => {
  const { maxBytes, maxDepth } = limitsOf(limits)
  const size = typeof input === "string" ? input.length : input.byteLength
  // A UTF-16 unit is at most three bytes of UTF-8, so short strings need no counting.
  if (size > maxBytes || (typeof input === "string" && size * 3 > maxBytes && Buffer.byteLength(input) > maxBytes))
    throw new AfgError("json-too-large", `the document has more than ${maxBytes} bytes`, { path: "" })
  const text = typeof input === "string" ? input : decode(input, maxDepth)
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    return readCarefully(text, maxDepth)
  }
  return isCertainlyStrict(text, value, maxDepth) ? value : readCarefully(text, maxDepth)
}

const decode = (bytes: Uint8Array, maxDepth: number): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Buffer's decoder keeps a byte order mark, where TextDecoder's default would hide it.
  if (isUtf8(buffer)) return buffer.toString("utf8")
  const offset = firstInvalidByte(buffer)
  throw new AfgError("json-utf8", `byte ${offset} is not UTF-8`, {
    path: pathAtEnd(buffer.subarray(0, offset), maxDepth),
    details: { offset },
  })
}

/** How many bytes are the beginning of some UTF-8 text; a character that the end cuts off counts as valid so far. */
const firstInvalidByte = (buffer: Buffer): number => {
  let valid = 0
  let end = buffer.length
  while (valid < end) {
    const middle = Math.ceil((valid + end) / 2)
    if (decodePrefix(buffer.subarray(0, middle)) === null) end = middle - 1
    else valid = middle
  }
  return valid
}

const decodePrefix = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}

/** Which member was being read where the valid bytes end. */
const pathAtEnd = (valid: Uint8Array, maxDepth: number): string => {
  try {
    readCarefully(decodePrefix(valid) ?? "", maxDepth)
    return ""
  } catch (error) {
    return error instanceof AfgError ? (error.path ?? "") : ""
  }
}
