/** The canonical form (RFC 8785) and the digests over it. */
import { createHash } from "node:crypto"
import serialize from "canonicalize"
import { AfgError } from "../errors.ts"
import type { Sha256 } from "../types.ts"
import type { JsonErrorCode } from "./errors.ts"
import { doubleFault } from "./number.ts"
import { type PathSegment, toPointer } from "./pointer.ts"

/** Deeper than any document the reader lets in: a cycle, or as good as one. */
const MAX_DEPTH = 1_000

/**
 * The canonical text of a value: members sorted by UTF-16 units, no blanks, ECMAScript numbers.
 *
 * Refuses what the strict reader would not have produced: undefined, functions, bigints, class instances, holes, cycles
 * (`json-value`), lone surrogates, -0, NaN and Infinity, integers beyond ±(2^53 - 1).
 */
export const canonicalize = (value: unknown): string => {
  if (!isPlausible(value, 0)) throw describe(value)
  try {
    const text = serialize(value)
    if (text !== undefined) return text
  } catch {
    // Lone surrogates are found while serializing.
  }
  throw describe(value)
}

/** UTF-8 of {@link canonicalize}. */
export const canonicalBytes = (value: unknown): Uint8Array => Buffer.from(canonicalize(value), "utf8")

/** SHA-256 as 64 lower-case hex digits; text counts as its UTF-8. */
export const sha256Hex = (data: Uint8Array | string): Sha256 => createHash("sha256").update(data).digest("hex") as Sha256

/** SHA-256 of the canonical form. */
export const digestOf = (value: unknown): Sha256 => sha256Hex(canonicalize(value))

/** Everything but lone surrogates, which the serializer looks for anyway. Keeps no path: that is worked out on refusal only. */
const isPlausible = (value: unknown, depth: number): boolean => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      return doubleFault(value) === null
    case "object":
      return value === null || isPlausibleContainer(value, depth)
    default:
      return false
  }
}

const isPlausibleContainer = (value: object, depth: number): boolean => {
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlausible(value[i], depth + 1)) return false
    return true
  }
  if (!isPlain(value)) return false
  // Nothing is inherited: the prototype is Object's own or null.
  for (const name in value) if (!isPlausible((value as Record<string, unknown>)[name], depth + 1)) return false
  return true
}

/** A record without behaviour: no class, no `toJSON` that would put something else in its place. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && typeof (value as { toJSON?: unknown }).toJSON !== "function"
}

/** Finds the first value without canonical form, and says where it is. */
const describe = (value: unknown): AfgError => {
  const [code, path] = firstFault(value, []) ?? ["json-value", []]
  return new AfgError(code, `a value without canonical form at ${toPointer(path.slice(0, 16)) || "the top"}`, { path: toPointer(path) })
}

const firstFault = (value: unknown, path: PathSegment[]): [JsonErrorCode, PathSegment[]] | null => {
  if (typeof value === "string") return value.isWellFormed() ? null : ["json-lone-surrogate", path]
  if (typeof value === "number") {
    const code = doubleFault(value)
    return code === null ? null : [code, path]
  }
  if (typeof value === "boolean" || value === null) return null
  if (typeof value !== "object" || path.length > MAX_DEPTH || !(Array.isArray(value) || isPlain(value))) return ["json-value", path]
  const entries = Array.isArray(value) ? Array.from(value, (item, index) => [index, item] as const) : Object.entries(value)
  for (const [name, item] of entries) {
    const inner = [...path, name]
    const fault = typeof name === "string" && !name.isWellFormed() ? (["json-lone-surrogate", inner] as const) : firstFault(item, inner)
    if (fault !== null) return [fault[0], fault[1]]
  }
  return null
}
