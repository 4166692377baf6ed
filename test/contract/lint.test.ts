import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { inlineRoster, type LintOptions, lint, readRoster, type TemplateName } from "../../orchestrator/contract/index.ts"
import { LINT_CATALOG } from "../../orchestrator/contract/lint/catalog.ts"
import { canonicalize, digestOf, type JsonValue, sha256Hex } from "../../orchestrator/json/index.ts"
import { changed, fixtureContract, fixtureText, VALIDATORS } from "./support/examples.ts"

type Case = {
  what: string
  code: string
  path: string
  severity?: "reject" | "warn"
  base?: TemplateName
  changes?: Readonly<Record<string, JsonValue | undefined>>
  options?: LintOptions
}

const rubric: JsonValue = {
  check_id: "r1",
  type: "llm_rubric",
  class: "judgment",
  rubric: "record_schema",
  model: "model-1",
  votes: 3,
  pass_threshold: 0.6,
  temperature: 0,
}
const audit: JsonValue = {
  check_id: "a1",
  type: "sample_audit",
  class: "judgment",
  population: "deliverable",
  sample_size: 20,
  rule: "rubric",
  max_failures: 0,
}
const snip: JsonValue = fixtureContract("claim-file").acceptance.checks[0] as JsonValue
const suite: JsonValue = fixtureContract("code-fix").acceptance.checks[0] as JsonValue
const image = `sha256:${"ab".repeat(32)}`

const rosterWith = (change: (panelist: Record<string, JsonValue>, index: number) => void): JsonValue => {
  const list = structuredClone(readRoster(fixtureContract("code-fix"))) as JsonValue as Record<string, JsonValue>[]
  list.forEach(change)
  return inlineRoster(list as unknown as Parameters<typeof inlineRoster>[0])
}

const report = (findings: JsonValue[]): JsonValue => ({
  mediator: "med.pool.0192",
  buyer: "buyer.acme-ci",
  provider: "fixer.pyagent",
  depth: 2,
  from_block: 1,
  to_block: 100,
  findings,
})
const clean = report([])
const wallets = fixtureContract("code-fix")
const c1 = "/acceptance/checks/0"

