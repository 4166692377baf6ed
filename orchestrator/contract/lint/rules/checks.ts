/** Rules about acceptance checks (AFG §6, §7, §10). */

import type { CheckClass } from "../../schema/checks/common.ts"
import type { Check } from "../../schema/checks/index.ts"
import type { Contract } from "../../schema/contract.ts"
import type { DeliverableType } from "../../schema/work.ts"
import { unitsOf } from "../money.ts"
import { type Problem, type Rule, rule } from "../rule.ts"
import { MANY_RERUNS } from "./time.ts"

const at = (index: number, ...rest: (string | number)[]): (string | number)[] => ["acceptance", "checks", index, ...rest]

/** A sample's rule is code that everyone can run again only when the script and its image are pinned. */
const isPinnedAudit = (check: Extract<Check, { type: "sample_audit" }>): boolean =>
  check.rule === "script" && check.script !== undefined && check.runner_image !== undefined

/** What a check is by its type and parameters, whatever it says of itself (AFG §7). */
export const classOf = (check: Check): CheckClass => {
  if (check.type === "llm_rubric") return "judgment"
  if (check.type === "sample_audit") return isPinnedAudit(check) ? "deterministic" : "judgment"
  return "deterministic"
}

/** Deliverables that a check can look at; a type that is not listed looks at any. */
const NEEDS_DELIVERABLE: Partial<Record<Check["type"], DeliverableType>> = {
  test_suite_pass: "git_patch",
  snip_validation: "x12_file",
}

/** Hidden-suite and suite hashes, input names and scripts that a check refers to. */
function* referencesOf(check: Check): Iterable<{ member: string; name: string } | { member: string; hash: string; sealed: boolean }> {
  switch (check.type) {
    case "test_suite_pass":
      yield { member: "repo", name: check.repo }
      yield { member: "test_suite_sha256", hash: check.test_suite_sha256, sealed: false }
      if (check.hidden_suite_sha256 !== undefined) yield { member: "hidden_suite_sha256", hash: check.hidden_suite_sha256, sealed: true }
      return
    case "schema_valid":
      yield { member: "schema", name: check.schema }
      return
    case "snip_validation":
      if (check.baseline !== undefined) yield { member: "baseline", name: check.baseline }
      return
    case "llm_rubric":
      yield { member: "rubric", name: check.rubric }
      return
    case "sample_audit":
      if (check.script !== undefined) yield { member: "script", name: check.script }
      if (check.rubric !== undefined) yield { member: "rubric", name: check.rubric }
      return
    case "script_check":
    case "hash_match":
      return
  }
}

const scriptOf = (command: string): string =>
  /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))/
    .exec(command)
    ?.slice(1)
    .find((word) => word !== undefined) ?? ""

const lastSegment = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1)

const unknownReferences = (check: Check, inputs: Contract["inputs"]): { member: string; message: string }[] => {
  const found: { member: string; message: string }[] = []
  for (const reference of referencesOf(check)) {
    if ("name" in reference) {
      if (!inputs.some(({ name }) => name === reference.name))
        found.push({ member: reference.member, message: `no input is named ${reference.name}` })
    } else if (!inputs.some(({ sha256, sealed }) => sha256 === reference.hash && (!reference.sealed || sealed === true)))
      found.push({ member: reference.member, message: `no ${reference.sealed ? "sealed " : ""}input has this sha256` })
  }
  if (check.type === "script_check") {
    const script = scriptOf(check.command)
    if (!inputs.some(({ name, uri }) => name === script || lastSegment(uri) === script))
      found.push({ member: "command", message: `the command's first word, ${script}, is no pinned input` })
  }
  return found
}

