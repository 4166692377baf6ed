/**
 * Vocabulary shared by every part: branded strings for the values that are easy to mix up.
 *
 * Chain values carry `0x` (viem's types). Digests inside documents are lower hex without `0x`.
 */
import type { Address, Hex } from "viem"

export type { Address, Hex }

declare const brand: unique symbol
type Brand<T, B extends string> = T & { readonly [brand]: B }

/** SHA-256 in documents: 64 lower-case hex digits, no `0x`. */
export type Sha256 = Brand<string, "Sha256">
/** A block or wall-clock time in whole Unix seconds. */
export type UnixSeconds = number
/** A span in whole seconds. */
export type Seconds = number
/** Smallest units of a token (USDC: 10⁻⁶). */
export type Units = bigint

const SHA256_PATTERN = /^[0-9a-f]{64}$/

export const isSha256 = (text: string): text is Sha256 => SHA256_PATTERN.test(text)

/** `abc…` → `0xabc…`: a document digest as the chain writes it. */
export const toBytes32 = (digest: Sha256): Hex => `0x${digest}`

/** `0xabc…` → `abc…`: a chain digest as documents write it. */
export const fromBytes32 = (hex: Hex): Sha256 => hex.slice(2).toLowerCase() as Sha256
