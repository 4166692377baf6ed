import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { contractHash, lint, parseContract, readRoster, TEMPLATE_NAMES } from "../../orchestrator/contract/index.ts"
import { sha256Hex } from "../../orchestrator/json/index.ts"
import { built, FIXTURES, fixtureContract, fixtureText, VALIDATORS } from "./support/examples.ts"

describe("the worked examples (AFG §11, §12), complete", () => {
  for (const name of TEMPLATE_NAMES) {
    it(`${name} is what its template builds`, () => {
      assert.equal(fixtureText(name), `${JSON.stringify(built(name), null, 2)}\n`)
    })

    it(`${name} lints clean`, () => {
      const result = lint(fixtureText(name), { validators: VALIDATORS })
      assert.deepEqual(
        { acceptable: result.acceptable, rejects: result.rejects, warnings: result.warnings },
        { acceptable: true, rejects: [], warnings: [] },
      )
      assert.equal(result.contract_hash, contractHash(parseContract(fixtureText(name))))
    })

    it(`${name} hashes the same after it was parsed, and whatever signatures and contract_hash it carries`, () => {
      const contract = fixtureContract(name)
      const hash = contractHash(contract)
      assert.equal(contractHash(JSON.parse(fixtureText(name))), hash)
      assert.equal(contractHash({ ...contract, signatures: { buyer: "0x00" }, contract_hash: hash }), hash)
      assert.notEqual(contractHash({ ...contract, job_id: `${contract.job_id.slice(0, -1)}9` }), hash)
    })

    it(`${name} carries its roster and an audit reference that hash to what they say`, () => {
      const contract = fixtureContract(name)
      assert.equal(readRoster(contract).length, 5)
      const { uri = "", sha256 } = contract.escrow.audit_ref ?? {}
      assert.equal(sha256Hex(Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64")), sha256)
    })
  }

  it("names the check classes", () => {
    assert.deepEqual(lint(fixtureText("code-fix")).checks, [
      { check_id: "c1", type: "test_suite_pass", class: "deterministic" },
      { check_id: "c2", type: "hash_match", class: "deterministic" },
    ])
  })

  it("the claim file needs its validator made known", () => {
    assert.deepEqual(JSON.parse(readFileSync(join(FIXTURES, "validators.json"), "utf8")), VALIDATORS)
    assert.deepEqual(
      lint(fixtureText("claim-file")).rejects.map(({ code }) => code),
      ["validator-unavailable"],
    )
  })
})
