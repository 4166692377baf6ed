/** RFC 6901 JSON pointers: how errors and findings name a member. */
import { AfgError } from "../errors.ts"
import type { JsonValue } from "./value.ts"

export type PathSegment = string | number

const escapeSegment = (segment: PathSegment): string => String(segment).replaceAll("~", "~0").replaceAll("/", "~1")

/** `["a/b", 0]` → `/a~1b/0`; the empty path is the whole document: `""`. */
export const toPointer = (path: readonly PathSegment[]): string => path.map((segment) => `/${escapeSegment(segment)}`).join("")

/** `/a~1b/0` → `["a/b", "0"]`. Throws `json-pointer`. */
export const fromPointer = (pointer: string): string[] => {
  if (pointer === "") return []
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) throw new AfgError("json-pointer", `${pointer} is not a JSON pointer`)
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))
}

const ARRAY_INDEX = /^(0|[1-9][0-9]*)$/

/** The value at `pointer`, or undefined where there is none. Reads own members only. Throws `json-pointer`. */
export const valueAt = (document: JsonValue, pointer: string): JsonValue | undefined => {
  let here: JsonValue | undefined = document
  for (const segment of fromPointer(pointer)) {
    if (typeof here !== "object" || here === null) return undefined
    if (Array.isArray(here)) here = ARRAY_INDEX.test(segment) ? here[Number(segment)] : undefined
    else here = Object.hasOwn(here, segment) ? here[segment] : undefined
  }
  return here
}
