/**
 * The lifecycle twice: our table and `contracts/Lifecycle.sol`, written by different hands, give the same state, decision, outcome and cause,
 * and let the same acts count, at every edge of time of random histories. `AFG_DEEP=1` compares many more.
 */
import assert from "node:assert/strict"
import { before, describe, it } from "node:test"
import fc from "fast-check"
import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex } from "viem"
import { batcherAbi } from "../../deployments/abi/index.ts"
import type { TermsClock } from "../../orchestrator/contract/messages.ts"
import {
  type ActKind,
  CAUSES,
  type Facts,
  foldJob,
  type Job,
  mayAct,
  STATES,
  standingAt,
  votesAgainst,
} from "../../orchestrator/state-machine/index.ts"
import { rulingOf } from "../../orchestrator/state-machine/position.ts"
import { deployDouble, viem } from "../contracts/support/world.ts"
import { foldOf, type History, histories, momentsOf, onChain } from "../state-machine/support/histories.ts"

const HISTORIES = process.env.AFG_DEEP ? 40_000 : 2_000
const MOMENTS = 4
/** Questions per `eth_call`: below the gas that one call may use. */
const PER_CALL = 400

const VERDICTS = { PASS: 1, FAIL: 2, INCONCLUSIVE: 3 } as const
const OUTCOMES = { RELEASE: 1, REFUND: 2 } as const
const PARTIES = { buyer: 1, provider: 2 } as const

/** Our facts as the resolver stores them. */
const stored = (facts: Facts, panelSize: number) => ({
  n: facts.n,
  submittedAt: facts.submittedAt ?? 0,
  verdict: facts.verdict === null ? 0 : VERDICTS[facts.verdict],
  verdictAt: facts.verdictAt ?? 0,
  primarySpoke: facts.primarySpoke,
  disputedAt: facts.disputedAt ?? 0,
  ruling: facts.ruling === null ? 0 : OUTCOMES[facts.ruling],
  ruledAt: facts.ruledAt ?? 0,
  appealedAt: facts.appealedAt ?? 0,
  panelSize: facts.appealedAt === null ? 0 : panelSize,
  votesAgainst: facts.appealedAt === null ? 0 : votesAgainst(facts, rulingOf(facts).outcome),
  concededBy: facts.concededBy === null ? 0 : PARTIES[facts.concededBy],
  concededAt: facts.concededAt ?? 0,
  lapsed: facts.lapsedAt !== null,
  settled: facts.settled === null ? 0 : OUTCOMES[facts.settled],
  settledCause: facts.settledCause === null ? 0 : CAUSES.indexOf(facts.settledCause),
})

type Question = { functionName: string; args: unknown[]; ours: unknown; about: () => string }

const ACTS: readonly { functionName: string; kind: ActKind; extra: unknown[] }[] = [
  { functionName: "maySubmit", kind: { event: "submitted" }, extra: [] },
  { functionName: "mayGiveVerdict", kind: { event: "verdict", by: "verifier" }, extra: [true] },
  { functionName: "mayGiveVerdict", kind: { event: "verdict", by: "fallback" }, extra: [false] },
  { functionName: "mayConcede", kind: { event: "conceded", by: "buyer" }, extra: [PARTIES.buyer] },
  { functionName: "mayConcede", kind: { event: "conceded", by: "provider" }, extra: [PARTIES.provider] },
]

const questionsAt = (job: Job, now: number): Question[] => {
  const { facts, rules } = job
  const clock: TermsClock = rules.clock
  const kept = stored(facts, rules.panelSize)
  const held = facts.fundedAt !== null && facts.settled === null
  const about = () => JSON.stringify({ now, clock, facts })
  const { state, decision, outcome, cause } = standingAt(rules, facts, true, now)
  const standing: Question = {
    functionName: "standing",
    args: [clock, kept, held, BigInt(now)],
    ours: {
      state: STATES.indexOf(state),
      decision: decision === null ? 0 : OUTCOMES[decision],
      outcome: outcome === null ? 0 : OUTCOMES[outcome],
      cause: cause === null ? 0 : CAUSES.indexOf(cause),
    },
    about,
  }
  // The resolver asks the rail whether there is money before it asks the lifecycle whether an act counts.
  if (!held) return [standing]
  const acts = ACTS.map(({ functionName, kind, extra }) => ({
    functionName,
    args: [clock, kept, ...extra, BigInt(now)],
    ours: mayAct(rules, facts, kind, now),
    about,
  }))
  return [standing, ...acts]
}

