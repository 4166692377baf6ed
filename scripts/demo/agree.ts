/** From an empty chain to three signatures under the same Terms. */
import { readFileSync } from "node:fs"
import { type Contract, contractHash } from "../../orchestrator/contract/index.ts"
import { readSetupRecord } from "../../orchestrator/setup-record.ts"
import { readFolder } from "../../orchestrator/verifier-runner/files/folder.ts"
import { withPrefix } from "../../orchestrator/verifier-runner/files/tree.ts"
import { codeFixWork } from "../fixtures/code-fix.ts"
import { readBalances } from "./accounts.ts"
import { fillPurse, openEscrowJob, signAs, writeContract } from "./buyer.ts"
import { type Prepared, type Scene, short } from "./scene.ts"

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
export const agree = async ({ buyer, provider, mediator }: Scene, contract: Contract): Promise<void> => {
  const job = await buyer.afg.postJob({ ...contract, signatures: { buyer: await signAs(contract, "buyer") } })
  await provider.afg.sign(job.job_id, "provider", await signAs(contract, "provider"))
  await mediator.afg.sign(job.job_id, "mediator", await signAs(contract, "mediator"))
}

export const prepare = async (scene: Scene): Promise<Prepared> => {
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
