/** Action descriptors: what the person confirms (AACP §5). */

import { deepFreeze, oncePerObject } from "./immutable.ts"
import { canonicalDigest, type Json, parseJson } from "./json.ts"
import { Members } from "./members.ts"
import { parseTime } from "./time.ts"

export const EFFECTS = ["create", "update", "delete", "transfer", "communication"] as const
export type Effect = (typeof EFFECTS)[number]

/** How a parameter is shown. All of it is data, never markup. */
export type Render = {
  /** Short name for people; the field's own name where absent. */
  readonly label?: string
  /** The value, already written out for people. */
  readonly "value-label"?: string
  /** `currency`, `date`, `date-time`, `address`, `bytes32`; others are shown as they are. */
  readonly format?: string
  /** Mask in logs and in stored rendering sets. */
  readonly sensitive?: boolean
}

export type ActionParameter = { readonly value: Json; readonly confirm?: boolean; readonly render?: Render }

/**
 * An `authorization_details` entry (RFC 9396) with confirmation metadata. Members that this type does not name are kept
 * in the object and are part of the digest.
 */
export type ActionDescriptor = {
  /** Identifies the kind of action; should be a URI of the API's owner. */
  readonly type: string
  /** One or more verbs. */
  readonly actions: readonly string[]
  readonly locations?: readonly string[]
  readonly parameters?: Readonly<Record<string, ActionParameter>>
  readonly effect?: Effect
  /** False and absent both mean irreversible to policies. */
  readonly reversible?: boolean
  /** RFC 3339; afterwards a confirmation of this descriptor is stale. */
  readonly expires?: string
}

const readRender = (render: Members): void => {
  for (const name of ["label", "value-label", "format"]) {
    if (render.has(name)) render.textOf(name, () => true, "must be a string")
  }
  render.optionalBoolean("sensitive")
}

/**
 * Checks a parsed JSON value. The very object is returned, unknown members included, and frozen: from here on it is what a
 * digest says it is. Throws `aacp-descriptor-malformed` with the path of the member at fault.
 */
export const readDescriptor = (value: unknown, path = ""): ActionDescriptor => {
  const descriptor = new Members(value, "aacp-descriptor-malformed", path)
  descriptor.text("type")
  descriptor.texts("actions")
  descriptor.optionalTexts("locations")
  descriptor.optionalBoolean("reversible")
  if (descriptor.has("effect")) descriptor.oneOf("effect", EFFECTS)
  if (descriptor.has("expires")) descriptor.textOf("expires", (text) => parseTime(text) !== null, "must be an RFC 3339 time")
  for (const [, parameter] of descriptor.optionalMembers("parameters")?.each() ?? []) {
    parameter.required("value")
    parameter.optionalBoolean("confirm")
    const render = parameter.optionalMembers("render")
    if (render !== undefined) readRender(render)
  }
  return deepFreeze(value as ActionDescriptor)
}

/** Reads a descriptor's text. Duplicate members, lossy numbers and the like throw the strict reader's `json-…` codes. */
export const parseDescriptor = (input: string | Uint8Array): ActionDescriptor => readDescriptor(parseJson(input))

/** base64url(SHA-256(JCS(descriptor))), over every member (AACP §5.3). */
export const actionDigest: (descriptor: ActionDescriptor) => string = oncePerObject(canonicalDigest)

/** A copy for logs: values and value labels of sensitive parameters are replaced by `•••` (AACP §12). */
export const maskSensitive = (descriptor: ActionDescriptor): ActionDescriptor => {
  if (descriptor.parameters === undefined) return descriptor
  const parameters = Object.entries(descriptor.parameters).map(([name, parameter]): [string, ActionParameter] => {
    if (parameter.render?.sensitive !== true) return [name, parameter]
    const { "value-label": _hidden, ...render } = parameter.render
    return [name, { ...parameter, value: "•••", render }]
  })
  return { ...descriptor, parameters: Object.fromEntries(parameters) }
}
