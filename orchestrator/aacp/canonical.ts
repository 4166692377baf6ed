/**
 * RFC 8785 in one pass, for the verifier's hot path. It writes only what it can be sure of; everything else, and every
 * refusal, is left to the shared canonicalizer, so that there is one authority (a test compares the two).
 */

/** Whether a text is its own JSON string: printable, without quote, backslash or surrogate. */
const isSimple = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return false
  }
  return true
}

const quote = (text: string): string | null => {
  if (isSimple(text)) return `"${text}"`
  return text.isWellFormed() ? JSON.stringify(text) : null
}

/** `"name":` as it was written before. Protocols use few names, again and again. */
const knownNames = new Map<string, string>()
const MAX_KNOWN_NAMES = 1024

const quoteName = (name: string): string | null => {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const quoted = quote(name)
  if (quoted === null || name.length > 64) return quoted === null ? null : `${quoted}:`
  if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear()
  knownNames.set(name, `${quoted}:`)
  return `${quoted}:`
}

/** Below 2^53 and not -0, a double's ECMAScript spelling is its canonical one. */
const number = (value: number): string | null =>
  Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0) ? String(value) : null

/** A record without behaviour; a `toJSON` of its own is a function, which is no JSON either. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Up to here, inserting one by one beats the engine's sort. */
const FEW = 16

/** By UTF-16 code units, as RFC 8785 §3.2.3 wants it: what `<` and the default sort compare by. */
const sortNames = (names: string[]): string[] => {
  if (names.length > FEW) return names.sort()
  for (let end = 1; end < names.length; end++) {
    const name = names[end] as string
    let place = end
    for (; place > 0 && (names[place - 1] as string) > name; place--) names[place] = names[place - 1] as string
    names[place] = name
  }
  return names
}

const list = (values: readonly unknown[], depth: number): string | null => {
  let text = "["
  for (let index = 0; index < values.length; index++) {
    const item = write(values[index], depth)
    if (item === null) return null
    text += index === 0 ? item : `,${item}`
  }
  return `${text}]`
}

const object = (value: Readonly<Record<string, unknown>>, depth: number): string | null => {
  const names = sortNames(Object.keys(value))
  let text = "{"
  for (const name of names) {
    const key = quoteName(name)
    const member = write(value[name], depth)
    if (key === null || member === null) return null
    text += text === "{" ? key + member : `,${key}${member}`
  }
  return `${text}}`
}

/** Deeper values go to the shared canonicalizer, which knows cycles. */
const MAX_DEPTH = 32

const write = (value: unknown, depth: number): string | null => {
  if (typeof value === "string") return quote(value)
  if (typeof value === "number") return number(value)
  if (typeof value === "boolean") return value ? "true" : "false"
  if (value === null) return "null"
  if (typeof value !== "object" || depth === MAX_DEPTH) return null
  if (Array.isArray(value)) return list(value, depth + 1)
  return isPlain(value) ? object(value as Readonly<Record<string, unknown>>, depth + 1) : null
}

/** The canonical text, or null when this writer does not vouch for it. */
export const writeCanonical = (value: unknown): string | null => write(value, 0)

const isTidy = (value: unknown): boolean => {
  if (typeof value === "number") return number(value) !== null
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(isTidy)
  let last = ""
  for (const name of Object.keys(value)) {
    if (name < last || !isTidy((value as Record<string, unknown>)[name])) return false
    last = name
  }
  return true
}

/**
 * Whether `text`, of which `JSON.parse` made `value`, is certainly canonical: it is what the engine writes, in order, with
 * numbers that everyone reads alike. Text with escapes is left to others.
 */
export const isCertainlyCanonical = (text: string, value: unknown): boolean =>
  !text.includes("\\") && JSON.stringify(value) === text && isTidy(value)
