/**
 * Worked example A of the AFG specification, for real: every part is a process of its own, every signature is made by the key of whoever
 * plays the role, and the windows pass by moving the local chain's time and nothing else.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Hex } from "viem"
import { encodeFunctionData } from "viem"
import { afgResolverAbi, erc8183EscrowAbi } from "../../deployments/abi/index.ts"
import { contractError, revertData } from "../../orchestrator/chain/contract-error.ts"
import type { FundAnswer } from "../../orchestrator/client/client.ts"
import { ProblemError } from "../../orchestrator/client/transport.ts"
import { type Contract, contractHash, termsOf } from "../../orchestrator/contract/index.ts"
import { afgHome, readSetupRecord } from "../../orchestrator/setup-record.ts"
import { readFolder } from "../../orchestrator/verifier-runner/files/folder.ts"
import { withPrefix } from "../../orchestrator/verifier-runner/files/tree.ts"
import { type CodeFixFixture, codeFixFixture, codeFixWork } from "../fixtures/code-fix.ts"
import { type LocalNetwork, startNetwork } from "../local/network.ts"
import { type Balances, readBalances } from "./accounts.ts"
import { fetchBundle, verifyAsAnyone } from "./bundle.ts"
import { expectationOf, fillPurse, fundByAuthorization, openEscrowJob, signAs, writeContract } from "./buyer.ts"
import { type Answer, awaitAnswer, handIn, letPersonDecide } from "./confirmation.ts"
import { createNarrator, type Narrator, type Output } from "./narrator.ts"
import { deliver } from "./provider.ts"
import type { DemoPath, DemoSummary, Refusal } from "./summary.ts"
import { type Agent, createAgent, gasOf } from "./world.ts"

export type DemoOptions = {
  path: DemoPath
  redis: boolean
  /** The person is you, in your browser. */
  interactive: boolean
  /** Where the story is told. */
  output: Output
}

type Scene = {
  network: LocalNetwork
  narrator: Narrator
  fixture: CodeFixFixture
  buyer: Agent
  provider: Agent
  mediator: Agent
  options: DemoOptions
}

const short = (hash: string): string => `${hash.slice(0, 10)}…`

const hours = (seconds: number): string => `${Math.round(seconds / 3600)} h`

/** Inputs under their hashes, the sealed suite apart. */
const uploadInputs = async ({ buyer, fixture }: Scene): Promise<number> => {
  const tests = withPrefix(await readFolder(fixture.tests), "tests/")
  const hidden = await readFolder(fixture.hidden_tests)
  const repo = await buyer.afg.putArtifact(readFileSync(fixture.repo))
  await buyer.afg.putFolder(tests)
  await buyer.afg.putFolder(hidden, true)
  return repo.size
}

/** Posted by the buyer, then signed by all three over the same Terms. */
const agree = async ({ buyer, provider, mediator }: Scene, contract: Contract): Promise<void> => {
  const job = await buyer.afg.postJob({ ...contract, signatures: { buyer: await signAs(contract, "buyer") } })
  await provider.afg.sign(job.job_id, "provider", await signAs(contract, "provider"))
  await mediator.afg.sign(job.job_id, "mediator", await signAs(contract, "mediator"))
}

/** What the API answers to a call that must be refused. */
const refused = async (attempt: string, call: () => Promise<unknown>): Promise<Refusal> => {
  try {
    await call()
  } catch (error) {
    if (error instanceof ProblemError) return { attempt, code: error.code }
    throw error
  }
  throw new Error(`${attempt}: was not refused`)
}

const askThePerson = async (scene: Scene, contract: Contract, decision: "accept" | "reject"): Promise<Answer & { shown: number }> => {
  const { network, buyer, narrator, options } = scene
  const request = await buyer.afg.confirmationRequest(contract.job_id)
  const requestId = await handIn(network, request)
  if (options.interactive) {
    const { makeLink, serviceTime } = await import("../../orchestrator/confirmation-service/admin.ts")
    const dataDir = network.confirmation.dataDir
    const link = makeLink({ dataDir, requestId, now: await serviceTime(dataDir) })
    narrator.aside(`open this link in your browser and decide: ${link.url}`)
    return { ...(await awaitAnswer(network, requestId)), shown: 0 }
  }
  const report = await letPersonDecide(network, requestId, decision, expectationOf(contract))
  return { ...(await awaitAnswer(network, requestId)), shown: Object.keys(report.shown).length }
}

