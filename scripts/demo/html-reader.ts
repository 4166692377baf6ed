/** Reads simple, well-formed HTML into a tree: as much of a browser as the demonstration's person needs. */

export type HtmlNode = {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly (HtmlNode | string)[]
}

type OpenNode = { tag: string; attributes: Map<string, string>; children: (OpenNode | string)[] }

const TOKEN = /<!doctype[^>]*>|<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>|([^<]+)/giy
const ATTRIBUTE = /([a-z-]+)(?:="([^"]*)")?/gi
const VOID = new Set(["meta", "link", "input", "br", "img", "hr"])
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' }

const decode = (text: string): string =>
  text.replace(/&(?:#(\d+)|([a-z]+));/g, (whole, number: string | undefined, name: string | undefined) =>
    number === undefined ? (ENTITIES[name ?? ""] ?? whole) : String.fromCodePoint(Number(number)),
  )

const attributesOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(ATTRIBUTE)].map(([, name = "", value = ""]): [string, string] => [name.toLowerCase(), decode(value)]))

/** The document as a tree. Throws on markup it does not understand, rather than guess what a browser would show. */
export const readHtml = (text: string): HtmlNode => {
  const root: OpenNode = { tag: "", attributes: new Map(), children: [] }
  const open: OpenNode[] = [root]
  const here = (): OpenNode => open.at(-1) ?? root
  let position = 0
  while (position < text.length) {
    TOKEN.lastIndex = position
    const found = TOKEN.exec(text)
    if (found === null) throw new Error(`cannot read the page at ${JSON.stringify(text.slice(position, position + 40))}`)
    position = TOKEN.lastIndex
    const [, slash, name, attributes = "", words] = found
    if (words !== undefined) here().children.push(decode(words))
    else if (name !== undefined && slash === "/") {
      if (here().tag !== name.toLowerCase() || here() === root) throw new Error(`</${name}> closes nothing`)
      open.pop()
    } else if (name !== undefined) {
      const node: OpenNode = { tag: name.toLowerCase(), attributes: attributesOf(attributes), children: [] }
      here().children.push(node)
      if (!VOID.has(node.tag)) open.push(node)
    }
  }
  if (here() !== root) throw new Error(`<${here().tag}> is not closed`)
  return root
}

/** Every element that `wanted` takes, in document order. */
export const findAll = (node: HtmlNode, wanted: (node: HtmlNode) => boolean): HtmlNode[] =>
  node.children.flatMap((child) => (typeof child === "string" ? [] : [...(wanted(child) ? [child] : []), ...findAll(child, wanted)]))

/** What a reader sees of an element. */
export const textOf = (node: HtmlNode): string => node.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("")
