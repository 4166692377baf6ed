/** Rules about the inputs at hand (`--inputs`) and about what the document says of its own hash. */
import { contractHash } from "../../hash.ts"
import { type Rule, rule } from "../rule.ts"

export const INPUT_RULES: readonly Rule[] = [
  rule(
    {
      code: "input-mismatch",
      severity: "reject",
      what: "An input at hand has another hash than the contract pins.",
      fix: "Pin the hash of the bytes (or of the folder's files) that the checks shall use.",
    },
    ["inputs"],
    function* ({ inputs }, { inputs: atHand }) {
      for (const [index, { name, sha256 }] of inputs.entries()) {
        const actual = atHand?.get(name)
        if (actual !== undefined && actual !== sha256)
          yield { path: ["inputs", index, "sha256"], message: `${name} has the hash ${actual}` }
      }
    },
  ),
  rule(
    {
      code: "input-not-at-hand",
      severity: "warn",
      what: "An input was not among those given, so its hash was not checked.",
      fix: "Put it into the inputs directory, under its name.",
    },
    ["inputs"],
    function* ({ inputs }, { inputs: atHand }) {
      if (atHand === undefined) return
      for (const [index, { name, sealed }] of inputs.entries())
        if (!atHand.has(name) && sealed !== true) yield { path: ["inputs", index], message: `${name} is not in the inputs directory` }
    },
  ),
  rule(
    {
      code: "contract-hash-mismatch",
      severity: "reject",
      what: "The document carries a contract_hash that is not its own.",
      fix: "Remove `contract_hash`, or write the hash of the contract as it stands.",
    },
    [
      "spec_version",
      "job_id",
      "created_at",
      "buyer",
      "provider",
      "price",
      "escrow",
      "deadline",
      "windows",
      "inputs",
      "deliverable",
      "acceptance",
      "verifier",
      "mediator",
      "appeal",
      "bonds",
      "fees",
      "contract_hash",
    ],
    function* (contract) {
      if (contract.contract_hash !== undefined && contract.contract_hash !== contractHash(contract))
        yield { path: ["contract_hash"], message: `the contract's hash is ${contractHash(contract)}` }
    },
  ),
]