/** Presents the evidence until the bind is on chain. */
const presentEvidence = async (
  { buyer }: Scene,
  jobId: string,
  { evidence, confirmation }: Answer,
): Promise<FundAnswer & { key: string }> => {
  const key = `fund-${jobId}`
  for (;;) {
    const answer = await buyer.afg.fund(jobId, evidence, confirmation, { idempotencyKey: key })
    if (answer.status === "bound") return { ...answer, key }
  }
}

type Prepared = { contract: Contract; hash: string; before: Balances }

const prepare = async (scene: Scene): Promise<Prepared> => {
  const { network, narrator, buyer, fixture } = scene
  const image = readSetupRecord().images[0]
  if (image === undefined) throw new Error("set-up has built no runner image")
  const work = codeFixWork(fixture, image.runner_image)
  await fillPurse(network, buyer)
  const before = await readBalances(network.chain.client, network.deployment)

  const opened = await narrator.step("buyer", "opens the escrow's job, unfunded", async () => {
    const job = await openEscrowJob(network, buyer)
    return { ...job, note: `ERC-8183 job ${job.escrowRef}: only our resolver can end it` }
  })
  const contract = await writeContract(network, opened, work)
  await narrator.step("buyer", "writes the contract and has it linted", async () => {
    const report = await buyer.afg.speccheck(contract)
    if (!report.acceptable) throw new Error(report.rejects.map(({ code, path }) => `${code} at ${path}`).join(", "))
    return {
      note: `${report.checks.length} checks, 0 rejects, ${report.warnings.length} warnings, hash ${short(report.contract_hash ?? "")}`,
    }
  })
  await narrator.step("buyer", "pins and uploads the inputs", async () => {
    const size = await uploadInputs(scene)
    const { tests, hidden_tests } = fixture.counts
    return { note: `repository (${Math.round(size / 1024)} KiB), ${tests} tests, ${hidden_tests} sealed tests, all by hash` }
  })
  await narrator.step("all three", "sign the same Terms", async () => {
    await agree(scene, contract)
    return { note: "buyer, provider and mediator: three EIP-712 signatures" }
  })
  return { contract, hash: contractHash(contract), before }
}

const fundJob = async (scene: Scene, contract: Contract): Promise<{ answer: Answer; bind: Hex | null; key: string; shown: number }> => {
  const { narrator, network, buyer } = scene
  const asked = await narrator.step("human", "reads the page and accepts", async () => {
    const answer = await askThePerson(scene, contract, "accept")
    if (answer.decision !== "confirmed") throw new Error("the person rejected the funding")
    return {
      ...answer,
      note: answer.shown === 0 ? "confirmed in your browser" : `${answer.shown} fields shown and compared, signed with ES256`,
    }
  })
  const bound = await narrator.step("keeper", "binds the Terms on chain", async () => {
    const answer = await presentEvidence(scene, contract.job_id, asked)
    return {
      ...answer,
      gas: await gasOf(network, answer.bind),
      note: "eight AACP steps; three signatures and the confirmation checked on chain",
    }
  })
  await narrator.step("buyer", "locks 40.00 USDC in the escrow", async () => {
    if (bound.funding === null) throw new Error("the job is bound but no funding call came back")
    const { gas } = await fundByAuthorization(network, buyer, contract.job_id, bound.funding.authorization as never)
    const { escrow } = await readBalances(network.chain.client, network.deployment)
    return { gas, note: `the escrow holds ${escrow}, the resolver nothing` }
  })
  return { answer: asked, bind: bound.bind as Hex | null, key: bound.key, shown: asked.shown }
}

/** Moves the chain's time past `seconds` and waits until the job is settled. */
const passTime = async (scene: Scene, jobId: string, seconds: number): Promise<void> => {
  await scene.network.chain.warp(seconds)
  await scene.buyer.afg.until(jobId, ({ tx }) => tx.settle !== null)
}

const collectFees = async ({ network, buyer }: Scene): Promise<bigint> => {
  const data = encodeFunctionData({ abi: erc8183EscrowAbi, functionName: "collectFees" })
  return (await buyer.send({ to: network.deployment.contracts.ERC8183Escrow.address, data })).gas
}

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

