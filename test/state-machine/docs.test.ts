/** `docs/lifecycle.md` is what the table says. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { it } from "node:test"
import { ACT_ROWS, STATES } from "../../orchestrator/state-machine/index.ts"
import { LIFECYCLE_FILE, lifecyclePage } from "../../scripts/generate-lifecycle.ts"

it("docs/lifecycle.md is generated from the present table", () => {
  assert.equal(readFileSync(LIFECYCLE_FILE, "utf8"), lifecyclePage(), "run: node scripts/generate-lifecycle.ts")
})

it("the diagram has every state, and an arrow for every act that leads elsewhere", () => {
  const page = lifecyclePage()
  const diagram = page.slice(page.indexOf("```mermaid"), page.indexOf("```\n", page.indexOf("```mermaid") + 3))
  for (const state of STATES) assert.match(diagram, new RegExp(`\\b${state}\\b`))
  for (const row of ACT_ROWS) {
    if (row.to === "same" || row.event === "settledElsewhere") continue
    for (const from of row.from) if (from !== row.to) assert.match(diagram, new RegExp(`${from} --> ${row.to}: .*${row.event}`))
  }
})
