/**
 * HTML by tagged templates: every value put into one is escaped, unless it was made by this module. So a page cannot
 * contain markup from elsewhere, whoever wrote the value.
 */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "")

/** Finished markup. Only `html` makes it. */
export class Html {
  readonly #markup: string
  private constructor(markup: string) {
    this.#markup = markup
  }
  toString(): string {
    return this.#markup
  }
  /** Text and attribute values (always quoted in our templates) escaped; markup, and lists of it, as they are. */
  static template(strings: readonly string[], values: readonly HtmlValue[]): Html {
    const parts = strings.map((literal, index) => literal + (index < values.length ? Html.#render(values[index]) : ""))
    return new Html(parts.join(""))
  }
  static #render(value: HtmlValue | undefined): string {
    if (value === undefined || value === null || value === false) return ""
    if (value instanceof Html) return value.#markup
    if (typeof value === "object") return value.map((item) => Html.#render(item)).join("")
    return escapeText(String(value))
  }
}

export type HtmlValue = string | number | null | undefined | false | Html | readonly HtmlValue[]

export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => Html.template(strings, values)
