import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { contractJsonSchema, lint, parseContract, TEMPLATE_NAMES } from "../../orchestrator/contract/index.ts"
import { isAfgError } from "../../orchestrator/errors.ts"
import { isJsonObject, type JsonValue, toPointer } from "../../orchestrator/json/index.ts"
import { changed, fixture, fixtureContract, remove, set, VALIDATORS } from "./support/examples.ts"

/** Every pointer into a document, with its value. */
function* everywhere(value: JsonValue, path: (string | number)[] = []): Generator<[pointer: string, value: JsonValue]> {
  yield [toPointer(path), value]
  if (typeof value !== "object" || value === null) return
  for (const [name, item] of Object.entries(value)) yield* everywhere(item, [...path, name])
}

/** Members that a contract may leave out. */
const OPTIONAL = new Set([
  "/buyer/operator_id",
  "/provider/operator_id",
  "/mediator/selection_proof",
  "/mediator/conflict_check_ref",
  "/deliverable/delivery",
  "/inputs/0/sealed",
  "/inputs/1/sealed",
  "/inputs/2/sealed",
  "/acceptance/checks/0/target_tests",
  "/acceptance/checks/0/hidden_suite_sha256",
  "/acceptance/checks/0/forbid_modified_paths",
  "/acceptance/checks/0/flake_reruns",
  "/acceptance/checks/0/baseline",
  "/acceptance/checks/0/dialect",
  "/acceptance/checks/1/timeout_s",
])

/** Members whose absence has a code of its own, or a warning. */
const SPECIFIC: Readonly<Record<string, string>> = {
  "/escrow/audit_ref": "audit-missing",
  "/escrow/upgradeable": "escrow-upgradeable",
  "/escrow/salt": "terms-underivable",
  "/price/amount": "amount-format",
  "/verifier/fee/amount": "amount-format",
  "/mediator/fee/amount": "amount-format",
  "/appeal/fee/amount": "amount-format",
  "/bonds/mediator_bond/amount": "amount-format",
  "/bonds/panelist_bond/amount": "amount-format",
  "/bonds/dispute_deposit/amount": "amount-format",
  "/appeal/panel_size": "panel-size-invalid",
}

const specificCode = (pointer: string): string => {
  if (/^\/inputs\/\d+\/sha256$/.test(pointer)) return "input-unhashed"
  const check = /^\/acceptance\/checks\/\d+\/(class|runner_image|base_commit|network)$/.exec(pointer)?.[1]
  const codes: Record<string, string> = {
    class: "check-class-wrong",
    runner_image: "runner-image-unpinned",
    base_commit: "base-commit-abbreviated",
    network: "network-not-false",
  }
  return SPECIFIC[pointer] ?? (check === undefined ? "schema" : (codes[check] ?? "schema"))
}

const rejectsOf = (document: JsonValue): { code: string; path: string }[] =>
  lint(document, { validators: VALIDATORS }).rejects.map(({ code, path }) => ({ code, path }))

