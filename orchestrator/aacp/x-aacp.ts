/**
 * The `x-aacp` annotation of an API's operation (AACP §10): what kind of action it is, which of its fields a person must
 * confirm and how they are shown. It maps an operation to its descriptor, and back.
 */
import { AfgError } from "../errors.ts"
import { type ActionDescriptor, type ActionParameter, EFFECTS, type Effect, type Render, readDescriptor } from "./descriptor.ts"
import { deepFreeze } from "./immutable.ts"
import { canonicalText, type Json, type JsonObject, parseJson } from "./json.ts"
import { Members } from "./members.ts"
import { mapValue, type RenderRule } from "./rendering.ts"

export type Annotation = {
  readonly type: string
  readonly actions: readonly string[]
  /** Fields that must be confirmed, in the order in which they are shown. */
  readonly "confirm-parameters": readonly string[]
  readonly render?: Readonly<Record<string, RenderRule>> | undefined
  readonly effect?: Effect | undefined
  readonly reversible?: boolean | undefined
  /** The field whose value, an RFC 3339 time, is the descriptor's `expires`. */
  readonly expires?: string | undefined
}

/** An API call as the default REST mapping sees it: one descriptor per call. */
export type Operation = {
  /** The endpoint's URI: becomes `locations`. */
  readonly location: string
  /** The request body's members, without the confirmation itself: become `parameters` by name. */
  readonly fields: JsonObject
}

/** Body member that may carry the evidence; never a parameter. */
export const EVIDENCE_FIELD = "confirmation"

const readRule = (rule: Members): RenderRule => {
  for (const name of ["label", "value-label", "format"]) if (rule.has(name)) rule.textOf(name, () => true, "must be a string")
  rule.optionalBoolean("sensitive")
  const map = rule.optionalMembers("value-map")
  for (const name of Object.keys(map?.object ?? {})) map?.textOf(name, () => true, "must be a string")
  return rule.object as RenderRule
}

/** Checks a parsed annotation. Unknown members are kept without effect. Throws `aacp-annotation-malformed`. */
export const readAnnotation = (value: unknown): Annotation => {
  const annotation = new Members(value, "aacp-annotation-malformed")
  annotation.text("type")
  annotation.texts("actions")
  const names = annotation.has("confirm-parameters") ? annotation.texts("confirm-parameters") : []
  if (new Set(names).size !== names.length) annotation.fail("confirm-parameters", "names a field twice")
  for (const [, rule] of annotation.optionalMembers("render")?.each() ?? []) readRule(rule)
  if (annotation.has("effect")) annotation.oneOf("effect", EFFECTS)
  annotation.optionalBoolean("reversible")
  annotation.optionalText("expires")
  return deepFreeze({ ...(value as Annotation), "confirm-parameters": names })
}

/** Reads an annotation's text: the `x-aacp` object itself, or an object that holds it under `x-aacp`. */
export const parseAnnotation = (input: string | Uint8Array): Annotation => {
  const value = parseJson(input)
  const outer = new Members(value, "aacp-annotation-malformed")
  return readAnnotation(outer.value("x-aacp") ?? value)
}

const impossible = (message: string, path: string): AfgError => new AfgError("aacp-mapping-impossible", message, { path })

const own = <T>(map: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined

/** A field's display: the rule with its `value-map` applied. */
const renderOf = (value: Json, rule: RenderRule | undefined): Render | undefined => {
  if (rule === undefined) return undefined
  const { "value-map": map, ...render } = rule
  const mapped = render["value-label"] ?? mapValue(value, map)
  const result = mapped === undefined ? render : { ...render, "value-label": mapped }
  return Object.keys(result).length === 0 ? undefined : result
}

/**
 * The descriptor of an operation. A field that must be confirmed and is not there is refused
 * (`aacp-mapping-impossible`), since a person cannot confirm what is left to chance.
 */
export const descriptorOf = (annotation: Annotation, { location, fields }: Operation): ActionDescriptor => {
  const required = annotation["confirm-parameters"]
  const missing = required.find((name) => !Object.hasOwn(fields, name))
  if (missing !== undefined) throw impossible(`${missing} must be confirmed and is missing`, `/${missing}`)
  const parameters = Object.entries(fields)
    .filter(([name]) => name !== EVIDENCE_FIELD)
    .map(([name, value]): [string, ActionParameter] => {
      const render = renderOf(value, own(annotation.render, name))
      return [name, { value, ...(required.includes(name) ? { confirm: true } : {}), ...(render === undefined ? {} : { render }) }]
    })
  const { type, actions, effect, reversible } = annotation
  const expires = annotation.expires === undefined ? undefined : own(fields, annotation.expires)
  return readDescriptor({
    type,
    actions,
    locations: [location],
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }),
    ...(effect === undefined ? {} : { effect }),
    ...(reversible === undefined ? {} : { reversible }),
    ...(expires === undefined ? {} : { expires }),
  })
}

/**
 * The operation that a descriptor describes: what a service or an agent can check, and call. Refuses a descriptor that
 * this annotation would not have made, so that nothing in it is lost on the way (`aacp-mapping-impossible`).
 */
export const operationOf = (annotation: Annotation, descriptor: ActionDescriptor): Operation => {
  const [location, ...more] = descriptor.locations ?? []
  if (location === undefined || more.length > 0) throw impossible("the descriptor must have exactly one location", "/locations")
  const fields = Object.fromEntries(Object.entries(descriptor.parameters ?? {}).map(([name, { value }]) => [name, value]))
  const operation = { location, fields }
  if (canonicalText(descriptorOf(annotation, operation)) !== canonicalText(descriptor)) {
    throw impossible("the annotation maps the operation to another descriptor", "")
  }
  return operation
}
