/** The rules that AFG §10 names. */
import { canonicalize } from "../../../orchestrator/json/index.ts"
import { audit, type Case, c1, report, rosterWith, rubric, wallets } from "./parts.ts"

export const specCases: readonly Case[] = [
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
]