describe("the contract's schema", () => {
  for (const name of TEMPLATE_NAMES) {
    it(`${name}: an unknown member anywhere is one fault, at its own path`, () => {
      for (const [pointer, value] of everywhere(fixture(name))) {
        if (!isJsonObject(value)) continue
        for (const extra of ["extra", "__proto__"]) {
          const marked = fixture(name)
          set(marked, `${pointer}/MARK`, 1)
          // Renamed in the text, since an object literal cannot carry a member __proto__.
          const found = lint(JSON.stringify(marked).replace('"MARK"', JSON.stringify(extra)), { validators: VALIDATORS }).rejects
          assert.deepEqual(
            found.map(({ code, path }) => ({ code, path })),
            [{ code: "schema", path: `${pointer}/${extra}` }],
          )
        }
      }
    })

    it(`${name}: a missing member is one fault with its own code`, () => {
      for (const [pointer] of everywhere(fixture(name))) {
        if (pointer === "" || /\/(target_tests|forbid_modified_paths|levels|inputs|checks)\/\d+$/.test(pointer)) continue
        if (OPTIONAL.has(pointer) || pointer === "/buyer/confirmer" || /encryption_key$/.test(pointer)) continue
        const document = fixture(name)
        remove(document, pointer)
        assert.deepEqual(rejectsOf(document), [{ code: specificCode(pointer), path: pointer }], pointer)
      }
    })

    it(`${name}: a member of the wrong type is refused at its path, whatever the type`, () => {
      for (const [pointer, value] of everywhere(fixture(name))) {
        if (pointer === "") continue
        for (const wrong of [null, {}, "", -1, true] as JsonValue[]) {
          if (typeof wrong === typeof value || /operator_id$|\/(sealed|network|phi|upgradeable)$/.test(pointer)) continue
          const document = fixture(name)
          set(document, pointer, wrong)
          const found = rejectsOf(document)
          assert.ok(
            found.length > 0 && found.every(({ path }) => path === pointer || path.startsWith(`${pointer}/`)),
            `${pointer} ${JSON.stringify(wrong)}`,
          )
        }
      }
    })
  }

  const forms: [what: string, pointer: string, value: JsonValue][] = [
    ["a time zone", "/created_at", "2026-09-25T20:00:00+00:00"],
    ["fractions of a second", "/created_at", "2026-09-25T20:00:00.5Z"],
    ["a day that does not exist", "/created_at", "2026-02-30T20:00:00Z"],
    ["a leap second", "/created_at", "2026-06-30T23:59:60Z"],
    ["a lower-case z", "/deadline/delivery_by", "2026-09-27T20:00:00z"],
    ["another version", "/spec_version", "afg-acs/1"],
    ["another job id", "/job_id", "job-1"],
    ["a wrong checksum", "/buyer/wallet", "0x3c44CdDdB6a900fa2b585dd299e03d12FA4293BC"],
    ["the zero address", "/provider/wallet", `0x${"0".repeat(40)}`],
    ["a short address", "/mediator/key", "0x1234"],
    ["a confirmer shorter than an address", "/buyer/confirmer", "0x1234"],
    ["combine any", "/acceptance/combine", "any"],
    ["no checks", "/acceptance/checks", []],
    ["two checks of one name", "/acceptance/checks/1/check_id", "c1"],
    ["two inputs of one name", "/inputs/1/name", "repo@base"],
    ["an input named deliverable", "/inputs/0/name", "deliverable"],
    ["an input name with a slash", "/inputs/0/name", "../etc/passwd"],
    ["two appeals", "/appeal/allowed", 2],
    ["an appeal that is not final", "/appeal/final", false],
    ["a mediator paid by the winner", "/mediator/fee/paid_by", "winner"],
    ["a fee over the price", "/fees/afg_release_fee_bps", 10_001],
    ["a window of 2^32 seconds", "/windows/panel_ruling_s", 4_294_967_296],
    ["no submission", "/deadline/max_submissions", 0],
    ["another hash algorithm", "/acceptance/checks/1/algorithm", "md5"],
    ["an unknown check type", "/acceptance/checks/1/type", "vibes"],
    ["a recipient with a wrong checksum", "/verifier/encryption_key", `age1${"q".repeat(58)}`],
  ]
  for (const [what, pointer, value] of forms)
    it(`refuses ${what}`, () => {
      assert.deepEqual(rejectsOf(changed("code-fix", { [pointer]: value })), [{ code: "schema", path: pointer }])
    })

  it("parseContract throws the first fault with its code and path", () => {
    const cases: [Record<string, JsonValue | undefined>, code: string, path: string][] = [
      [{ "/windows": undefined }, "schema", "/windows"],
      [{ "/inputs/0/sha256": "abc" }, "input-unhashed", "/inputs/0/sha256"],
      [{ "/acceptance/checks/0/runner_image": "python:3.12" }, "runner-image-unpinned", "/acceptance/checks/0/runner_image"],
    ]
    for (const [changes, code, path] of cases)
      assert.throws(
        () => parseContract(JSON.stringify(changed("code-fix", changes))),
        (error: unknown) => isAfgError(error) && error.code === code && error.path === path,
      )
    assert.throws(() => parseContract('{"a":1,"a":1}'), { code: "json-duplicate-key" })
    assert.throws(() => parseContract("[]"), { code: "schema" })
  })

  it("keeps every member as it was written: nothing is defaulted, trimmed or reordered into another hash", () => {
    for (const name of TEMPLATE_NAMES) assert.deepEqual(fixtureContract(name), fixture(name))
  })

  it("exports a JSON Schema that names every member and closes every object", () => {
    type Closed = { properties: Record<string, unknown>; additionalProperties: boolean }
    const document = contractJsonSchema() as { $schema: string; $defs: { JobContract: Closed } }
    const schema = document.$defs.JobContract
    assert.equal(document.$schema, "https://json-schema.org/draft/2020-12/schema")
    assert.equal(schema.additionalProperties, false)
    assert.ok(Object.keys(fixture("code-fix")).every((name) => Object.hasOwn(schema.properties, name)))
  })
})