type Ending = {
  prepared: Prepared
  answer: Answer | null
  outcome: string
  method: string | null
  refusals: Refusal[]
  bundle: string | null
  jobId: string
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

const methodOf = ({ evidence }: Answer): string => {
  const payload = JSON.parse(Buffer.from(evidence.split(".")[1] ?? "", "base64url").toString("utf8")) as {
    "auth-context": { method: string }
  }
  return payload["auth-context"].method
}

const happy = async (scene: Scene): Promise<Ending> => {
  const { narrator, network, provider, buyer, fixture } = scene
  const prepared = await prepare(scene)
  const { contract } = prepared
  const jobId = contract.job_id
  const funded = await fundJob(scene, contract)
  const again = await narrator.step("buyer", "presents the same evidence a second time", async () => {
    const { evidence, confirmation } = funded.answer
    const refusal = await refused("same evidence again", () =>
      buyer.afg.fund(jobId, evidence, confirmation, { idempotencyKey: "another key" }),
    )
    return { ...refusal, note: `refused: ${refusal.code}` }
  })
  await narrator.step("provider", "fixes the bug and submits the patch", async () => {
    const delivered = await deliver(network, provider, contract, fixture.patch)
    return { gas: delivered.gas, note: `patch ${short(delivered.sha256)} (${delivered.size} bytes), on the escrow and on the resolver` }
  })
  const checked = await narrator.step("verifier", "checks the patch in containers", async () => {
    const job = await buyer.afg.until(jobId, ({ tx }) => tx.verdict.length > 0)
    const [submission] = job.submissions
    const { tests, hidden_tests } = fixture.counts
    return {
      job,
      submission,
      gas: await gasOf(network, job.tx.verdict[0] ?? null),
      note: `${submission?.verdict}: target fails before and passes after, ${tests} + ${hidden_tests} tests; root ${short(submission?.merkle_root ?? "")} on chain`,
    }
  })
  if (checked.submission?.bundle === undefined) throw new Error("the verdict has no evidence bundle")
  const bundleUri = checked.submission.bundle
  const review = contract.windows.buyer_review_s
  await narrator.step("time", `passes: the buyer is silent for ${hours(review)}`, async () => {
    await passTime(scene, jobId, review + 1)
    const job = await buyer.afg.getJob(jobId)
    return { gas: await gasOf(network, job.tx.settle), note: `${job.state} (${job.cause}): anyone may settle; the keeper did` }
  })
  await narrator.step("treasury", "pulls its fee", async () => {
    const gas = await collectFees(scene)
    const { provider: paid, treasury, escrow } = await readBalances(network.chain.client, network.deployment)
    return { gas, note: `provider ${paid}, treasury ${treasury}, escrow ${escrow}` }
  })
  const bundle = await narrator.step("anyone", "fetches and verifies the evidence", async () => {
    const job = await buyer.afg.getJob(jobId)
    const directory = await fetchBundle(buyer.afg, job, bundleUri, join(network.dataDir, "bundle"))
    return { directory, note: await verifyAsAnyone(directory, network.chain.rpc) }
  })
  return {
    prepared,
    answer: funded.answer,
    outcome: "success",
    method: methodOf(funded.answer),
    refusals: [{ attempt: again.attempt, code: again.code }],
    bundle: bundle.directory,
    jobId,
  }
}

const deadline = async (scene: Scene): Promise<Ending> => {
  const { narrator, network, buyer } = scene
  const prepared = await prepare(scene)
  const { contract } = prepared
  const jobId = contract.job_id
  const funded = await fundJob(scene, contract)
  const { deliveryBy } = termsOf(contract).clock
  await narrator.step("time", "passes: nothing is submitted by the deadline", async () => {
    const { timestamp } = await network.chain.client.getBlock({ blockTag: "pending" })
    await passTime(scene, jobId, deliveryBy - Number(timestamp) + 1)
    const job = await buyer.afg.getJob(jobId)
    const { buyer: back } = await readBalances(network.chain.client, network.deployment)
    return { gas: await gasOf(network, job.tx.settle), note: `${job.state} (${job.cause}): the buyer has ${back} again` }
  })
  return { prepared, answer: funded.answer, outcome: "success", method: methodOf(funded.answer), refusals: [], bundle: null, jobId }
}

/** Evidence that is good, for another job of the same buyer. */
const acceptedElsewhere = async (scene: Scene): Promise<Answer> => {
  const opened = await openEscrowJob(scene.network, scene.buyer)
  const image = readSetupRecord().images[0]
  const other = await writeContract(scene.network, opened, codeFixWork(scene.fixture, image?.runner_image ?? ""))
  await agree(scene, other)
  return askThePerson(scene, other, "accept")
}

/** `bind` sent by the buyer itself, past the orchestrator, with a confirmation that is not there. */
const bindOnChain = async ({ network, buyer }: Scene, contract: Contract): Promise<Refusal> => {
  const signatures = await Promise.all((["buyer", "provider", "mediator"] as const).map((role) => signAs(contract, role)))
  const [byBuyer = "0x", byProvider = "0x", byMediator = "0x"] = signatures
  const { timestamp } = await network.chain.client.getBlock({ blockTag: "pending" })
  const confirmation = { evidenceDigest: `0x${"11".repeat(32)}` as const, notAfter: Number(timestamp) + 300 }
  const forged = await buyer.wallet.signMessage({ account: buyer.wallet.account ?? buyer.address, message: "confirmed, says the agent" })
  try {
    await network.chain.client.simulateContract({
      account: buyer.address,
      address: network.deployment.contracts.AFGResolver.address,
      abi: afgResolverAbi,
      functionName: "bind",
      args: [termsOf(contract), byBuyer, byProvider, byMediator, confirmation, network.confirmation.signer, forged],
    })
  } catch (error) {
    const data = revertData(error)
    if (data === null) throw error
    return { attempt: "bind on chain", code: contractError(data).error }
  }
  throw new Error("bind on chain: was not refused")
}

const refuse = async (scene: Scene): Promise<Ending> => {
  const { narrator, buyer, network } = scene
  const prepared = await prepare(scene)
  const { contract } = prepared
  const jobId = contract.job_id
  const denial = await narrator.step("human", "reads the page and rejects", async () => {
    const answer = await askThePerson(scene, contract, "reject")
    if (answer.decision !== "denied") throw new Error("the person accepted the funding")
    return { ...answer, note: "the denial is signed evidence too" }
  })
  const refusals: Refusal[] = []
  const attempt = async (title: string, act: () => Promise<Refusal>): Promise<void> => {
    await narrator.step("buyer", title, async () => {
      const refusal = await act()
      refusals.push(refusal)
      return { note: `refused: ${refusal.code}` }
    })
  }
  await attempt("tries to fund with no evidence", () => refused("no evidence", () => buyer.afg.fund(jobId, "", undefined)))
  await attempt("tries to fund with the denial", () =>
    refused("the denial", () => buyer.afg.fund(jobId, denial.evidence, denial.confirmation)),
  )
  await attempt("tries evidence accepted for another job", async () => {
    const other = await acceptedElsewhere(scene)
    return refused("evidence of another job", () => buyer.afg.fund(jobId, other.evidence, other.confirmation))
  })
  await attempt("tries to bind on chain itself", () => bindOnChain(scene, contract))
  await narrator.step("anyone", "looks at job and escrow", async () => {
    const job = await buyer.afg.getJob(jobId)
    const { escrow } = await readBalances(network.chain.client, network.deployment)
    if (job.tx.bind !== null || job.tx.fund !== null || escrow !== "0.00") throw new Error("something was bound or funded")
    return { note: `${job.state}: nothing bound, nothing funded, the escrow holds ${escrow}` }
  })
  return { prepared, answer: denial, outcome: "denied", method: methodOf(denial), refusals, bundle: null, jobId }
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
  const network = await narrator.step("network", "starts: chain, contracts, services", async () => {
    const up = await startNetwork({ dataDir, redis: options.redis, onRestart: narrator.aside })
    return { up, note: `chain 31337, ${up.accounts.length} keys, timers on ${options.redis ? "Redis" : "the embedded store"}` }
  })
  const { up } = network
  const interrupted = Promise.withResolvers<never>()
  const onSignal = (signal: NodeJS.Signals): void => interrupted.reject(new Error(`stopped by ${signal}`))
  process.once("SIGINT", onSignal)
  process.once("SIGTERM", onSignal)
  try {
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
    await up.stop()
  }
}
