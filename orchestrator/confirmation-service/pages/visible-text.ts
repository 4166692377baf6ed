/**
 * Text of others, shown so that nothing in it can hide, turn around or imitate the page (AACP §5.2, §11 "Rendering attacks").
 *
 * Characters that have no ink of their own, that change the order of their neighbours, or that stack upon them are replaced
 * by a box with their code point. Everything else stays as it is.
 */
import { type Html, type HtmlValue, html } from "./html.ts"

/** Marks on one letter beyond which a pile is shown one by one; no living orthography needs more. */
const MARKS_PER_LETTER = 2

/**
 * Controls, format characters (bidirectional ones included), separators and spaces but U+0020, private, unassigned and
 * half characters, whatever Unicode lets a renderer leave out, and three blanks that count as letters or symbols.
 */
const TRICKY = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u3164\uFFFC]|(?! )\p{Zs}/u

const MARK = /\p{M}/u

const codePoint = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const box = (character: string): Html => html`<span class="code-point">${codePoint(character)}</span>`

export type Piece = { readonly text: string; readonly tricky: boolean }

/** Splits text into what is shown as it is and single characters that are shown by number. Joined, they are the text again. */
export const piecesOf = (text: string): Piece[] => {
  const pieces: { text: string; tricky: boolean }[] = []
  let marks = 0
  let before: string | null = null
  for (const character of text) {
    const isMark = MARK.test(character)
    marks = isMark ? marks + 1 : 0
    // A mark with nothing to stand on would decorate the page's own text.
    const tricky: boolean = TRICKY.test(character) || (isMark && (before === null || marks > MARKS_PER_LETTER))
    const last: { text: string; tricky: boolean } | undefined = pieces.at(-1)
    if (!tricky && last !== undefined && !last.tricky) last.text += character
    else pieces.push({ text: character, tricky })
    before = tricky ? null : character
  }
  return pieces
}

/** The text as a run of its own: its writing direction ends where it ends. */
export const visible = (text: string): Html => {
  const pieces: HtmlValue[] = piecesOf(text).map((piece) => (piece.tricky ? box(piece.text) : piece.text))
  return html`<bdi class="foreign">${pieces}</bdi>`
}

/** The same for places that take no markup, such as a page's title: `[U+202E]`. */
export const visiblePlain = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.tricky ? `[${codePoint(piece.text)}]` : piece.text))
    .join("")
