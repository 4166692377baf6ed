import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { lint, readRoster, type TemplateName } from "../../orchestrator/contract/index.ts"
import { LINT_CATALOG } from "../../orchestrator/contract/lint/catalog.ts"
import { canonicalize, digestOf, type JsonValue } from "../../orchestrator/json/index.ts"
import { checksCases } from "./lint-cases/checks.ts"
import { audit, type Case, c1, clean, handed, image, suite } from "./lint-cases/parts.ts"
import { peopleAndEscrowCases } from "./lint-cases/people-and-escrow.ts"
import { specCases } from "./lint-cases/spec.ts"
import { timeAndMoneyCases } from "./lint-cases/time-and-money.ts"
import { changed, fixtureContract, fixtureText, VALIDATORS } from "./support/examples.ts"

const cases: readonly Case[] = [...specCases, ...checksCases, ...timeAndMoneyCases, ...peopleAndEscrowCases]

const lintCase = ({ base = "code-fix", changes = {}, options = {} }: Omit<Case, "what" | "code" | "path">): ReturnType<typeof lint> =>
  lint(JSON.stringify(changed(base, changes)), { validators: VALIDATORS, ...options })

const codesAndPaths = (findings: readonly { code: string; path: string }[]): { code: string; path: string }[] =>
  findings.map(({ code, path }) => ({ code, path }))

/** Cases about something else that warn as well: judgment is always warned of. */
const ALSO_WARNS: Readonly<Record<string, string[]>> = {
  "rubric-only-above-cap": ["sample-audit-judgment"],
  "phi-raw-artifacts": ["llm-rubric"],
}

describe("each rule of the linter, and nothing else", () => {
  for (const { what, code, path, severity = "reject", ...rest } of cases)
    it(`${code}: ${what}`, () => {
      const { acceptable, rejects, warnings } = lintCase(rest)
      assert.equal(acceptable, severity === "warn")
      assert.deepEqual(codesAndPaths(severity === "warn" ? warnings : rejects), [{ code, path }])
      const others = (severity === "warn" ? rejects : warnings).map((finding) => finding.code)
      assert.ok(
        others.every((other) => ALSO_WARNS[code]?.includes(other)),
        `besides: ${others}`,
      )
    })

  it("leaves out no rule that needs no chain", () => {
    const tried = new Set(cases.map(({ code }) => code))
    const missing = LINT_CATALOG.filter(({ code, found }) => found !== "chain" && !tried.has(code)).map(({ code }) => code)
    assert.deepEqual(missing, [])
  })
})

describe("what the linter takes without a word", () => {
  const accepted: (Omit<Case, "code" | "path"> & { base?: TemplateName })[] = [
    { what: "the least margin on chain 31337", changes: { "/escrow/expiry": "2026-09-29T02:00:00Z" } },
    { what: "no margin when none is asked for", changes: { "/escrow/expiry": "2026-09-29T01:00:00Z" }, options: { margin: 0 } },
    { what: "short windows on chain 31337", changes: { "/windows/buyer_review_s": 1, "/windows/panel_ruling_s": 2 } },
    { what: "a public chain with a day's margin", changes: { "/price/chain_id": 8453 } },
    { what: "a time before fund_by", options: { now: Date.parse("2026-09-26T08:00:00Z") / 1000 } },
    { what: "no vault on chain 31337", changes: { "/bonds/staking_contract": `0x${"0".repeat(40)}` } },
    { what: "two flake reruns", changes: { [`${c1}/flake_reruns`]: 2 } },
    { what: "a fund_by after exactly 24 h", changes: { "/escrow/fund_by": "2026-09-26T20:00:00Z" } },
    {
      what: "the conflict report that is pinned",
      changes: { "/mediator/conflict_check_ref": digestOf(clean) },
      options: { conflictReport: canonicalize(clean) },
    },
    { what: "health data with hashes only", changes: { "/deliverable/phi": true, [`${c1}/emit`]: [{ path: "out.xml", as: "hash" }] } },
    { what: "every input at hand", options: { inputs: handed({}) } },
    { what: "a sealed input that is not at hand", options: { inputs: handed({ hidden_tests: null }) } },
    { what: "signatures, of whoever", changes: { "/signatures": { buyer: "0x1234" } } },
    { what: "six places", changes: { "/price/amount": "39.999999" } },
    {
      what: "no encryption keys without sealed inputs",
      base: "schema",
      changes: { "/verifier/encryption_key": undefined, "/mediator/encryption_key": undefined },
    },
    {
      what: "a whole pinned sample",
      base: "schema",
      changes: {
        "/acceptance/checks/-": {
          ...(audit as object),
          class: "deterministic",
          rule: "script",
          script: "record_schema",
          runner_image: image,
          network: false,
        },
      },
    },
    { what: "the roster given beside the contract", changes: { "/appeal/roster/uri": "ipfs://roster" }, options: { roster: rosterText() } },
  ]
  for (const { what, ...rest } of accepted)
    it(what, () => {
      const { acceptable, rejects, warnings } = lintCase(rest)
      assert.deepEqual({ acceptable, rejects, warnings }, { acceptable: true, rejects: [], warnings: [] })
    })
})

