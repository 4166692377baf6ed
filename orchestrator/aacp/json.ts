/** The strict JSON of this library, in its own words (RFC 8259 within I-JSON, RFC 8785). */
import { hash } from "node:crypto"
import { canonicalize, parseStrictJson } from "../json/index.ts"

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads JSON text strictly: duplicate members, lone surrogates, lossy numbers are refused with a `json-…` code. */
export const parseJson = (input: string | Uint8Array): Json => parseStrictJson(input)

/** RFC 8785's text. */
export const canonicalText = (value: unknown): string => canonicalize(value)

/** base64url(SHA-256(JCS(value))). */
export const canonicalDigest = (value: unknown): string => hash("sha256", canonicalText(value), "base64url")

/** RFC 8785's order of member names: by UTF-16 code units. */
export const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const namesSorted = (value: Json): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(namesSorted)
  let last = ""
  for (const [name, member] of Object.entries(value)) {
    if (name < last || !namesSorted(member)) return false
    last = name
  }
  return true
}

/**
 * Whether `text`, which the strict reader turned into `value`, is canonical. Most are judged by the engine's own
 * serializer; it puts number-like names first, so a text with those may need the real one.
 */
export const isCanonical = (text: string, value: Json): boolean =>
  (JSON.stringify(value) === text && namesSorted(value)) || canonicalText(value) === text
