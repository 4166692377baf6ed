/** How JSON members and CBOR items turn into each other (AACP Appendix A): small pairs of functions that compose. */
import { AfgError } from "../../errors.ts"
import { fromBase64url, toBase64url } from "../base64url.ts"
import { isUuid } from "../identifiers.ts"
import { isJsonObject, type Json } from "../json.ts"
import { formatTime, isWholeSecondsUtc, parseTime } from "../time.ts"
import { type Cbor, isBytes, isMap, TAG, Tagged } from "./bytes.ts"

export type Codec = {
  readonly toCbor: (json: Json, path: string) => Cbor
  readonly toJson: (cbor: Cbor, path: string) => Json
}

/** The JSON has no lossless CBOR form. */
const inexpressible = (message: string, path: string): never => {
  throw new AfgError("aacp-cbor-inexpressible", message, { path })
}
/** The CBOR is not what stands here. */
const malformed = (message: string, path: string): never => {
  throw new AfgError("aacp-cbor-malformed", message, { path })
}

const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1")

const isList = (value: unknown): value is readonly never[] => Array.isArray(value)

const textKey = (key: Cbor, path: string): string => (typeof key === "string" ? key : malformed("a map key is no text", path))

/** Any JSON value as the CBOR item of the same kind. */
export const any: Codec = {
  toCbor: (json, path) => {
    if (isList(json)) return (json as readonly Json[]).map((item, index) => any.toCbor(item, `${path}/${index}`))
    if (!isJsonObject(json)) return json as Cbor
    return new Map(Object.entries(json).map(([name, item]) => [name, any.toCbor(item, `${path}/${escapePointer(name)}`)]))
  },
  toJson: (cbor, path) => {
    if (isList(cbor)) return (cbor as readonly Cbor[]).map((item, index) => any.toJson(item, `${path}/${index}`))
    if (isMap(cbor)) return object(cbor, path, () => any)
    if (isBytes(cbor) || cbor instanceof Tagged) return malformed("has no JSON form", path)
    return Object.is(cbor, -0) ? malformed("minus zero has no JSON form", path) : (cbor as Json)
  },
}

/** An object by its members' codecs; `Object.fromEntries` makes even `__proto__` an ordinary member. */
const object = (map: ReadonlyMap<Cbor, Cbor>, path: string, codecOf: (name: string) => Codec): Json =>
  Object.fromEntries(
    [...map].map(([key, item]): [string, Json] => {
      const name = textKey(key, path)
      return [name, codecOf(name).toJson(item, `${path}/${escapePointer(name)}`)]
    }),
  )

/** An object whose members have the codecs named, and others pass as they are. */
export const record = (members: Readonly<Record<string, Codec>>, others: Codec = any): Codec => {
  const codecOf = (name: string): Codec => (Object.hasOwn(members, name) ? members[name] : undefined) ?? others
  return {
    toCbor: (json, path) => {
      if (!isJsonObject(json)) return inexpressible("must be an object", path)
      return new Map(Object.entries(json).map(([name, item]) => [name, codecOf(name).toCbor(item, `${path}/${escapePointer(name)}`)]))
    },
    toJson: (cbor, path) => (isMap(cbor) ? object(cbor, path, codecOf) : malformed("must be a map", path)),
  }
}

export const listOf = (item: Codec): Codec => ({
  toCbor: (json, path) =>
    isList(json)
      ? (json as readonly Json[]).map((one, index) => item.toCbor(one, `${path}/${index}`))
      : inexpressible("must be a list", path),
  toJson: (cbor, path) =>
    isList(cbor)
      ? (cbor as readonly Cbor[]).map((one, index) => item.toJson(one, `${path}/${index}`))
      : malformed("must be an array", path),
})

const untag = (cbor: Cbor, tag: number): Cbor => (cbor instanceof Tagged && cbor.tag === tag ? (cbor.value as Cbor) : cbor)

/** Tag 32; untagged text is read too. */
export const uri: Codec = {
  toCbor: (json, path) => (typeof json === "string" ? new Tagged(TAG.uri, json) : inexpressible("must be a string", path)),
  toJson: (cbor, path) => {
    const text = untag(cbor, TAG.uri)
    return typeof text === "string" ? text : malformed("must be a URI", path)
  },
}

/** Tag 1 over whole seconds; untagged seconds are read too. Other spellings of a time would not survive the way back. */
export const time: Codec = {
  toCbor: (json, path) => {
    const seconds = typeof json === "string" && isWholeSecondsUtc(json) ? parseTime(json) : null
    return seconds === null ? inexpressible("must be YYYY-MM-DDTHH:MM:SSZ", path) : new Tagged(TAG.epochTime, seconds)
  },
  toJson: (cbor, path) => {
    const seconds = untag(cbor, TAG.epochTime)
    // Years 0000 to 9999: what RFC 3339 can say.
    const inRange = typeof seconds === "number" && Number.isInteger(seconds) && seconds >= -62_167_219_200 && seconds <= 253_402_300_799
    return inRange ? formatTime(seconds) : malformed("must be whole seconds since the epoch", path)
  },
}

/** Exactly `length` octets; base64url in JSON. */
export const octets = (length: number): Codec => ({
  toCbor: (json, path) => {
    const bytes = typeof json === "string" ? fromBase64url(json) : null
    return bytes?.length === length ? new Uint8Array(bytes) : inexpressible(`must be base64url of ${length} octets`, path)
  },
  toJson: (cbor, path) => (isBytes(cbor) && cbor.length === length ? toBase64url(cbor) : malformed(`must be ${length} octets`, path)),
})

/** A UUID's 16 octets. */
export const uuid: Codec = {
  toCbor: (json, path) =>
    typeof json === "string" && isUuid(json)
      ? new Uint8Array(Buffer.from(json.replaceAll("-", ""), "hex"))
      : inexpressible("must be a UUID", path),
  toJson: (cbor, path) => {
    if (!isBytes(cbor) || cbor.length !== 16) return malformed("must be the 16 octets of a UUID", path)
    return Buffer.from(cbor)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  },
}