export const CHECK_RULES: readonly Rule[] = [
  rule(
    {
      code: "check-class-wrong",
      severity: "reject",
      what: "A check's class is missing or not what its type and parameters make it (AFG §7).",
      fix: "llm_rubric and an unpinned sample_audit are judgment, everything else is deterministic.",
    },
    ["acceptance"],
    function* ({ acceptance }) {
      for (const [index, check] of acceptance.checks.entries())
        if (check.class !== classOf(check)) yield { path: at(index, "class"), message: `this ${check.type} is ${classOf(check)}` }
    },
  ),
  rule(
    {
      code: "network-not-false",
      severity: "reject",
      what: "A deterministic check would run with a network: nothing unpinned may decide (AFG §7.1).",
      fix: "Say `network: false` and pin what the check needs as an input.",
    },
    ["acceptance"],
    function* ({ acceptance }) {
      for (const [index, check] of acceptance.checks.entries())
        if (classOf(check) === "deterministic" && needsNetworkOff(check) && networkOf(check) !== false)
          yield { path: at(index, "network"), message: "network must be false" }
    },
  ),
  rule(
    {
      code: "check-input-unknown",
      severity: "reject",
      what: "A check refers to an input that the contract does not pin.",
      fix: "Add the input with its sha256, or correct the name or hash at `path`.",
    },
    ["acceptance", "inputs"],
    function* ({ acceptance, inputs }): Iterable<Problem> {
      for (const [index, check] of acceptance.checks.entries())
        for (const { member, message } of unknownReferences(check, inputs)) yield { path: at(index, member), message }
    },
  ),
  rule(
    {
      code: "check-deliverable-mismatch",
      severity: "reject",
      what: "A check cannot look at this type of deliverable.",
      fix: "test_suite_pass needs a git_patch, snip_validation an x12_file.",
    },
    ["acceptance", "deliverable"],
    function* ({ acceptance, deliverable }) {
      for (const [index, check] of acceptance.checks.entries()) {
        const needed = NEEDS_DELIVERABLE[check.type]
        if (needed !== undefined && needed !== deliverable.type)
          yield { path: at(index, "type"), message: `${check.type} needs a ${needed}, the deliverable is a ${deliverable.type}` }
      }
    },
  ),
  rule(
    {
      code: "validator-unavailable",
      severity: "reject",
      what: "The verifier does not have the validator, or not in this version.",
      fix: "Name a validator and version that the verifier lists (--validators).",
    },
    ["acceptance"],
    function* ({ acceptance }, { validators }): Iterable<Problem> {
      for (const [index, check] of acceptance.checks.entries()) {
        if (check.type !== "snip_validation") continue
        const known = validators.find(({ validator }) => validator === check.validator)
        if (known === undefined) yield { path: at(index, "validator"), message: `${check.validator} is not known here` }
        else if (!known.versions.includes(check.validator_version))
          yield { path: at(index, "validator_version"), message: `${check.validator} is known in ${known.versions.join(", ")}` }
      }
    },
  ),
  rule(
    {
      code: "rubric-only-above-cap",
      severity: "reject",
      what: "No check is deterministic, and the price is above the cap for that (AFG §10).",
      fix: "Add a deterministic check, or lower the price to the cap.",
    },
    ["acceptance", "price"],
    function* ({ acceptance, price }, { rubricCap }) {
      if (acceptance.checks.some((check) => classOf(check) === "deterministic")) return
      const [total, cap] = [unitsOf(price), unitsOf({ amount: rubricCap, asset: price.asset })]
      if (total !== undefined && cap !== undefined && total > cap)
        yield { path: ["acceptance", "checks"], message: `judgment alone decides over ${price.amount}, the cap is ${rubricCap}` }
    },
  ),
  rule(
    {
      code: "phi-raw-artifacts",
      severity: "reject",
      what: "The deliverable holds health data, and a check would put raw artifacts into the bundle or show them to a model (AFG §7.3).",
      fix: 'Emit hashes (`as: "hash"`) only, and use deterministic checks.',
    },
    ["acceptance", "deliverable"],
    function* ({ acceptance, deliverable }): Iterable<Problem> {
      if (!deliverable.phi) return
      for (const [index, check] of acceptance.checks.entries()) {
        for (const [position, { as }] of (check.emit ?? []).entries())
          if (as === "raw") yield { path: at(index, "emit", position, "as"), message: "a raw artifact of health data" }
        if (classOf(check) === "judgment") yield { path: at(index, "type"), message: "a model would read health data" }
      }
    },
  ),
  rule(
    {
      code: "llm-rubric",
      severity: "warn",
      what: "A language model decides a check: a last resort (AFG §2).",
      fix: "Encode what you care about as tests or a script.",
    },
    ["acceptance"],
    function* ({ acceptance }) {
      for (const [index, check] of acceptance.checks.entries())
        if (check.type === "llm_rubric") yield { path: at(index, "type"), message: "judged by a model" }
    },
  ),
  rule(
    {
      code: "sample-audit-judgment",
      severity: "warn",
      what: "A sample is judged by a rule that is not a pinned script (AFG §10).",
      fix: 'Use `rule: "script"` with a pinned script and image.',
    },
    ["acceptance"],
    function* ({ acceptance }) {
      for (const [index, check] of acceptance.checks.entries())
        if (check.type === "sample_audit" && classOf(check) === "judgment")
          yield { path: at(index, "rule"), message: "judged, not computed" }
    },
  ),
  rule(
    {
      code: "flake-reruns-high",
      severity: "warn",
      what: "More than two flake reruns let a test pass by chance (AFG §10).",
      fix: "Fix or leave out the flaky test; use at most 2.",
    },
    ["acceptance"],
    function* ({ acceptance }) {
      for (const [index, check] of acceptance.checks.entries())
        if (check.type === "test_suite_pass" && (check.flake_reruns ?? 0) > MANY_RERUNS)
          yield { path: at(index, "flake_reruns"), message: `${check.flake_reruns} reruns` }
    },
  ),
]

/** Checks that run a container have a network to be without. */
const needsNetworkOff = (check: Check): boolean =>
  check.type === "test_suite_pass" || check.type === "script_check" || check.type === "sample_audit"

const networkOf = (check: Check): boolean | undefined => ("network" in check ? check.network : undefined)
