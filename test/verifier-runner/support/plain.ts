/** A contract whose one check needs no container, and evidence made under it. */
import { type Contract, exampleContract } from "../../../orchestrator/contract/index.ts"
import { AfgError } from "../../../orchestrator/errors.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import {
  type Engine,
  runVerification,
  sha256Of,
  type VerdictSigner,
  type Verification,
} from "../../../orchestrator/verifier-runner/index.ts"

export const DELIVERABLE = Buffer.from("delivered\n")

type Checks = Contract["acceptance"]["checks"]

const MATCH: Checks[number] = {
  check_id: "m1",
  type: "hash_match",
  class: "deterministic",
  artifact: "deliverable",
  algorithm: "sha256",
  expected: sha256Of(DELIVERABLE),
}

export const plainContract = (checks: Checks = [MATCH]): Contract => {
  const example = exampleContract("code-fix", { addressOf: (role) => localAccount(role).address })
  return {
    ...example,
    inputs: [],
    deliverable: { ...example.deliverable, type: "document", format: "text/plain" },
    acceptance: { combine: "all", checks },
  }
}

export const signerOf = (role: "verifier" | "fallback" | "buyer"): VerdictSigner => {
  const { account } = localAccount(role)
  return {
    address: account.address,
    signTypedData: (document) => account.signTypedData(document as Parameters<typeof account.signTypedData>[0]),
  }
}

/** Fails when it is asked for anything, as an engine does that has gone away; counts how often. */
export const goneEngine = (code = "engine-unreachable"): Engine & { asked: () => number } => {
  let asked = 0
  return {
    run: async () => {
      asked += 1
      throw new AfgError(code, "nobody is there")
    },
    sweep: async () => 0,
    close: async () => {},
    description: "gone",
    asked: () => asked,
  }
}

export type PlainOptions = {
  contract?: Contract
  deliverable?: Uint8Array
  signer?: VerdictSigner | null
  engine?: Engine
  n?: number
  at?: number
}

export const verifyPlain = (options: PlainOptions = {}): Promise<Verification> => {
  const deliverable = options.deliverable ?? DELIVERABLE
  return runVerification({
    contract: options.contract ?? plainContract(),
    submission: { n: options.n ?? 1, deliverable, sha256: sha256Of(deliverable), submittedAt: 1_790_000_000 },
    resolveInput: async () => null,
    signer: options.signer === undefined ? signerOf("verifier") : options.signer,
    engine: options.engine ?? goneEngine(),
    clock: () => options.at ?? 1_790_000_100,
  })
}
