/**
 * Worked example A of the AFG specification, for real: every part is a process of its own, every signature is made by the key of whoever
 * plays the role, and the windows pass by moving the local chain's time and nothing else.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AfgError } from "../../orchestrator/errors.ts"
import { afgHome } from "../../orchestrator/setup-record.ts"
import { codeFixFixture } from "../fixtures/code-fix.ts"
import { type LocalNetwork, startNetwork } from "../local/network.ts"
import { readBalances } from "./accounts.ts"
import { createNarrator } from "./narrator.ts"
import { deadline } from "./paths/deadline.ts"
import { happy } from "./paths/happy.ts"
import { refuse } from "./paths/refuse.ts"
import type { DemoOptions, Ending, Scene } from "./scene.ts"
import type { DemoPath, DemoSummary } from "./summary.ts"
import { createAgent } from "./world.ts"

const keepEvidence = (network: LocalNetwork, evidence: string): string => {
  const file = join(network.dataDir, "confirmation-evidence.jws")
  writeFileSync(file, evidence)
  return file
}

const keepJwks = async (network: LocalNetwork): Promise<string> => {
  const file = join(network.dataDir, "confirmation-jwks.json")
  writeFileSync(file, await (await fetch(network.confirmation.jwks)).text())
  return file
}

const summarize = async (scene: Scene, ending: Ending, started: number): Promise<DemoSummary> => {
  const { network, buyer, options } = scene
  const job = await buyer.afg.getJob(ending.jobId)
  const last = job.submissions.at(-1)
  return {
    job: "a",
    path: options.path,
    rail: "erc8183",
    job_id: job.job_id,
    state: job.state,
    cause: job.cause,
    contract_hash: job.contract_hash,
    merkle_root: last?.merkle_root?.slice(2) ?? null,
    verdict: last?.verdict ?? null,
    ruling: null,
    balances: { before: ending.prepared.before, after: await readBalances(network.chain.client, network.deployment) },
    tx: job.tx as DemoSummary["tx"],
    confirmation: { outcome: ending.outcome, method: ending.method },
    bundle: ending.bundle,
    evidence: ending.answer === null ? null : keepEvidence(network, ending.answer.evidence),
    jwks: await keepJwks(network),
    refusals: ending.refusals,
    timers: options.redis ? "redis" : "store",
    seconds: Math.round((performance.now() - started) / 100) / 10,
  }
}

const PATHS: Record<DemoPath, { title: string; play: (scene: Scene) => Promise<Ending> }> = {
  happy: { title: "A rounding bug is fixed, checked and paid for", play: happy },
  deadline: { title: "Nobody delivers, and the buyer has its money back", play: deadline },
  refuse: { title: "The human says no, and nothing gets past it", play: refuse },
}

/** Plays one path from an empty chain to the end. Everything it started is stopped, whatever happens. */
export const runDemo = async (options: DemoOptions): Promise<DemoSummary> => {
  const started = performance.now()
  const narrator = createNarrator(options.output)
  const home = join(afgHome(), "demo")
  mkdirSync(home, { recursive: true })
  const dataDir = mkdtempSync(join(home, `${options.path}-`))
  const { title, play } = PATHS[options.path]
  narrator.heading(`${title}  (logs and evidence: ${dataDir})`)
  // From here on an interruption ends the story in order: whatever is up by then is stopped.
  const interrupted = Promise.withResolvers<never>()
  interrupted.promise.catch(() => undefined)
  const onSignal = (signal: NodeJS.Signals): void => interrupted.reject(new AfgError("demo-interrupted", `stopped by ${signal}`))
  process.once("SIGINT", onSignal)
  process.once("SIGTERM", onSignal)
  const starting = startNetwork({ dataDir, redis: options.redis, onRestart: narrator.aside })
  try {
    const { up } = await narrator.step("network", "starts: chain, contracts, services", async () => {
      const network = await Promise.race([starting, interrupted.promise])
      return {
        up: network,
        note: `chain 31337, ${network.accounts.length} keys, timers on ${options.redis ? "Redis" : "the embedded store"}`,
      }
    })
    const scene: Scene = {
      network: up,
      narrator,
      fixture: codeFixFixture(),
      buyer: createAgent(up, "buyer"),
      provider: createAgent(up, "provider"),
      mediator: createAgent(up, "mediator"),
      options,
    }
    const ending = await Promise.race([play(scene), interrupted.promise])
    const summary = await summarize(scene, ending, started)
    narrator.heading(
      `${summary.state}${summary.cause === null ? "" : ` (${summary.cause})`} in ${summary.seconds} s, ${narrator.totalGas().toLocaleString("en-US")} gas`,
    )
    return summary
  } finally {
    process.off("SIGINT", onSignal)
    process.off("SIGTERM", onSignal)
    // A network that could not be started has stopped its parts itself.
    await starting.then(
      (network) => network.stop(),
      () => undefined,
    )
  }
}