/** The same history, settled as soon as that is due. */
const settledOf = (history: History, job: Job): Job[] => {
  const due = momentsOf(job, history.now).find((now) => {
    const { outcome, cause } = standingAt(job.rules, job.facts, true, now)
    return outcome !== null && cause !== "UNBOUND"
  })
  if (due === undefined || job.facts.settled !== null) return []
  const { outcome, cause } = standingAt(job.rules, job.facts, true, due)
  if (outcome === null || cause === null) return []
  const settled = onChain({ type: "settled", outcome, cause, root: `0x${"0".repeat(64)}` }, due, 999)
  return [foldJob(history.terms, [...history.events, settled])]
}

describe("lifecycle in TypeScript and in Solidity", () => {
  let ask: (questions: readonly Question[]) => Promise<void>

  before(async () => {
    const client = await viem.getPublicClient()
    const harness = await deployDouble("LifecycleHarness")
    const batcher = await viem.deployContract("Batcher")
    const abi = harness.abi as Abi
    ask = async (questions) => {
      const calls = questions.map(({ functionName, args }) => ({
        target: harness.address,
        data: encodeFunctionData({ abi, functionName, args }),
      }))
      const { data } = await client.call({
        to: batcher.address,
        data: encodeFunctionData({ abi: batcherAbi, functionName: "batch", args: [calls] }),
      })
      const answers = decodeFunctionResult({ abi: batcherAbi, functionName: "batch", data: data ?? "0x" })
      for (const [index, question] of questions.entries()) {
        const theirs = decodeFunctionResult({ abi, functionName: question.functionName, data: answers[index] as Hex })
        assert.deepEqual(theirs, question.ours, `${question.functionName}: ${question.about()}`)
      }
    }
  })

  it(`agree on ${HISTORIES} random histories`, async (t) => {
    const counts = new Map<string, number>()
    const waiting: Question[] = []
    let asked = 0
    let compared = 0
    const flush = async (least: number): Promise<void> => {
      while (waiting.length >= least && waiting.length > 0) {
        const some = waiting.splice(0, PER_CALL)
        asked += some.length
        await ask(some)
      }
    }
    for (const history of fc.sample(histories, { numRuns: HISTORIES, seed: 0x41464721 })) {
      const job = foldOf(history)
      // What was never bound has no facts on the resolver.
      if (job.facts.boundAt === null) continue
      compared += 1
      for (const { state, by } of job.history) counts.set(`${state} by ${by}`, (counts.get(`${state} by ${by}`) ?? 0) + 1)
      const moments = momentsOf(job, history.now)
      for (let count = 0; count < MOMENTS; count += 1) {
        const now = moments[(count * moments.length) / MOMENTS + (compared % 3)] ?? moments[Math.floor((count * moments.length) / MOMENTS)]
        if (now !== undefined) waiting.push(...questionsAt(job, now))
      }
      for (const settled of settledOf(history, job)) waiting.push(...questionsAt(settled, settled.facts.settledAt ?? history.now))
      await flush(PER_CALL)
    }
    await flush(1)
    t.diagnostic(`${compared} bound histories, ${asked} answers compared`)
    for (const [what, count] of [...counts].sort()) t.diagnostic(`${what}: ${count}`)
    assert.ok(compared >= HISTORIES * 0.75)
    for (const what of ["FUNDED by funded", "VERIFIED_FAIL by verdict", "RULED by time", "APPEALED by appealed", "LAPSED by time"])
      assert.ok((counts.get(what) ?? 0) >= 5, `hardly any history has ${what}`)
  })
})
