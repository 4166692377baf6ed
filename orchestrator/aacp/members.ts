/**
 * Reads the members of a JSON object by type, with the path of the one at fault. Small on purpose: the verifier parses
 * evidence on every call.
 */
import { AfgError } from "../errors.ts"
import type { AacpErrorCode } from "./errors.ts"
import type { Json, JsonObject } from "./json.ts"
import { isJsonObject } from "./json.ts"

const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1")

export class Members {
  readonly object: JsonObject
  readonly code: AacpErrorCode
  private readonly parent: Members | string
  private readonly name: string

  /** `parent`: the path of the whole value, or the reader whose member `name` this is. */
  constructor(value: unknown, code: AacpErrorCode, parent: Members | string = "", name = "") {
    this.code = code
    this.parent = parent
    this.name = name
    if (!isJsonObject(value)) throw new AfgError(code, "must be a JSON object", { path: this.path })
    this.object = value
  }

  /** Put together only when something is wrong. */
  get path(): string {
    return typeof this.parent === "string" ? this.parent : `${this.parent.path}/${escapePointer(this.name)}`
  }

  /** Throws this reader's code; `problem` reads on from the member's name. */
  fail(name: string, problem: string): never {
    throw new AfgError(this.code, `${name} ${problem}`, { path: `${this.path}/${escapePointer(name)}` })
  }

  /** Names asked for are the protocol's or the object's own, and none of them is one that every object has. Undefined counts as absent. */
  value(name: string): Json | undefined {
    return this.object[name]
  }

  has(name: string): boolean {
    return this.value(name) !== undefined
  }

  required(name: string): Json {
    const value = this.value(name)
    return value === undefined ? this.fail(name, "is missing") : value
  }

  text(name: string): string {
    const value = this.required(name)
    return typeof value === "string" && value !== "" ? value : this.fail(name, "must be a non-empty string")
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined
  }

  /** A string that `accept` takes; `problem` says what it must be. */
  textOf(name: string, accept: (text: string) => boolean, problem: string): string {
    const value = this.required(name)
    return typeof value === "string" && accept(value) ? value : this.fail(name, problem)
  }

  integer(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.required(name)
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value
    return this.fail(
      name,
      max === Number.MAX_SAFE_INTEGER ? `must be an integer of at least ${min}` : `must be an integer from ${min} to ${max}`,
    )
  }

  optionalInteger(name: string, min: number, max?: number): number | undefined {
    return this.has(name) ? this.integer(name, min, max) : undefined
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.value(name)
    return value === undefined || typeof value === "boolean" ? value : this.fail(name, "must be true or false")
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const value = this.required(name)
    const found = allowed.find((candidate) => candidate === value)
    return found ?? this.fail(name, `must be one of ${allowed.join(", ")}`)
  }

  /** A list of at least one string that `accept` takes. */
  texts(
    name: string,
    accept: (text: string) => boolean = (text) => text !== "",
    problem = "must be a list of one or more strings",
  ): string[] {
    const value = this.required(name)
    if (!Array.isArray(value) || value.length === 0) return this.fail(name, problem)
    return value.map((item) => (typeof item === "string" && accept(item) ? item : this.fail(name, problem)))
  }

  optionalTexts(name: string, accept?: (text: string) => boolean, problem?: string): string[] | undefined {
    return this.has(name) ? this.texts(name, accept, problem) : undefined
  }

  members(name: string): Members {
    return new Members(this.required(name), this.code, this, name)
  }

  optionalMembers(name: string): Members | undefined {
    return this.has(name) ? this.members(name) : undefined
  }

  /** Each member as a reader of its own. */
  each(): [string, Members][] {
    return Object.keys(this.object).map((name) => [name, this.members(name)])
  }

  /** Refuses members outside `known`: for our own configuration, never for the protocol's objects. */
  only(known: readonly string[]): void {
    for (const name of Object.keys(this.object)) if (!known.includes(name)) this.fail(name, "is not known here")
  }
}
