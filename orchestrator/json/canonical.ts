/** The canonical form (RFC 8785) and the digests over it. */
import { createHash } from "node:crypto"
import serialize from "canonicalize"
import { AfgError } from "../errors.ts"
import type { Sha256 } from "../types.ts"
import type { JsonErrorCode } from "./errors.ts"
import { doubleFault } from "./number.ts"
import { type PathSegment, toPointer } from "./pointer.ts"

const MAX_DEPTH = 1_000

/**
 * The canonical text of a value: members sorted by UTF-16 units, no blanks, ECMAScript numbers.
 *
 * Refuses what the strict reader would not have produced: undefined, functions, bigints, class instances, holes, cycles
 * (`json-value`), lone surrogates, -0, NaN and Infinity, integers beyond ±(2^53 - 1).
 */
export const canonicalize = (value: unknown): string => {
  assertIJson(value, 0)
  const text = serialize(value)
  if (text === undefined) throw new AfgError("json-value", "the value has no JSON form", { path: "" })
  return text
}

/** UTF-8 of {@link canonicalize}. */
export const canonicalBytes = (value: unknown): Uint8Array => Buffer.from(canonicalize(value), "utf8")

/** SHA-256 as 64 lower-case hex digits; text counts as its UTF-8. */
export const sha256Hex = (data: Uint8Array | string): Sha256 => createHash("sha256").update(data).digest("hex") as Sha256

/** SHA-256 of the canonical form. */
export const digestOf = (value: unknown): Sha256 => sha256Hex(canonicalize(value))

/** Walks without keeping a path: the path is worked out only for a value that is refused. */
const assertIJson = (value: unknown, depth: number): void => {
  if (faultOf(value, depth) !== null) throw describe(value, [])
}

const faultOf = (value: unknown, depth: number): JsonErrorCode | null => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? null : "json-lone-surrogate"
    case "number":
      return doubleFault(value)
    case "boolean":
      return null
    case "object":
      return value === null ? null : containerFault(value, depth)
    default:
      return "json-value"
  }
}

const containerFault = (value: object, depth: number): JsonErrorCode | null => {
  // Deeper than any document the reader lets in: a cycle, or as good as one.
  if (depth > MAX_DEPTH) return "json-value"
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = faultOf(value[i], depth + 1)
      if (fault !== null) return fault
    }
    return null
  }
  if (!isPlain(value)) return "json-value"
  for (const name of Object.keys(value)) {
    if (!name.isWellFormed()) return "json-lone-surrogate"
    const fault = faultOf((value as Record<string, unknown>)[name], depth + 1)
    if (fault !== null) return fault
  }
  return null
}

/** A record without behaviour: no class, no `toJSON` that would put something else in its place. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && typeof (value as { toJSON?: unknown }).toJSON !== "function"
}

const describe = (value: unknown, path: PathSegment[]): AfgError => {
  const entries = typeof value === "object" && value !== null && path.length <= MAX_DEPTH ? Object.entries(value) : []
  for (const [name, item] of entries) {
    const inner = [...path, name]
    if (!name.isWellFormed()) return refusal("json-lone-surrogate", inner)
    if (faultOf(item, inner.length) !== null) return describe(item, inner)
  }
  return refusal(faultOf(value, path.length) ?? "json-value", path)
}

const refusal = (code: JsonErrorCode, path: PathSegment[]): AfgError =>
  new AfgError(code, `a value without canonical form at ${toPointer(path.slice(0, 16)) || "the top"}`, { path: toPointer(path) })
