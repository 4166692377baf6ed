/** Changes that a deliverable may not make, by the contract's globs or because the test runner would obey them. */
import { parse } from "smol-toml"
import type { CheckOf } from "../../../contract/index.ts"
import { canonicalize, type JsonValue } from "../../../json/index.ts"
import { globMatcher } from "../../files/glob.ts"
import type { TreeFile } from "../../files/tree.ts"
import type { Change } from "../../git/repository.ts"
import { foldPath } from "../../patch/lookalike.ts"

export type Forbidden = { path: string; why: string }

/** Files that pytest or Python obey wherever they are, by name, or by the name of a folder they are in. */
const INFRASTRUCTURE: readonly [RegExp, string][] = [
  [/(?:^|\/)conftest\.py$/, "pytest loads it"],
  [/(?:^|\/)\.?pytest\.(?:ini|toml)$/, "pytest's settings"],
  [/(?:^|\/)(?:tox\.ini|setup\.cfg)$/, "may hold pytest's settings"],
  [/(?:^|\/)(?:sitecustomize|usercustomize)(?:\.[^/]+|\/.*)$/, "Python loads it at its start"],
  [/\.(?:pth|egg-link)$/, "Python obeys it at its start"],
  [/(?:^|\/)[^/]+\.(?:dist|egg)-info(?:\/|$)/, "may name plugins"],
  [/(?:^|\/)entry_points\.txt$/, "may name plugins"],
  [/(?:^|\/)__pycache__(?:\/|$)|\.py[cod]$/, "compiled code that may stand for another file"],
  [/(?:^|\/)(?:_?pytest|pluggy|iniconfig)(?:\.py|\.so|\/.*\.py)$/, "takes the name of a part of pytest"],
]

const SETTINGS_FILE = /(?:^|\/)pyproject\.toml$/

/** What of a `pyproject.toml` pytest or a plugin loader reads; undefined when it is no TOML. */
const pytestSettings = (text: string): string | undefined => {
  try {
    const { tool = {}, project = {} } = parse(text) as { tool?: Record<string, unknown>; project?: Record<string, unknown> }
    const kept = {
      tool: Object.fromEntries(Object.entries(tool).filter(([name]) => name.startsWith("pytest"))),
      entry_points: project["entry-points"] ?? null,
      poetry: (tool.poetry as Record<string, unknown> | undefined)?.plugins ?? null,
    }
    return canonicalize(JSON.parse(JSON.stringify(kept)) as JsonValue)
  } catch {
    return undefined
  }
}

const textOf = (files: ReadonlyMap<string, TreeFile>, path: string): string => Buffer.from(files.get(path)?.bytes ?? []).toString("utf8")

export type ForbiddenInput = {
  check: CheckOf<"test_suite_pass">
  changes: readonly Change[]
  before: readonly TreeFile[]
  after: readonly TreeFile[]
  /** Paths of the hidden suite: whoever writes there guessed or knew. */
  hidden: readonly string[]
}

/** Every forbidden change, in order of paths. Globs are compared without regard to case, width or look-alikes. */
export const forbiddenChanges = ({ check, changes, before, after, hidden }: ForbiddenInput): Forbidden[] => {
  const globs = (check.forbid_modified_paths ?? []).map((pattern) => ({
    pattern,
    exact: globMatcher(pattern),
    folded: globMatcher(foldPath(pattern)),
  }))
  const hiddenPaths = new Set(hidden.map(foldPath))
  const [old, now] = [before, after].map((files) => new Map(files.map((file) => [file.path, file])))
  const reason = (path: string): string | undefined => {
    const folded = foldPath(path)
    const glob = globs.find(({ exact, folded: alike }) => exact(path) || alike(folded))
    if (glob) return `the contract forbids ${glob.pattern}`
    if (hiddenPaths.has(folded)) return "a file of the hidden suite has this path"
    const rule = INFRASTRUCTURE.find(([pattern]) => pattern.test(folded))
    if (rule) return rule[1]
    if (!SETTINGS_FILE.test(folded) || !old || !now) return undefined
    const [was, is] = [pytestSettings(textOf(old, path)), pytestSettings(textOf(now, path))]
    return was === undefined || was !== is ? "pytest's settings or plugins in it would change" : undefined
  }
  return changes.flatMap(({ path }) => {
    const why = reason(path)
    return why === undefined ? [] : [{ path, why }]
  })
}
