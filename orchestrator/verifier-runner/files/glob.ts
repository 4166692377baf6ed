/**
 * Globs over paths of a tree: `*` and `?` within one segment, `**` over any number of segments, `[abc]`, `[!a-z]`, `{a,b}`. A pattern that
 * names a folder, with or without `/` at its end, is everything below it. Names that begin with a dot are names like any other.
 *
 * Matching takes time proportional to pattern times path whatever the pattern: contracts come from strangers.
 */
import { AfgError } from "../../errors.ts"

const SPECIAL = /[*?[\]{}]/
const MOST_ALTERNATIVES = 256

/** Whether a pattern is more than one literal path. */
export const isGlob = (pattern: string): boolean => SPECIAL.test(pattern)

type Token = "*" | ((character: string) => boolean)

const GLOBSTAR = "**"
type Segment = readonly Token[] | typeof GLOBSTAR

/** `a{b,c}` → `ab`, `ac`; braces do not nest. */
const expand = (pattern: string): string[] => {
  const match = /^([^{}]*)\{([^{}]*)\}(.*)$/su.exec(pattern)
  if (match === null) return [pattern]
  const [, before = "", inside = "", after = ""] = match
  const expanded = inside.split(",").flatMap((choice) => expand(`${before}${choice}${after}`))
  if (expanded.length > MOST_ALTERNATIVES) throw new AfgError("glob-malformed", `${pattern} has too many alternatives`)
  return expanded
}

/** `[a-z]` from just after the bracket; undefined where it is never closed, and then means itself. */
const classOf = (characters: readonly string[], from: number): { token: Token; next: number } | undefined => {
  const end = characters.indexOf("]", from + 1)
  if (end < 0) return undefined
  const negated = characters[from] === "!" || characters[from] === "^"
  const members = characters.slice(negated ? from + 1 : from, end)
  const has = (character: string): boolean => {
    for (let at = 0; at < members.length; at += 1) {
      const low = members[at] ?? ""
      const high = members[at + 1] === "-" ? members[at + 2] : undefined
      if (high === undefined ? character === low : character >= low && character <= high) return true
      if (high !== undefined) at += 2
    }
    return false
  }
  return { token: (character) => has(character) !== negated, next: end + 1 }
}

const tokensOf = (segment: string): Segment => {
  if (segment === GLOBSTAR) return GLOBSTAR
  const characters = [...segment]
  const tokens: Token[] = []
  let at = 0
  while (at < characters.length) {
    const character = characters[at] ?? ""
    const group = character === "[" ? classOf(characters, at + 1) : undefined
    if (group) tokens.push(group.token)
    else if (character !== "*") tokens.push(character === "?" ? () => true : (other) => other === character)
    else if (tokens.at(-1) !== "*") tokens.push("*")
    at = group?.next ?? at + 1
  }
  return tokens
}

/** Greedy with one point to come back to: enough for stars, and never more than length times length. */
const matches = <P, S>(pattern: readonly P[], subject: readonly S[], isStar: (part: P) => boolean, fits: (part: P, item: S) => boolean) => {
  let at = 0
  let star = -1
  let resume = 0
  for (let index = 0; index < subject.length; ) {
    const part = pattern[at]
    const item = subject[index] as S
    if (part !== undefined && isStar(part)) {
      star = at
      resume = index
      at += 1
    } else if (part !== undefined && fits(part, item)) {
      at += 1
      index += 1
    } else if (star >= 0) {
      at = star + 1
      resume += 1
      index = resume
    } else return false
  }
  while (at < pattern.length && isStar(pattern[at] as P)) at += 1
  return at === pattern.length
}

const segmentMatches = (segment: Segment, name: readonly string[]): boolean =>
  segment !== GLOBSTAR &&
  matches(
    segment,
    name,
    (token) => token === "*",
    (token, character) => token !== "*" && token(character),
  )

/** What is below a match matches too; but `tests/**` is what is below `tests`, not a file of that name. */
const segmentsOf = (pattern: string): Segment[] => {
  const segments = pattern.split("/").map(tokensOf)
  if (segments.at(-1) === GLOBSTAR) segments.splice(-1, 1, tokensOf("*"))
  return [...segments, GLOBSTAR]
}

/** A test for paths. Throws `glob-malformed`. */
export const globMatcher = (pattern: string): ((path: string) => boolean) => {
  const alternatives = expand(pattern.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "")).map(segmentsOf)
  return (path) => {
    const names = path.split("/").map((name) => [...name])
    return alternatives.some((segments) => matches(segments, names, (segment) => segment === GLOBSTAR, segmentMatches))
  }
}
