/**
 * RFC 8785 in one pass, for the verifier's hot path. It writes only what it can be sure of; everything else, and every
 * refusal, is left to the shared canonicalizer, so that there is one authority (a test compares the two).
 */

/** A lone surrogate, a control character, a quote or a backslash: needs the engine's own quoting, or refusal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that JSON escapes
const NEEDS_CARE = /[\u0000-\u001f"\\\ud800-\udfff]/

const quote = (text: string): string | null => {
  if (!NEEDS_CARE.test(text)) return `"${text}"`
  return text.isWellFormed() ? JSON.stringify(text) : null
}

/** Below 2^53 and not -0, a double's ECMAScript spelling is its canonical one. */
const number = (value: number): string | null =>
  Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0) ? String(value) : null

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value)
}

const inOrder = (names: readonly string[]): boolean => {
  for (let index = 1; index < names.length; index++) if ((names[index - 1] ?? "") > (names[index] ?? "")) return false
  return true
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
  const names = Object.keys(value)
  // The default order is by UTF-16 code units, as RFC 8785 §3.2.3 wants it.
  if (!inOrder(names)) names.sort()
  let text = "{"
  for (const name of names) {
    const key = quote(name)
    const member = write(value[name], depth)
    if (key === null || member === null) return null
    text += text === "{" ? `${key}:${member}` : `,${key}:${member}`
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