function rosterText(): string {
  return canonicalize(readRoster(fixtureContract("code-fix")))
}

describe("several faults", () => {
  it("are all found, each once", () => {
    const { rejects } = lintCase({
      changes: { "/extra": 1, "/escrow/upgradeable": true, "/price/amount": "40.1234567", "/inputs/0/sha256": "", "/appeal/panel_size": 2 },
    })
    assert.deepEqual(codesAndPaths(rejects), [
      { code: "input-unhashed", path: "/inputs/0/sha256" },
      { code: "schema", path: "/extra" },
      { code: "panel-size-invalid", path: "/appeal/panel_size" },
      { code: "escrow-upgradeable", path: "/escrow/upgradeable" },
      { code: "amount-format", path: "/price/amount" },
    ])
  })

  it("in the checks are found in every check", () => {
    const { rejects } = lintCase({
      changes: { [`${c1}/repo`]: "x", "/acceptance/checks/-": { ...(suite as object), check_id: "c3", repo: "y" } },
    })
    assert.deepEqual(codesAndPaths(rejects), [
      { code: "check-input-unknown", path: `${c1}/repo` },
      { code: "check-input-unknown", path: "/acceptance/checks/2/repo" },
    ])
  })
})

describe("documents that are no contract", () => {
  it("have the strict reader's code and no hash", () => {
    const result = lint(fixtureText("code-fix").replace('"job_id"', '"job_id": "afg:job:01M0AFGC0DEF1X000000000001", "job_id"'))
    assert.deepEqual(
      { ...result, rejects: codesAndPaths(result.rejects) },
      {
        acceptable: false,
        contract_hash: null,
        checks: [],
        rejects: [{ code: "json-duplicate-key", path: "/job_id" }],
        warnings: [],
      },
    )
  })

  for (const text of ["[]", "1", "null", '"contract"'])
    it(`${text} is no object`, () => assert.deepEqual(codesAndPaths(lint(text).rejects), [{ code: "schema", path: "" }]))

  it("an empty object misses every member, once each", () => {
    const { rejects } = lint("{}")
    assert.equal(new Set(rejects.map(({ path }) => path)).size, rejects.length)
    assert.ok(rejects.every(({ code }) => code === "schema"))
  })
})

describe("the linter on anything", () => {
  const pointers = [
    "/escrow",
    "/price/amount",
    "/appeal/roster",
    "/acceptance/checks/0",
    "/inputs/0",
    "/mediator",
    "/windows",
    "/buyer",
    "/deadline",
    "/bonds",
  ]
  it("answers and never throws, and the same every time", () => {
    fc.assert(
      fc.property(fc.constantFrom(...pointers), fc.jsonValue(), (pointer, value) => {
        const text = JSON.stringify(changed("code-fix", { [pointer]: value as JsonValue }))
        const first = lint(text, { validators: VALIDATORS })
        assert.equal(first.acceptable, first.rejects.length === 0)
        assert.deepEqual(lint(text, { validators: VALIDATORS }), first)
      }),
      { numRuns: 150 },
    )
  })

  it("takes bytes of any kind", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        assert.equal(lint(bytes).acceptable, false)
      }),
      { numRuns: 100 },
    )
  })
})
