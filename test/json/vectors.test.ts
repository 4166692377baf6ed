import assert from "node:assert/strict"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { canonicalBytes, parseStrictJson } from "../../orchestrator/json/index.ts"

const folder = join(import.meta.dirname, "../../../shared/vectors/jcs/testdata")
const absent = existsSync(folder) ? false : "the public JCS vectors are not beside this checkout (../shared/vectors/jcs)"

describe("the public vectors of RFC 8785", { skip: absent }, () => {
  for (const name of absent === false ? readdirSync(join(folder, "input")) : [])
    it(name, () => {
      const bytes = canonicalBytes(parseStrictJson(readFileSync(join(folder, "input", name))))
      const hex = readFileSync(join(folder, "outhex", name.replace(".json", ".txt")), "utf8").replace(/\s+/g, "")
      assert.equal(Buffer.from(bytes).toString("hex"), hex)
      assert.deepEqual(canonicalBytes(parseStrictJson(bytes)), bytes, "the canonical form is its own canonical form")
    })
})
