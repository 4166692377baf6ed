/**
 * The verifier of a running orchestrator: takes orders from the queue, runs the checks, stores and signs the evidence, and gives the
 * verdict to the job as a message. Its attestation key is its own; it decides nothing about money.
 */
import { type Contract, parseContract, termsOf } from "./contract/index.ts"
import type { Core } from "./core.ts"
import { failpoint } from "./failpoints.ts"
import type { Log } from "./reconciler/index.ts"
import { type Job, type MessageEvent, next } from "./state-machine/index.ts"
import { appendEvents, findJob, loadJob } from "./store/index.ts"
import type { VerificationOrder } from "./timers/index.ts"
import { fromBytes32, type Hex, toBytes32 } from "./types.ts"
import { storedInput } from "./verifier-runner/files/stored.ts"
import { type Engine, openEngine, runVerification, type Verification } from "./verifier-runner/index.ts"

export type Verifier = { verify: (order: VerificationOrder) => Promise<void>; close: () => Promise<void> }

type Options = { core: Core; log: Log }

const encoder = new TextEncoder()

/** Whether the order still stands: a resubmission, a verdict or a deadline may have overtaken it. */
const isWanted = (job: Job, order: VerificationOrder, now: number): boolean => next(job, now).actions.some(({ key }) => key === order.key)

/** Bundle and blobs are stored before anyone hears of the verdict; sealed ones and those of PHI jobs are never served. */
const storeEvidence = async ({ store, clocks }: Core, contract: Contract, verification: Verification, owner: string): Promise<string> => {
  const { bundleBytes, blobs } = verification
  const keep = async (bytes: Uint8Array, sealed: boolean): Promise<string> => {
    const { sha256, uri, size } = await store.blobs.put(bytes)
    await store.db
      .insertInto("afg.artifacts")
      .values({ sha256, sealed, size, stored_at: clocks.wall(), owner })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return uri
  }
  for (const { bytes, sealed } of blobs) await keep(bytes, sealed || contract.deliverable.phi)
  return keep(bundleBytes, false)
}

export const createVerifier = async ({ core, log }: Options): Promise<Verifier> => {
  const { store, timers, clocks } = core
  const account = core.verifierAccount()
  const engine: Engine = await openEngine()
  // Containers of a verifier that was killed in the middle of a run: nobody else ends them.
  const swept = await engine.sweep()
  if (swept > 0) log("info", "leftovers of a dead verifier removed", { swept })
  const stopping = new AbortController()

  const load = async (jobId: string): Promise<{ contract: Contract; job: Job } | null> => {
    const stored = await findJob(store.db, jobId)
    if (stored === null) return null
    const contract = parseContract(encoder.encode(stored.contract))
    return { contract, job: (await loadJob(store.db, jobId, termsOf(contract))).job }
  }

  const verify = async (order: VerificationOrder): Promise<void> => {
    const loaded = await load(order.jobId)
    if (loaded === null) return
    const { contract, job } = loaded
    const key = order.by === "primary" ? contract.verifier.attestation_key : contract.verifier.fallback.attestation_key
    // Another verifier's order stays with whoever has that key.
    if (key.toLowerCase() !== account.address.toLowerCase()) return
    const { deliverableHash, submittedAt } = job.facts
    if (deliverableHash === null || submittedAt === null || !isWanted(job, order, await clocks.chain())) return
    failpoint("verifier.started")
    log("info", "checks begin", { job: order.jobId, n: order.n })
    const sha256 = fromBytes32(deliverableHash)
    const inputOf = async (name: string) => {
      const input = contract.inputs.find((one) => one.name === name)
      return input === undefined ? null : storedInput(store.blobs, input)
    }
    const verification = await runVerification({
      contract,
      submission: { n: order.n, deliverable: await store.blobs.get(sha256), sha256, submittedAt },
      resolveInput: inputOf,
      reveal: inputOf,
      signer: { address: account.address, signTypedData: (document) => account.signTypedData(document as never) },
      engine,
      clock: clocks.wall,
      signal: stopping.signal,
    })
    failpoint("verifier.checked")
    const { signature, verdict, bundle } = verification
    if (signature === null) throw new Error("a verdict without a signature is no verdict")
    const uri = await storeEvidence(core, contract, verification, account.address.toLowerCase())
    failpoint("verifier.stored")
    const event: Extract<MessageEvent, { type: "verdictSigned" }> = {
      source: "message",
      type: "verdictSigned",
      at: await clocks.chain(),
      n: order.n,
      by: order.by,
      verdict,
      merkleRoot: toBytes32(bundle.merkle_root) as Hex,
      deliverableHash,
      signature,
      bundle: uri,
    }
    await appendEvents(store.db, order.jobId, [event])
    await timers.poke(order.jobId)
    log("info", "checks end", { job: order.jobId, n: order.n, verdict, bundle: uri })
  }

  return {
    verify,
    close: async () => {
      stopping.abort()
      await engine.close()
    },
  }
}
