/** Who plays which role; the rail, Terms, and what is at hand. */
import { canonicalize, sha256Hex } from "../../../orchestrator/json/index.ts"
import { type Case, clean, handed, rosterWith, wallets } from "./parts.ts"

export const peopleAndEscrowCases: readonly Case[] = [
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
