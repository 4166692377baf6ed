/** What the API stands on, from configuration and core. */

import { createTestClient, hashMessage, http } from "viem"
import { verifyMessage } from "viem/actions"
import { httpKeys, type KeySource, type Policy } from "../aacp/index.ts"
import { verifySigner } from "../chain/erc7913.ts"
import type { Config, Enrolment } from "../config.ts"
import { type KnownContracts, lint, lintOnChain, type SignatureStatus, signatureStatus } from "../contract/index.ts"
import type { Core } from "../core.ts"
import { AfgError } from "../errors.ts"
import { LOCAL_CHAIN_ID } from "../local-accounts.ts"
import type { Log } from "../reconciler/index.ts"
import { RUNNABLE_CHECKS } from "../verifier-runner/index.ts"
import type { ApiServices } from "./context.ts"

/** A local chain's money is worth nothing, so a scripted person and a one-time link are enough there; elsewhere they never are. */
const policyFor = (chainId: number): Policy => ({
  known_methods: ["scripted-demo", "one-time-link", "passkey"],
  rules: [
    {
      effect: "transfer",
      require_rendering: true,
      ...(chainId === LOCAL_CHAIN_ID ? { min_loa: 0 } : { min_loa: 3, methods: ["passkey"] }),
    },
  ],
  max_lifetime: 300,
})

const knownContracts =
  ({ deployment, chainId }: Core) =>
  (asked: number): KnownContracts | undefined => {
    if (asked !== chainId) return undefined
    const { ERC8183Escrow, AFGResolver } = deployment.contracts
    return {
      escrows: [{ rail: "erc8183", address: ERC8183Escrow.address, code_hash: ERC8183Escrow.codeHash, ours: true }],
      resolvers: [{ address: AFGResolver.address, code_hash: AFGResolver.codeHash }],
    }
  }

/** One cached key set per service. */
const keySources = (wall: () => number): ((enrolment: Enrolment) => KeySource) => {
  const sources = new Map<string, KeySource>()
  return ({ issuer, jwks }) => {
    const known = sources.get(`${issuer} ${jwks}`)
    if (known !== undefined) return known
    const source = httpKeys(jwks, { iss: issuer, now: wall })
    sources.set(`${issuer} ${jwks}`, source)
    return source
  }
}

/** Last word of a signature that ERC-6492 wraps. */
const ERC6492_MARK = "6492".repeat(16)

/** "Could not be asked" is no refusal: the caller may try again. */
const established = ({ valid, kind }: SignatureStatus): boolean => {
  if (valid === null && kind === "erc1271") throw new AfgError("chain_unavailable", "the wallet's contract could not be asked")
  return valid === true
}

type Options = { config: Config; core: Core; publicOrigin: string; log: Log }

export const apiServices = ({ config, core, publicOrigin, log }: Options): ApiServices => {
  const { client, chainId, clocks } = core
  const known = knownContracts(core)
  return {
    store: core.store,
    rail: core.rail,
    clocks,
    limits: {
      maxOpenJobs: config.maxOpenJobs,
      maxArtifactBytes: config.maxArtifactBytes,
      maxDeliverableBytes: config.maxDeliverableBytes,
      submissionsPerMinute: config.submissionsPerMinute,
    },
    publicOrigin,
    poke: core.timers.poke,
    lint: async (contract, { chain }) => (chain ? lintOnChain(contract, { client, known }) : lint(contract)),
    runnableChecks: RUNNABLE_CHECKS,
    confirmation: {
      policy: policyFor(chainId),
      enrolments: config.enrolments,
      keysFor: keySources(clocks.wall),
      verifySigner: (signer, digest, signature) => verifySigner(client, signer, digest, signature),
    },
    verifyMessage: async (address, message, signature) =>
      // A wallet that is not deployed yet sends its factory's call along.
      signature.endsWith(ERC6492_MARK)
        ? verifyMessage(client, { address, message, signature })
        : established(await signatureStatus(address, hashMessage(message), signature, true, client)),
    verifyDigest: async (address, digest, signature, mayBeContract) =>
      established(await signatureStatus(address, digest, signature, mayBeContract, client)),
    ...(chainId === LOCAL_CHAIN_ID && config.warp ? { warp: warpOf(config.rpcUrl) } : {}),
    log,
  }
}

const warpOf =
  (rpcUrl: string) =>
  async (seconds: number): Promise<void> => {
    const test = createTestClient({ mode: "hardhat", transport: http(rpcUrl) })
    await test.increaseTime({ seconds })
    await test.mine({ blocks: 1 })
  }
