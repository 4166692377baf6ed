import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { it } from "node:test"
import { LINTER_PAGE, linterPage } from "../../scripts/docs/linter.ts"

it("docs/linter.md is what the rules say (node scripts/docs/linter.ts writes it)", () => {
  assert.equal(readFileSync(LINTER_PAGE, "utf8"), linterPage())
})
