/** The strict JSON of this library, in its own words (RFC 8259 within I-JSON, RFC 8785). */
import { hash } from "node:crypto"
import { canonicalize, parseStrictJson } from "../json/index.ts"
import { writeCanonical } from "./canonical.ts"

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

/** Whether `text`, which the strict reader turned into `value`, is its canonical form. */
export const isCanonical = (text: string, value: Json): boolean => canonicalText(value) === text
