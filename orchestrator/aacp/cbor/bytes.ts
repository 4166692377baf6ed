/** CBOR bytes, one spelling per value (RFC 8949 §4.2), by cborg. */
import { decode, encode, rfc8949EncodeOptions, Tagged } from "cborg"
import { AfgError } from "../../errors.ts"

/** Values as this library passes them to and from CBOR: maps are `Map`s, so that no key is special. */
export type Cbor = null | boolean | number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor> | Tagged

export { Tagged }

export const TAG = { epochTime: 1, sign1: 18, uri: 32 } as const

/** Deterministic encoding: shortest forms, keys in bytewise order. */
export const encodeCbor = (value: Cbor): Uint8Array => encode(value, rfc8949EncodeOptions)

const keepOrder = { ...rfc8949EncodeOptions, mapSorter: () => 0 }

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/**
 * Decodes one item. Refused: indefinite lengths, numbers and lengths in longer forms than needed, duplicate keys, ill-formed UTF-8, integers beyond
 * 2^53, NaN and infinities, undefined, and tags other than those given. Keys may stand in any order; {@link isDeterministic} says whether they are sorted.
 * Throws `aacp-cbor-malformed`.
 */
export const decodeCbor = (bytes: Uint8Array, tags: readonly number[]): Cbor => {
  try {
    const value = decode(bytes, {
      strict: true,
      useMaps: true,
      rejectDuplicateMapKeys: true,
      allowIndefinite: false,
      allowUndefined: false,
      allowBigInt: false,
      allowInfinity: false,
      allowNaN: false,
      tags: Tagged.preserve(...tags),
    }) as Cbor
    // Strings that are not UTF-8, and floats in a longer form, come back from the decoder changed.
    if (same(encode(value, keepOrder), bytes)) return value
  } catch (cause) {
    throw new AfgError("aacp-cbor-malformed", cause instanceof Error ? cause.message : "cannot be decoded", { cause })
  }
  throw new AfgError("aacp-cbor-malformed", "a string or number is not in its one shortest form")
}

/** Whether `bytes` are what {@link encodeCbor} writes for `value`. */
export const isDeterministic = (value: Cbor, bytes: Uint8Array): boolean => same(encodeCbor(value), bytes)

export const isMap = (value: Cbor | undefined): value is ReadonlyMap<Cbor, Cbor> => value instanceof Map
export const isBytes = (value: Cbor | undefined): value is Uint8Array => value instanceof Uint8Array
