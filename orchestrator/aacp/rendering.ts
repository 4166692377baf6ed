/** The rendering set: what a confirmation service shows, as data, and the digest that signs it (AACP §5.2, §7.1). */
import type { ActionDescriptor, ActionParameter, Render } from "./descriptor.ts"
import { formatValue } from "./formats.ts"
import { deepFreeze, oncePerObject } from "./immutable.ts"
import { canonicalDigest, compareNames, type Json } from "./json.ts"

/** `[field, label, text]`: the field's name, its name for people, its value for people. */
export type RenderingRow = readonly [field: string, label: string, text: string]

/** The part of an `x-aacp` annotation that shapes the display. */
export type RenderingRules = {
  /** The fields that must be shown, in the order in which they are. */
  readonly "confirm-parameters"?: readonly string[] | undefined
  readonly render?: Readonly<Record<string, RenderRule>> | undefined
}

export type RenderRule = Render & { readonly "value-map"?: Readonly<Record<string, string>> }

const NO_RULES: RenderingRules = deepFreeze({})

/** Fields to show: those of `confirm-parameters` in that order, then other confirmed ones by name. */
const fieldsToShow = (parameters: Readonly<Record<string, ActionParameter>>, rules: RenderingRules): string[] => {
  const required = (rules["confirm-parameters"] ?? []).filter((name) => Object.hasOwn(parameters, name))
  const others = Object.keys(parameters).filter((name) => parameters[name]?.confirm === true && !required.includes(name))
  return [...required, ...others.sort(compareNames)]
}

/** `value-map` is looked up by strings as they are and by other values' JCS. */
export const mapValue = (value: Json, map: Readonly<Record<string, string>> | undefined): string | undefined => {
  const key = formatValue(value)
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
}

/**
 * Every confirmed parameter as text. The descriptor's own `render` comes first; the rules fill what it leaves out.
 * Pure and total, so that service and verifier compute the same set.
 */
export const renderingSet = (descriptor: ActionDescriptor, rules: RenderingRules = NO_RULES): RenderingRow[] => {
  const parameters = descriptor.parameters ?? {}
  const rows: RenderingRow[] = []
  for (const field of fieldsToShow(parameters, rules)) {
    const parameter = parameters[field]
    if (parameter === undefined) continue
    const own = parameter.render
    const rule = rules.render !== undefined && Object.hasOwn(rules.render, field) ? rules.render[field] : undefined
    const text =
      own?.["value-label"] ??
      rule?.["value-label"] ??
      mapValue(parameter.value, rule?.["value-map"]) ??
      formatValue(parameter.value, own?.format ?? rule?.format)
    rows.push([field, own?.label ?? rule?.label ?? field, text])
  }
  return rows
}

/** base64url(SHA-256(JCS(rendering set))). */
export const digestOfRendering = (set: readonly RenderingRow[]): string => canonicalDigest(set)

/** Per annotation, the digests of the descriptors it was applied to. */
const digestsBy = oncePerObject((rules: RenderingRules) =>
  oncePerObject((descriptor: ActionDescriptor) => digestOfRendering(renderingSet(descriptor, rules))),
)

export const renderingDigest = (descriptor: ActionDescriptor, rules: RenderingRules = NO_RULES): string => digestsBy(rules)(descriptor)

/** The set without sensitive rows' texts, for storage beside evidence: the digest commits to what is left out (AACP §12). */
export const storableRendering = (descriptor: ActionDescriptor, rules: RenderingRules = NO_RULES): RenderingRow[] =>
  renderingSet(descriptor, rules).map(([field, label, text]): RenderingRow => {
    const own = descriptor.parameters?.[field]?.render?.sensitive ?? rules.render?.[field]?.sensitive
    return [field, label, own === true ? "•••" : text]
  })
