/** Error codes as the code writes them: what is thrown must be in a table, and so in `docs/errors.md`. */
import { type Program, parseSync, Visitor } from "oxc-parser"

export type ErrorLiteral = { code: string; file: string; line: number }

/** The classes whose first argument is a code. */
const CLASSES = new Set(["AfgError", "ApiError", "UsageError", "CheckError", "ProblemError"])

type Node = { type: string; start: number; [member: string]: unknown }

/** Every text that an expression may yield: a literal, both arms of a conditional, the right of `??` and `||`. */
const textsOf = (node: Node | undefined): string[] => {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? [node.value] : []
    case "ConditionalExpression":
      return [...textsOf(node.consequent as Node), ...textsOf(node.alternate as Node)]
    case "LogicalExpression":
      return [...textsOf(node.left as Node), ...textsOf(node.right as Node)]
    default:
      return []
  }
}

const property = (node: Node, name: string): Node | undefined =>
  (node.properties as Node[]).find((member) => member.type === "Property" && (member.key as Node).name === name)?.value as Node | undefined

/** A function of the module that throws whatever `code` it is given, and at which place it takes it. */
type Thrower = { name: string; at: number }

const THROWS_CODE = new RegExp(`new (?:${[...CLASSES].join("|")})\\(\\s*code\\b`)

const nameOf = (node: Node): string | undefined => (node.type === "Identifier" ? String(node.name) : undefined)

const throwersOf = (program: Program, text: string): Thrower[] => {
  const throwers: Thrower[] = []
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (init?.type !== "ArrowFunctionExpression" && init?.type !== "FunctionExpression") return
      const at = init.params.findIndex((parameter) => nameOf(parameter as unknown as Node) === "code")
      const name = nameOf(id as unknown as Node)
      if (at >= 0 && name !== undefined && THROWS_CODE.test(text.slice(init.start, init.end))) throwers.push({ name, at })
    },
  }).visit(program)
  return throwers
}

/**
 * Codes given to an error class, directly or through a function of the same module, and those of `{error: {code: "…"}}` documents. Throws when the
 * text cannot be parsed.
 */
export const errorLiteralsOf = (file: string, text: string): ErrorLiteral[] => {
  const { program, errors } = parseSync(file, text, { lang: "ts", sourceType: "module" })
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const throwers = throwersOf(program, text)
  const found: ErrorLiteral[] = []
  const add = (node: Node | undefined): void => {
    for (const code of textsOf(node)) found.push({ code, file, line: text.slice(0, node?.start).split("\n").length })
  }
  new Visitor({
    NewExpression: ({ callee, arguments: args }) => {
      if (callee.type === "Identifier" && CLASSES.has(callee.name)) add(args[0] as Node | undefined)
    },
    CallExpression: ({ callee, arguments: args }) => {
      const thrower = throwers.find(({ name }) => name === nameOf(callee as unknown as Node))
      if (thrower !== undefined) add(args[thrower.at] as Node | undefined)
    },
    ObjectExpression: (node) => {
      const error = property(node as unknown as Node, "error")
      if (error?.type === "ObjectExpression") add(property(error, "code"))
    },
  }).visit(program)
  return found
}
