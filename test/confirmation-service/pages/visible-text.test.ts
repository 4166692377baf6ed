import assert from "node:assert/strict"
import { describe, test } from "node:test"
import fc from "fast-check"
import { html } from "../../../orchestrator/confirmation-service/pages/html.ts"
import { piecesOf, visible, visiblePlain } from "../../../orchestrator/confirmation-service/pages/visible-text.ts"
import { findAll, readHtml, textOf } from "../../../scripts/demo/html-reader.ts"

const TRICKS: Readonly<Record<string, string>> = {
  "right-to-left override": "\u202e",
  "left-to-right isolate": "\u2066",
  "pop directional isolate": "\u2069",
  "right-to-left mark": "\u200f",
  "arabic letter mark": "\u061c",
  "zero-width space": "\u200b",
  "zero-width joiner": "\u200d",
  "word joiner": "\u2060",
  "soft hyphen": "\u00ad",
  "byte order mark": "\ufeff",
  "no-break space": "\u00a0",
  "ideographic space": "\u3000",
  "line separator": "\u2028",
  "line feed": "\n",
  tab: "\t",
  "null character": "\u0000",
  escape: "\u001b",
  "tag letter": "\u{e0041}",
  "variation selector": "\ufe0f",
  "hangul filler": "\u3164",
  "braille blank": "\u2800",
  "combining grapheme joiner": "\u034f",
  "mongolian vowel separator": "\u180e",
  "interlinear annotation": "\ufff9",
  "object replacement": "\ufffc",
  "private use": "\ue000",
  unassigned: "\u{10fffe}",
}

describe("text of others", () => {
  for (const [name, character] of Object.entries(TRICKS)) {
    test(`shows a ${name} by its number`, () => {
      const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
      assert.equal(visiblePlain(`a${character}b`), `a[${number}]b`)
      assert.ok(visible(`a${character}b`).toString().includes(`>${number}</span>`))
      assert.ok(!visible(`a${character}b`).toString().includes(character))
    })
  }

  test("keeps what people write, in any script", () => {
    for (const text of [
      "fixer.pyagent",
      "Zoë Müller-Łukasz",
      "Τιμή 40,00",
      "Цена",
      "שלום",
      "مرحبا",
      "価格",
      "ราคา",
      "मूल्य",
      "😀",
      "a b  c",
      "e\u0301",
    ]) {
      assert.equal(visiblePlain(text), text)
    }
  })

  test("takes piles of marks apart, and marks that stand on nothing of their own", () => {
    assert.equal(visiblePlain(`a${"\u0301".repeat(4)}`), "a\u0301\u0301[U+0301][U+0301]")
    assert.equal(visiblePlain("\u0338"), "[U+0338]")
    assert.equal(visiblePlain("\u200b\u0338a"), "[U+200B][U+0338]a")
  })

  test("loses and adds nothing: the pieces joined are the text (property)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        assert.equal(
          piecesOf(text)
            .map((piece) => piece.text)
            .join(""),
          text,
        )
      }),
    )
  })

  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "<script>alert(1)</script>",
      '"><img src=x onerror=alert(1)>',
      "</dd></div></dl><button name=decision value=confirmed>Reject</button>",
      "&lt;b&gt; &amp; &#60;",
      "javascript:alert(1)",
      "<!--",
      "'\"`=<>&/",
      "<bdi dir=rtl>",
    ),
  )

  test("never becomes markup, whatever it is (property)", () => {
    fc.assert(
      fc.property(hostile, hostile, (text, attribute) => {
        const tree = readHtml(html`<p title="${attribute}">${visible(text)}</p>`.toString())
        const tags = findAll(tree, () => true).map((node) => node.tag)
        assert.ok(tags.every((tag) => ["p", "bdi", "span"].includes(tag)))
        assert.equal(tags.filter((tag) => tag === "p").length, 1)
        const [paragraph] = findAll(tree, (node) => node.tag === "p")
        assert.ok(paragraph)
        assert.equal(paragraph.attributes.get("title"), attribute)
        const shown = piecesOf(text)
          .map((piece) => (piece.tricky ? visiblePlain(piece.text).slice(1, -1) : piece.text))
          .join("")
        assert.equal(textOf(paragraph), shown)
      }),
    )
  })
})
