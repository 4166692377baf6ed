/** The linter with a look at the chain. */
import { isJsonObject, toPointer } from "../../../json/index.ts"
import type { Contract } from "../../schema/contract.ts"
import { requireChain } from "../../verify.ts"
import { type GradedFinding, judge, type LintResult, type LintSubject, readSubject, refused } from "../lint.ts"
import { contextOf, type LintOptions } from "../options.ts"
import { readMembers } from "../read.ts"
import { type FactsReader, readFacts } from "./facts.ts"
import { type KnownContracts, NOTHING_KNOWN } from "./known.ts"
import { CHAIN_RULES } from "./rules.ts"

export type ChainLintOptions = LintOptions & {
  /** A client of the price's chain. */
  client: FactsReader
  /** The escrows and resolvers admitted on a chain. Default: none. */
  known?: ((chainId: number) => KnownContracts | undefined) | undefined
}

/** Members that the chain rules read. */
const NEEDED = ["buyer", "provider", "price", "escrow", "mediator", "fees"] as const satisfies readonly (keyof Contract)[]

/**
 * As `lint`, and with the rules that need the chain: the escrow's code, proxy slots, fee, token and job.
 *
 * A contract that is too malformed to know what to look at is judged without. Throws `rpc-unreachable`, `rpc-wrong-chain`.
 */
export const lintOnChain = async (subject: LintSubject, { client, known, ...options }: ChainLintOptions): Promise<LintResult> => {
  const document = readSubject(subject)
  if ("refusal" in document) return refused(document.refusal)
  if (!isJsonObject(document.value)) return judge(document.value, contextOf(options), [])
  const reading = readMembers(document.value)
  if (!reading.has(NEEDED)) return judge(document.value, contextOf(options), [])
  // The rules see the members that are needed, and those are well-formed.
  const contract = reading.members as Contract
  await requireChain(client, contract.price.chain_id)
  const facts = await readFacts(contract, client, known?.(contract.price.chain_id) ?? NOTHING_KNOWN)
  const found: GradedFinding[] = []
  for (const { code, severity, find } of CHAIN_RULES)
    for (const { path, message } of find(contract, facts, options)) found.push({ code, severity, path: toPointer(path), message })
  return judge(document.value, { ...contextOf(options), escrowIsOurs: facts.admitted?.ours === true }, found)
}
