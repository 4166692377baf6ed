/** The strict JSON of this library, in its own words (RFC 8259 within I-JSON, RFC 8785). */
import { hash } from "node:crypto"
import { canonicalize, parseStrictJson } from "../json/index.ts"
import { isCertainlyCanonical, writeCanonical } from "./canonical.ts"

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads JSON text strictly: duplicate members, lone surrogates, lossy numbers are refused with a `json-…` code. */
export const parseJson = (input: string | Uint8Array): Json => parseStrictJson(input)

/** RFC 8785's text. Throws `json-value` and others for values that JSON cannot say. */
export const canonicalText = (value: unknown): string => writeCanonical(value) ?? canonicalize(value)

/** base64url(SHA-256(JCS(value))). */
export const canonicalDigest = (value: unknown): string => hash("sha256", canonicalText(value), "base64url")

/** RFC 8785's order of member names: by UTF-16 code units. */
export const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Reads text that must be canonical; null when it is not. Text that its own value's canonical form gives back has no duplicate member and no
 * lossy number, so the strict reader need not look; it is asked for the reason when something is wrong.
 */
export const parseCanonical = (text: string): Json | null => {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return parseJson(text)
  }
  if (isCertainlyCanonical(text, value)) return value
  return canonicalText(parseJson(text)) === text ? value : null
}
