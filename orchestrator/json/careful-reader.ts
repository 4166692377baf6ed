/**
 * The reader that says what is wrong and where: a recursive descent over RFC 8259 with our refusals.
 *
 * It defines what is accepted. `reader.ts` tries `JSON.parse` first and comes here on the slightest doubt; a property
 * test holds the two together.
 */
import { AfgError } from "../errors.ts"
import type { JsonErrorCode } from "./errors.ts"
import { numberFault } from "./number.ts"
import { type PathSegment, toPointer } from "./pointer.ts"
import type { JsonObject, JsonValue } from "./value.ts"

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const NOT_A_NUMBER = /[+-]?(?:NaN|Infinity)\b/y
const LITERALS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
}
const HEX4 = /^[0-9a-fA-F]{4}$/
const NUMBER_MESSAGES: Partial<Record<JsonErrorCode, string>> = {
  "json-negative-zero": "is minus zero",
  "json-number-range": "is outside the range of a double",
  "json-integer-range": "is an integer beyond ±(2^53 - 1)",
  "json-number-precision": "has more digits than a double keeps",
}

/** Reads `text` or throws an {@link AfgError} with a `json-…` code, a path, and `details.offset` in UTF-16 units. */
export const readCarefully = (text: string, maxDepth: number): JsonValue => new CarefulReader(text, maxDepth).document()

class CarefulReader {
  readonly #text: string
  readonly #maxDepth: number
  readonly #path: PathSegment[] = []
  #at = 0

  constructor(text: string, maxDepth: number) {
    this.#text = text
    this.#maxDepth = maxDepth
  }

  document(): JsonValue {
    if (this.#text.charCodeAt(0) === 0xfeff) throw this.#error("json-bom", "the document begins with a byte order mark")
    const value = this.#value()
    this.#blank()
    if (this.#at < this.#text.length) throw this.#error("json-trailing", "something follows the JSON value")
    return value
  }

  #value(): JsonValue {
    this.#blank()
    const char = this.#text[this.#at]
    if (char === "{") return this.#nested(() => this.#object())
    if (char === "[") return this.#nested(() => this.#array())
    if (char === '"') return this.#string()
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length
        return value
      }
    }
    return this.#number()
  }

  #nested<T>(read: () => T): T {
    if (this.#depth >= this.#maxDepth) throw this.#error("json-too-deep", `nested deeper than ${this.#maxDepth}`)
    this.#depth++
    const value = read()
    this.#depth--
    return value
  }

  #depth = 0

  #object(): JsonObject {
    const object: JsonObject = {}
    this.#at++
    this.#blank()
    if (this.#take("}")) return object
    do {
      this.#blank()
      if (this.#text[this.#at] !== '"') throw this.#error("json-syntax", "expected a member name in double quotes")
      const start = this.#at
      const name = this.#string()
      this.#path.push(name)
      if (Object.hasOwn(object, name)) throw this.#error("json-duplicate-key", `the member ${JSON.stringify(name)} appears twice`, start)
      this.#blank()
      if (!this.#take(":")) throw this.#error("json-syntax", "expected a colon")
      const value = this.#value()
      // Plain assignment to __proto__ would change the prototype instead of adding a member.
      if (name === "__proto__") Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
      else object[name] = value
      this.#path.pop()
      this.#blank()
    } while (this.#take(","))
    if (!this.#take("}")) throw this.#error("json-syntax", "expected a comma or a closing brace")
    return object
  }

  #array(): JsonValue[] {
    const array: JsonValue[] = []
    this.#at++
    this.#blank()
    if (this.#take("]")) return array
    do {
      this.#path.push(array.length)
      array.push(this.#value())
      this.#path.pop()
      this.#blank()
    } while (this.#take(","))
    if (!this.#take("]")) throw this.#error("json-syntax", "expected a comma or a closing bracket")
    return array
  }

  #string(): string {
    const start = this.#at++
    let value = ""
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (Number.isNaN(code)) throw this.#error("json-syntax", "the string does not end", start)
      if (code < 0x20) throw this.#error("json-syntax", "a control character inside a string must be escaped")
      const char = this.#text[this.#at++] ?? ""
      if (char === '"') break
      value += char === "\\" ? this.#escape() : char
    }
    if (!value.isWellFormed()) throw this.#error("json-lone-surrogate", "a string holds half of a surrogate pair", start)
    return value
  }

  #escape(): string {
    const char = this.#text[this.#at++] ?? ""
    const simple = Object.hasOwn(SIMPLE_ESCAPES, char) ? SIMPLE_ESCAPES[char] : undefined
    if (simple !== undefined) return simple
    const hex = this.#text.slice(this.#at, this.#at + 4)
    if (char !== "u" || !HEX4.test(hex)) throw this.#error("json-syntax", "an unknown escape", this.#at - 2)
    this.#at += 4
    return String.fromCharCode(Number.parseInt(hex, 16))
  }

  #number(): number {
    NOT_A_NUMBER.lastIndex = this.#at
    if (NOT_A_NUMBER.test(this.#text)) throw this.#error("json-not-finite", "NaN and Infinity are not JSON")
    NUMBER.lastIndex = this.#at
    const literal = NUMBER.exec(this.#text)?.[0]
    if (literal === undefined)
      throw this.#error("json-syntax", this.#at < this.#text.length ? "expected a value" : "the text ends too early")
    const fault = numberFault(literal)
    if (fault !== null) throw this.#error(fault, `${shorten(literal)} ${NUMBER_MESSAGES[fault]}`)
    this.#at += literal.length
    return Number(literal)
  }

  #blank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #error(code: JsonErrorCode, message: string, offset = this.#at): AfgError {
    const before = this.#text.slice(0, offset)
    const line = before.split("\n").length
    const column = offset - before.lastIndexOf("\n")
    return new AfgError(code, `${message} (line ${line}, column ${column})`, { path: toPointer(this.#path), details: { offset } })
  }
}

const shorten = (literal: string): string => (literal.length > 40 ? `${literal.slice(0, 37)}…` : literal)
