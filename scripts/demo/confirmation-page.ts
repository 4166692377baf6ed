/** What the confirmation page shows and offers, read from its HTML as a browser would. */
import { findAll, type HtmlNode, readHtml, textOf } from "./html-reader.ts"

export type ShownField = { readonly field: string; readonly label: string; readonly text: string }

export type PageForm = {
  readonly action: string
  readonly hidden: ReadonlyMap<string, string>
  readonly buttons: readonly { readonly name: string; readonly value: string; readonly text: string }[]
}

export type ConfirmationPage = {
  readonly heading: string
  readonly fields: readonly ShownField[]
  /** Null when nothing can be decided (any more). */
  readonly form: PageForm | null
  /** `confirmed`, `denied`, `withdrawn`, `expired`; null while the page asks. */
  readonly state: string | null
  /** The code on an error page. */
  readonly problem: string | null
}

const attribute = (node: HtmlNode, name: string): string => node.attributes.get(name) ?? ""
const withTag = (root: HtmlNode, tag: string): HtmlNode[] => findAll(root, (node) => node.tag === tag)
const withAttribute = (root: HtmlNode, name: string): HtmlNode[] => findAll(root, (node) => node.attributes.has(name))

const readForm = (form: HtmlNode): PageForm => ({
  action: attribute(form, "action"),
  hidden: new Map(withTag(form, "input").map((input): [string, string] => [attribute(input, "name"), attribute(input, "value")])),
  buttons: withTag(form, "button").map((button) => ({
    name: attribute(button, "name"),
    value: attribute(button, "value"),
    text: textOf(button),
  })),
})

const first = (nodes: readonly HtmlNode[], read: (node: HtmlNode) => string): string | null => {
  const [node] = nodes
  return node === undefined ? null : read(node)
}

/** Every form of a page, for pages that have several. */
export const formsOf = (html: string): PageForm[] => withTag(readHtml(html), "form").map(readForm)

export const readConfirmationPage = (html: string): ConfirmationPage => {
  const root = readHtml(html)
  const [form] = withTag(root, "form").map(readForm)
  return {
    heading: first(withTag(root, "h1"), textOf) ?? "",
    fields: withAttribute(root, "data-field").map((row) => ({
      field: attribute(row, "data-field"),
      label: first(withTag(row, "dt"), textOf) ?? "",
      text: first(withTag(row, "dd"), textOf) ?? "",
    })),
    form: form ?? null,
    state: first(withAttribute(root, "data-state"), (node) => attribute(node, "data-state")),
    problem: first(withAttribute(root, "data-code"), (node) => attribute(node, "data-code")),
  }
}
