/** Finds imports that point the wrong way, by the table in `import-rules.ts`. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { type ParserOptions, parseSync, Visitor } from "oxc-parser"
import { PARTS, PURE } from "./import-rules.ts"

/** One import of any kind: static, for types only, re-export, dynamic, `import("…")` in a type, `require`. */
export type Import = {
  /** What is imported, as written; null when it is computed and cannot be known. */
  target: string | null
  line: number
}

type Node = { type: string; start: number; value?: unknown; expressions?: unknown[]; quasis?: { value: { cooked: string | null } }[] }

/** The text of a string literal, or of a template without anything to fill in. */
const literal = (node: Node | null | undefined): string | null => {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value
  if (node?.type === "TemplateLiteral" && node.expressions?.length === 0) return node.quasis?.[0]?.value.cooked ?? null
  return null
}

const isResolver = (source: string): boolean => /^(?:require|require\.resolve|import\.meta\.resolve|module\.require)$/.test(source)

/** All imports of a module's text. Throws when it cannot be parsed: an unread file must not pass. */
export const importsOf = (file: string, text: string): Import[] => {
  const options: ParserOptions = { lang: file.endsWith(".mjs") ? "js" : "ts", sourceType: "module" }
  const { program, errors } = parseSync(file, text, options)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const found: Import[] = []
  const add = (node: { start: number }, target: string | null) => {
    found.push({ target, line: text.slice(0, node.start).split("\n").length })
  }
  new Visitor({
    ImportDeclaration: (node) => add(node, node.source.value),
    ExportAllDeclaration: (node) => add(node, node.source.value),
    ExportNamedDeclaration: (node) => node.source && add(node, node.source.value),
    ImportExpression: (node) => add(node, literal(node.source as Node)),
    TSImportType: (node) => add(node, literal(node.source as Node)),
    TSImportEqualsDeclaration: (node) => {
      if (node.moduleReference.type === "TSExternalModuleReference") add(node, literal(node.moduleReference.expression as Node))
    },
    CallExpression: (node) => {
      if (isResolver(text.slice(node.callee.start, node.callee.end))) add(node, literal(node.arguments[0] as Node | undefined))
    },
  }).visit(program)
  return found
}

/** `orchestrator/store/open.ts` → `store`; `orchestrator/errors.ts` → `errors`; `deployments/abi/index.ts` → `deployments`; null elsewhere. */
export const partOf = (path: string): string | null => {
  const beside = /^(deployments|scripts)\//.exec(path)?.[1]
  if (beside !== undefined) return beside
  const match = /^orchestrator\/([^/]+?)(?:\.d)?(?:\.[cm]?[jt]s|\/.*)?$/.exec(path)
  return match?.[1] ?? null
}

/** What is wrong with one import of a module in `part`; null when it is allowed. */
const judge = (root: string, file: string, part: string, { target }: Import): string | null => {
  if (target === null) return "imports something computed: name the module, so that it can be checked"
  if (!target.startsWith(".") && !target.startsWith("/") && !target.startsWith("file:")) {
    const pure = PURE[part]
    return pure === undefined || pure.includes(target) ? null : `${part} is pure and may not import ${target}`
  }
  const path = relative(root, resolve(root, dirname(file), target))
  const other = partOf(path)
  if (other === part) return null
  if (other === null) return `imports ${path}, which is not part of what is shipped`
  const allowed = PARTS[part] ?? []
  return allowed.includes(other) || (allowed.includes("*") && other !== "scripts" && other in PARTS)
    ? null
    : `${part} may not import ${other} (${path})`
}

/** Every import of the orchestrator below `root` that the table does not allow, one line each. */
export const importViolations = (root: string): string[] => {
  const violations: string[] = []
  for (const file of globSync("orchestrator/**/*.{ts,mts,mjs,js}", { cwd: root }).sort()) {
    const part = partOf(file)
    if (part === null || !(part in PARTS)) {
      violations.push(`${file}: ${part} is in no row of scripts/check/import-rules.ts`)
      continue
    }
    for (const one of importsOf(file, readFileSync(join(root, file), "utf8"))) {
      const problem = judge(root, file, part, one)
      if (problem !== null) violations.push(`${file}:${one.line}: ${problem}`)
    }
  }
  return violations
}
