/** A verifier's policy: whom it believes, and what each class of effect demands (AACP §7.3, §8.1 step 7). */
import { type ActionDescriptor, EFFECTS, type Effect } from "../descriptor.ts"
import { isDigest } from "../identifiers.ts"
import { parseJson } from "../json.ts"
import { Members } from "../members.ts"

export type PolicyRule = {
  /** Applies to this effect only; absent: to any. */
  readonly effect?: Effect | undefined
  /** Applies to reversible or to irreversible actions only. A descriptor that says nothing is irreversible. */
  readonly reversible?: boolean | undefined
  /** Least level of assurance. */
  readonly min_loa?: number | undefined
  /** Methods that are enough. */
  readonly methods?: readonly string[] | undefined
  /** The evidence must show that the person saw every field that needs confirmation. */
  readonly require_rendering?: boolean | undefined
  /** The evidence must name a delegation path, and every offer on it must be one of these digests. */
  readonly known_chains?: readonly string[] | undefined
}

export type Policy = {
  /** Accepted confirmation services; absent: every service whose key resolves. */
  readonly services?: readonly string[] | undefined
  /** Methods this verifier understands; evidence naming another is `unverifiable`. Absent: any. */
  readonly known_methods?: readonly string[] | undefined
  /** The first rule that applies decides. Where none applies, nothing more is demanded. */
  readonly rules: readonly PolicyRule[]
  /** Longest accepted age of a confirmation in seconds, whatever the request says; without a request, the age itself. */
  readonly max_lifetime?: number | undefined
}

/** Age allowed where neither the request nor the policy says one. */
export const DEFAULT_MAX_LIFETIME = 300

const readRule = (rule: Members): PolicyRule => {
  rule.only(["effect", "reversible", "min_loa", "methods", "require_rendering", "known_chains"])
  return {
    effect: rule.has("effect") ? rule.oneOf("effect", EFFECTS) : undefined,
    reversible: rule.optionalBoolean("reversible"),
    min_loa: rule.optionalInteger("min_loa", 0, 5),
    methods: rule.optionalTexts("methods"),
    require_rendering: rule.optionalBoolean("require_rendering"),
    known_chains: rule.optionalTexts("known_chains", isDigest, "must be a list of one or more base64url SHA-256 digests"),
  }
}

/** Checks a parsed policy. Unknown members are refused: a misspelt demand must not vanish. Throws `aacp-policy-malformed`. */
export const readPolicy = (value: unknown): Policy => {
  const policy = new Members(value, "aacp-policy-malformed")
  policy.only(["services", "known_methods", "rules", "max_lifetime"])
  const rules = policy.value("rules") ?? []
  if (!Array.isArray(rules)) return policy.fail("rules", "must be a list")
  return {
    services: policy.optionalTexts("services"),
    known_methods: policy.optionalTexts("known_methods"),
    rules: rules.map((rule, index) => readRule(new Members(rule, "aacp-policy-malformed", `/rules/${index}`))),
    max_lifetime: policy.optionalInteger("max_lifetime", 0),
  }
}

export const parsePolicy = (input: string | Uint8Array): Policy => readPolicy(parseJson(input))

/** The rule for an action: the first whose conditions hold. */
export const ruleFor = (policy: Policy, descriptor: ActionDescriptor): PolicyRule | undefined => {
  const reversible = descriptor.reversible === true
  return policy.rules.find(
    (rule) =>
      (rule.effect === undefined || rule.effect === descriptor.effect) && (rule.reversible === undefined || rule.reversible === reversible),
  )
}
