import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, it } from "node:test"
import { PARTS } from "../../scripts/check/import-rules.ts"
import { importsOf, importViolations, partOf } from "../../scripts/check/imports.ts"

/** A project that has only these files; the violations found in it. */
const violationsIn = (files: Readonly<Record<string, string>>): string[] => {
  const root = mkdtempSync(join(tmpdir(), "afg-imports-"))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return importViolations(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const KINDS: Readonly<Record<string, (target: string) => string>> = {
  "a static import": (target) => `import { x } from "${target}"`,
  "an import for its effect": (target) => `import "${target}"`,
  "a type import": (target) => `import type { X } from "${target}"`,
  "a type among values": (target) => `import { type X } from "${target}"`,
  "a namespace import": (target) => `import * as all from "${target}"`,
  "a re-export": (target) => `export { x } from "${target}"`,
  "a re-export of everything": (target) => `export * from "${target}"`,
  "a re-export of types": (target) => `export type { X } from "${target}"`,
  "a dynamic import": (target) => `export const load = () => import("${target}")`,
  "a dynamic import by a template": (target) => `export const load = () => import(\`${target}\`)`,
  "an import in a type": (target) => `export type X = import("${target}").X`,
  "a typeof of an import": (target) => `export type X = typeof import("${target}")`,
  "a require": (target) => `const x = require("${target}")`,
  "a resolution": (target) => `export const url = import.meta.resolve("${target}")`,
  "an import across lines": (target) => `import {\n  x,\n} from\n  "${target}"`,
}

describe("the directions of imports", () => {
  for (const [kind, write] of Object.entries(KINDS)) {
    it(`finds ${kind} that points the wrong way`, () => {
      const found = violationsIn({ "orchestrator/contract/terms.ts": write("../store/open.ts"), "orchestrator/store/open.ts": "" })
      assert.equal(found.length, 1, found.join("\n"))
      assert.match(found[0] ?? "", /orchestrator\/contract\/terms\.ts:1: contract may not import store/)
    })
  }

  it("names the line", () => {
    assert.deepEqual(importsOf("x.ts", `\n// why\nimport "./a.ts"\n`), [{ target: "./a.ts", line: 3 }])
  })

  it("is not misled by comments and strings", () => {
    assert.deepEqual(importsOf("x.ts", `// import "./a.ts"\nconst text = 'import "./b.ts"'\n/* export * from "./c.ts" */`), [])
  })

  const cases: [string, string, string, RegExp | null][] = [
    ["what points the right way", "api/server.ts", "../contract/terms.ts", null],
    ["an import within a part", "store/a/b.ts", "../open.ts", null],
    ["a module beside the parts", "store/open.ts", "../errors.ts", null],
    ["aacp of AFG's contract", "aacp/verify.ts", "../contract/terms.ts", /aacp may not import contract/],
    ["ccs of AFG's types", "ccs/gate.ts", "../types.ts", /ccs may not import types/],
    ["the confirmation service of the API", "confirmation-service/main.ts", "../api/server.ts", /confirmation-service may not import api/],
    ["the store of the reconciler", "store/open.ts", "../reconciler/act.ts", /store may not import reconciler/],
    ["input and output in a pure part", "state-machine/fold.ts", "node:fs", /state-machine is pure and may not import node:fs/],
    ["a server's client in a pure part", "contract/terms.ts", "ioredis", /contract is pure and may not import ioredis/],
    ["a hash in a pure part", "contract/terms.ts", "node:crypto", null],
    ["a script of the checkout", "store/open.ts", "../../scripts/setup/stamp.ts", /store may not import scripts/],
    ["a script in what composes", "main.ts", "../scripts/demo/demo.ts", /main may not import scripts/],
    ["a script in a command", "cli/commands/demo.ts", "../../../scripts/demo/demo.ts", null],
    ["a test", "cli/afg.ts", "../../test/setup/imports.test.ts", /not part of what is shipped/],
    ["a way round by the part's own folder", "contract/terms.ts", "../contract/../store/open.ts", /contract may not import store/],
    ["a part that no row names", "surprise/new.ts", "../errors.ts", /surprise is in no row/],
  ]
  for (const [what, file, target, expected] of cases) {
    it(`${expected === null ? "allows" : "refuses"} ${what}`, () => {
      const found = violationsIn({ [`orchestrator/${file}`]: `import "${target}"` })
      if (expected === null) assert.deepEqual(found, [])
      else assert.match(found.join("\n"), expected)
    })
  }

  it("refuses what is computed, since it cannot be judged", () => {
    assert.match(violationsIn({ "orchestrator/store/open.ts": "export const load = (name: string) => import(name)" }).join(), /computed/)
  })

  it("does not pass a file that it cannot read", () => {
    assert.throws(() => violationsIn({ "orchestrator/store/open.ts": "import {" }), /cannot be parsed/)
  })

  it("has a table without circles", () => {
    const reach = (part: string, seen: readonly string[]): void => {
      assert.ok(!seen.includes(part), `circle: ${[...seen, part].join(" → ")}`)
      for (const other of PARTS[part] ?? []) if (other !== "*") reach(other, [...seen, part])
    }
    for (const part of Object.keys(PARTS)) reach(part, [])
  })

  it("knows a part by folder or by name", () => {
    assert.equal(partOf("orchestrator/store/blobs/file.ts"), "store")
    assert.equal(partOf("orchestrator/setup-record.ts"), "setup-record")
    assert.equal(partOf("orchestrator/verifier-runner/host/lock.d.mts"), "verifier-runner")
    assert.equal(partOf("deployments/abi/index.ts"), "deployments")
    assert.equal(partOf("scripts/setup.mjs"), "scripts")
    assert.equal(partOf("test/setup/imports.test.ts"), null)
  })
})