const cases: Case[] = [
  // AFG §10: rejects
  { what: "an upgradeable escrow", code: "escrow-upgradeable", path: "/escrow/upgradeable", changes: { "/escrow/upgradeable": true } },
  {
    what: "an escrow that does not say",
    code: "escrow-upgradeable",
    path: "/escrow/upgradeable",
    changes: { "/escrow/upgradeable": undefined },
  },
  { what: "an unhashed input", code: "input-unhashed", path: "/inputs/0/sha256", changes: { "/inputs/0/sha256": undefined } },
  { what: "an input with an empty hash", code: "input-unhashed", path: "/inputs/0/sha256", changes: { "/inputs/0/sha256": "" } },
  {
    what: "an input with an upper-case hash",
    code: "input-unhashed",
    path: "/inputs/0/sha256",
    changes: { "/inputs/0/sha256": "AB".repeat(32) },
  },
  {
    what: "an expiry before the windows end",
    code: "expiry-too-short",
    path: "/escrow/expiry",
    changes: { "/escrow/expiry": "2026-09-28T20:00:00Z" },
  },
  {
    what: "an expiry before delivery",
    code: "expiry-too-short",
    path: "/escrow/expiry",
    changes: { "/escrow/expiry": "2026-09-26T20:00:00Z" },
  },
  {
    what: "an expiry one second inside the margin",
    code: "expiry-too-short",
    path: "/escrow/expiry",
    changes: { "/escrow/expiry": "2026-09-29T01:59:59Z" },
  },
  { what: "one longer window", code: "expiry-too-short", path: "/escrow/expiry", changes: { "/windows/appeal_filing_s": 604_800 } },
  {
    what: "a conflict report with a finding",
    code: "mediator-conflict",
    path: "/mediator",
    options: { conflictReport: canonicalize(report([{ kind: "prior_payment", with: "buyer", tx: `0x${"1".repeat(64)}` }])) },
  },
  {
    what: "a mediator that is the buyer's operator",
    code: "mediator-conflict",
    path: "/mediator/mediator_id",
    changes: { "/mediator/mediator_id": "operator.buyer" },
  },
  {
    what: "fewer providers than seats",
    code: "panel-providers-not-distinct",
    path: "/appeal/distinct_model_providers",
    changes: { "/appeal/distinct_model_providers": 4 },
  },
  {
    what: "a roster with one provider twice",
    code: "panel-providers-not-distinct",
    path: "/appeal/roster",
    changes: {
      "/appeal/roster": rosterWith(
        (panelist, index) => (panelist.model_provider = index === 4 ? "provider-A" : (panelist.model_provider ?? "")),
      ),
    },
  },
  {
    what: "a roster that has to seat the mediator",
    code: "panel-providers-not-distinct",
    path: "/appeal/roster",
    changes: {
      "/appeal/roster": rosterWith((panelist, index) => (panelist.wallet = index === 0 ? wallets.mediator.key : (panelist.wallet ?? ""))),
    },
  },
  {
    what: "judgment alone above the cap",
    base: "schema",
    code: "rubric-only-above-cap",
    path: "/acceptance/checks",
    changes: {
      "/acceptance/checks": [audit],
      "/price/amount": "25.01",
      "/bonds/mediator_bond/amount": "26.00",
      "/bonds/panelist_bond/amount": "6.00",
    },
  },
  {
    what: "judgment alone above another cap",
    base: "schema",
    code: "rubric-only-above-cap",
    path: "/acceptance/checks",
    changes: { "/acceptance/checks": [audit] },
    options: { rubricCap: "9.99" },
  },
  {
    what: "raw artifacts of health data",
    code: "phi-raw-artifacts",
    path: `${c1}/emit/1/as`,
    changes: {
      "/deliverable/phi": true,
      [`${c1}/emit`]: [
        { path: "log", as: "hash" },
        { path: "out.xml", as: "raw" },
      ],
    },
  },
  {
    what: "health data shown to a model",
    base: "schema",
    code: "phi-raw-artifacts",
    path: "/acceptance/checks/1/type",
    changes: { "/deliverable/phi": true, "/acceptance/checks/-": rubric },
  },

  // AFG §10: warnings
  {
    what: "a rubric",
    base: "schema",
    severity: "warn",
    code: "llm-rubric",
    path: "/acceptance/checks/1/type",
    changes: { "/acceptance/checks/-": rubric },
  },
  {
    what: "a judged sample",
    base: "schema",
    severity: "warn",
    code: "sample-audit-judgment",
    path: "/acceptance/checks/1/rule",
    changes: { "/acceptance/checks/-": audit },
  },
  {
    what: "three flake reruns",
    severity: "warn",
    code: "flake-reruns-high",
    path: `${c1}/flake_reruns`,
    changes: { [`${c1}/flake_reruns`]: 3 },
  },
  {
    what: "ten flake reruns",
    severity: "warn",
    code: "flake-reruns-high",
    path: `${c1}/flake_reruns`,
    changes: { [`${c1}/flake_reruns`]: 10 },
  },

  // Form
  { what: "an unknown member", code: "schema", path: "/extra", changes: { "/extra": 1 } },
  {
    what: "a deterministic rubric",
    base: "schema",
    code: "check-class-wrong",
    path: "/acceptance/checks/0/class",
    changes: { "/acceptance/checks/0/class": "judgment", "/price/amount": "5.00" },
  },
  { what: "a check without class", code: "check-class-wrong", path: `${c1}/class`, changes: { [`${c1}/class`]: undefined } },
  {
    what: "an image by tag",
    code: "runner-image-unpinned",
    path: `${c1}/runner_image`,
    changes: { [`${c1}/runner_image`]: "python:3.12" },
  },
  {
    what: "an image by a short digest",
    code: "runner-image-unpinned",
    path: `${c1}/runner_image`,
    changes: { [`${c1}/runner_image`]: "sha256:py312" },
  },
  {
    what: "an abbreviated commit",
    code: "base-commit-abbreviated",
    path: `${c1}/base_commit`,
    changes: { [`${c1}/base_commit`]: "9f3c1e2" },
  },
  { what: "a network", code: "network-not-false", path: `${c1}/network`, changes: { [`${c1}/network`]: true } },
  { what: "a network not mentioned", code: "network-not-false", path: `${c1}/network`, changes: { [`${c1}/network`]: undefined } },
  {
    what: "a pinned sample script with a network",
    base: "schema",
    code: "network-not-false",
    path: "/acceptance/checks/1/network",
    changes: {
      "/acceptance/checks/-": {
        ...(audit as object),
        class: "deterministic",
        rule: "script",
        script: "record_schema",
        runner_image: image,
        network: true,
      },
    },
  },

  // References
  { what: "an unknown repository", code: "check-input-unknown", path: `${c1}/repo`, changes: { [`${c1}/repo`]: "repo@head" } },
  {
    what: "a suite that is no input",
    code: "check-input-unknown",
    path: `${c1}/test_suite_sha256`,
    changes: { [`${c1}/test_suite_sha256`]: "0".repeat(64) },
  },
  {
    what: "a hidden suite that is no input",
    code: "check-input-unknown",
    path: `${c1}/hidden_suite_sha256`,
    changes: { [`${c1}/hidden_suite_sha256`]: "0".repeat(64) },
  },
  {
    what: "a hidden suite that is not sealed",
    code: "check-input-unknown",
    path: `${c1}/hidden_suite_sha256`,
    changes: { "/inputs/2/sealed": false },
  },
  {
    what: "a script that is no input",
    base: "claim-file",
    code: "check-input-unknown",
    path: "/acceptance/checks/1/command",
    changes: { "/acceptance/checks/1/command": "sh -c true" },
  },
  {
    what: "a baseline that is no input",
    base: "claim-file",
    code: "check-input-unknown",
    path: "/acceptance/checks/0/baseline",
    changes: { "/acceptance/checks/0/baseline": "before" },
  },
  {
    what: "a schema that is no input",
    base: "schema",
    code: "check-input-unknown",
    path: "/acceptance/checks/0/schema",
    changes: { "/acceptance/checks/0/schema": "other" },
  },
  {
    what: "a patch test on a data set",
    code: "check-deliverable-mismatch",
    path: `${c1}/type`,
    changes: { "/deliverable/type": "dataset" },
  },
  {
    what: "a SNIP check of a patch",
    code: "check-deliverable-mismatch",
    path: "/acceptance/checks/2/type",
    changes: { "/acceptance/checks/-": { ...(snip as object), baseline: "tests" } },
  },
  {
    what: "an unknown validator",
    base: "claim-file",
    code: "validator-unavailable",
    path: "/acceptance/checks/0/validator",
    changes: { "/acceptance/checks/0/validator": "hipaa-studio" },
  },
  {
    what: "an unknown version",
    base: "claim-file",
    code: "validator-unavailable",
    path: "/acceptance/checks/0/validator_version",
    changes: { "/acceptance/checks/0/validator_version": "pinned-x.y.z" },
  },

  // Time
  {
    what: "fund_by before created_at",
    code: "deadline-order",
    path: "/escrow/fund_by",
    changes: { "/escrow/fund_by": "2026-09-25T20:00:00Z" },
  },
  { what: "fund_by after 24 h", code: "deadline-order", path: "/escrow/fund_by", changes: { "/escrow/fund_by": "2026-09-26T20:00:01Z" } },
  {
    what: "delivery before funding",
    code: "deadline-order",
    path: "/deadline/delivery_by",
    changes: { "/deadline/delivery_by": "2026-09-26T08:00:00Z" },
  },
  {
    what: "a fund_by that has passed",
    code: "deadline-order",
    path: "/escrow/fund_by",
    options: { now: Date.parse("2026-09-26T08:00:01Z") / 1000 },
  },
  {
    what: "a verification of 59 s",
    code: "window-too-short",
    path: "/windows/verification_s",
    changes: { "/price/chain_id": 1, "/windows/verification_s": 59 },
  },
  {
    what: "a review of 599 s",
    code: "window-too-short",
    path: "/windows/buyer_review_s",
    changes: { "/price/chain_id": 1, "/windows/buyer_review_s": 599 },
  },
  {
    what: "a review of 599 s on a rollup",
    code: "window-too-short",
    path: "/windows/buyer_review_s",
    changes: { "/price/chain_id": 8453, "/windows/buyer_review_s": 599 },
  },
  {
    what: "a panel of 1,199 s",
    code: "window-too-short",
    path: "/windows/panel_ruling_s",
    changes: { "/price/chain_id": 1, "/windows/panel_ruling_s": 1_199 },
  },
  {
    what: "a margin below a day on a public chain",
    severity: "warn",
    code: "expiry-margin-low",
    path: "/escrow/expiry",
    changes: { "/price/chain_id": 1, "/escrow/expiry": "2026-09-29T20:00:00Z" },
  },
  {
    what: "a margin below the one asked for",
    severity: "warn",
    code: "expiry-margin-low",
    path: "/escrow/expiry",
    options: { margin: 400_000 },
  },
  {
    what: "a short dispute window on a rollup",
    severity: "warn",
    code: "window-short-on-l2",
    path: "/windows/provider_dispute_s",
    changes: { "/price/chain_id": 8453, "/windows/provider_dispute_s": 43_199 },
  },
  {
    what: "half the window shorter than the checks",
    severity: "warn",
    code: "verification-tight",
    path: "/windows/verification_s",
    changes: { "/windows/verification_s": 3_599 },
  },
  {
    what: "the specification's own 1,800 s",
    severity: "warn",
    code: "verification-tight",
    path: "/windows/verification_s",
    changes: { "/windows/verification_s": 1_800 },
  },
  {
    what: "ACP, which does not enforce the expiry",
    severity: "warn",
    code: "expiry-not-on-rail",
    path: "/escrow/expiry",
    changes: { "/escrow/rail": "virtuals_acp" },
  },

  // Money
  { what: "seven places", code: "amount-format", path: "/price/amount", changes: { "/price/amount": "40.0000001" } },
  { what: "an exponent", code: "amount-format", path: "/appeal/fee/amount", changes: { "/appeal/fee/amount": "1e1" } },
  { what: "a sign", code: "amount-format", path: "/bonds/dispute_deposit/amount", changes: { "/bonds/dispute_deposit/amount": "-4.00" } },
  { what: "a leading zero", code: "amount-format", path: "/verifier/fee/amount", changes: { "/verifier/fee/amount": "00.00" } },
  { what: "an amount as a number", code: "amount-format", path: "/price/amount", changes: { "/price/amount": 40 } },
  { what: "a price of zero", code: "amount-format", path: "/price/amount", changes: { "/price/amount": "0.00" } },
  {
    what: "a mediator bond below the appeal fee",
    code: "bond-too-small",
    path: "/bonds/mediator_bond/amount",
    changes: { "/bonds/mediator_bond/amount": "9.999999" },
  },
  {
    what: "no panelist bond",
    code: "bond-too-small",
    path: "/bonds/panelist_bond/amount",
    changes: { "/bonds/panelist_bond/amount": "0.00" },
  },
  {
    what: "bonds without a vault on a public chain",
    code: "vault-missing",
    path: "/bonds/staking_contract",
    changes: { "/price/chain_id": 1, "/bonds/staking_contract": `0x${"0".repeat(40)}` },
  },
  {
    what: "a mediator bond below the price",
    severity: "warn",
    code: "bond-below-price",
    path: "/bonds/mediator_bond/amount",
    changes: { "/bonds/mediator_bond/amount": "39.99" },
  },
  {
    what: "a panelist bond below the share of the price",
    severity: "warn",
    code: "bond-below-price",
    path: "/bonds/panelist_bond/amount",
    changes: { "/bonds/panelist_bond/amount": "7.99" },
  },

  // People
  {
    what: "buyer and provider with one wallet",
    code: "parties-same",
    path: "/provider/wallet",
    changes: { "/provider/wallet": wallets.buyer.wallet },
  },
  {
    what: "one wallet in two spellings",
    code: "parties-same",
    path: "/provider/wallet",
    changes: { "/provider/wallet": wallets.buyer.wallet.toLowerCase() },
  },
  {
    what: "a provider that verifies itself",
    code: "parties-same",
    path: "/verifier/attestation_key",
    changes: { "/verifier/attestation_key": wallets.provider.wallet },
  },
  {
    what: "a fallback that is the primary",
    code: "parties-same",
    path: "/verifier/fallback/attestation_key",
    changes: { "/verifier/fallback/attestation_key": wallets.verifier.attestation_key },
  },
  { what: "a mediator that is a party", code: "parties-same", path: "/mediator/key", changes: { "/mediator/key": wallets.buyer.wallet } },
  {
    what: "one agent with two wallets",
    code: "parties-same",
    path: "/provider/agent_id",
    changes: { "/provider/agent_id": wallets.buyer.agent_id },
  },
  { what: "no confirmer", severity: "warn", code: "no-confirmer", path: "/buyer/confirmer", changes: { "/buyer/confirmer": undefined } },
  {
    what: "the wallet as confirmer",
    severity: "warn",
    code: "no-confirmer",
    path: "/buyer/confirmer",
    changes: { "/buyer/confirmer": wallets.buyer.wallet },
  },
  { what: "an even panel", code: "panel-size-invalid", path: "/appeal/panel_size", changes: { "/appeal/panel_size": 4 } },
  { what: "a panel of one", code: "panel-size-invalid", path: "/appeal/panel_size", changes: { "/appeal/panel_size": 1 } },
  { what: "a panel of 257", code: "panel-size-invalid", path: "/appeal/panel_size", changes: { "/appeal/panel_size": 257 } },
  { what: "a panel in words", code: "panel-size-invalid", path: "/appeal/panel_size", changes: { "/appeal/panel_size": "five" } },
  {
    what: "more providers than seats",
    code: "panel-providers-not-distinct",
    path: "/appeal/distinct_model_providers",
    changes: { "/appeal/distinct_model_providers": 6 },
  },
  {
    what: "a sealed input nobody can be given",
    code: "sealed-not-deposited",
    path: "/mediator/encryption_key",
    changes: { "/mediator/encryption_key": undefined },
  },
  {
    what: "a sealed input the fallback cannot read",
    code: "sealed-not-deposited",
    path: "/verifier/fallback/encryption_key",
    changes: { "/verifier/fallback/encryption_key": undefined },
  },
  {
    what: "a sealed input a panelist cannot read",
    code: "sealed-not-deposited",
    path: "/appeal/roster",
    changes: { "/appeal/roster": rosterWith((panelist, index) => index === 2 && delete panelist.encryption_key) },
  },
  {
    what: "another conflict report",
    code: "conflict-report-missing",
    path: "/mediator/conflict_check_ref",
    options: { conflictReport: canonicalize(clean) },
  },
  {
    what: "a conflict report that is not one",
    code: "conflict-report-missing",
    path: "/mediator/conflict_check_ref",
    options: { conflictReport: "{}" },
  },

  // Escrow and Terms
  { what: "no audit", code: "audit-missing", path: "/escrow/audit_ref", changes: { "/escrow/audit_ref": undefined } },
  {
    what: "a reference that is no job id",
    code: "terms-underivable",
    path: "/escrow/escrow_ref",
    changes: { "/escrow/escrow_ref": "8183-job-7741" },
  },
  {
    what: "a reference above uint256",
    code: "terms-underivable",
    path: "/escrow/escrow_ref",
    changes: { "/escrow/escrow_ref": "1".padEnd(79, "0") },
  },
  {
    what: "x402 without a payment hash",
    base: "claim-file",
    code: "terms-underivable",
    path: "/escrow/escrow_ref",
    changes: { "/escrow/escrow_ref": "paymentInfoHash:0x5e" },
  },
  {
    what: "x402 without a salt",
    base: "claim-file",
    code: "terms-underivable",
    path: "/escrow/salt",
    changes: { "/escrow/salt": undefined },
  },
  { what: "an unknown asset", code: "terms-underivable", path: "/price/asset", changes: { "/price/asset": "WETH" } },
  { what: "a fee in another asset", code: "terms-underivable", path: "/mediator/fee/asset", changes: { "/mediator/fee/asset": "EURC" } },
  { what: "a roster elsewhere", code: "terms-underivable", path: "/appeal/roster/uri", changes: { "/appeal/roster/uri": "ipfs://roster" } },
  {
    what: "a roster with another hash",
    code: "terms-underivable",
    path: "/appeal/roster/sha256",
    changes: { "/appeal/roster/sha256": "0".repeat(64) },
  },
  {
    what: "a roster that is not canonical",
    code: "terms-underivable",
    path: "/appeal/roster/uri",
    changes: {
      "/appeal/roster": { uri: `data:application/json;base64,${Buffer.from("[ ]").toString("base64")}`, sha256: sha256Hex("[ ]") },
    },
  },

  // What is at hand
  {
    what: "an input with other bytes",
    code: "input-mismatch",
    path: "/inputs/1/sha256",
    options: { inputs: handed({ tests: sha256Hex("other") }) },
  },
  {
    what: "an input that is not there",
    severity: "warn",
    code: "input-not-at-hand",
    path: "/inputs/0",
    options: { inputs: handed({ "repo@base": null }) },
  },
  { what: "a stale contract_hash", code: "contract-hash-mismatch", path: "/contract_hash", changes: { "/contract_hash": "0".repeat(64) } },
]

/** The fixture's inputs as if they lay in a directory, some of them changed or (null) absent. */
function handed(changes: Readonly<Record<string, ReturnType<typeof sha256Hex> | null>>): NonNullable<LintOptions["inputs"]> {
  const map = new Map(fixtureContract("code-fix").inputs.map(({ name, sha256 }) => [name, sha256] as const))
  for (const [name, hash] of Object.entries(changes)) {
    if (hash === null) map.delete(name)
    else map.set(name, hash)
  }
  return map
}

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
