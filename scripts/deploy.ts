/**
 * Deploys our contracts to a local chain with Hardhat Ignition and writes down what is where.
 *
 * `node scripts/deploy.ts --rpc URL [--out FILE] [--treasury ADDRESS]`; the demo calls {@link deployLocal} itself. Running it again on the same
 * chain changes nothing; with `journal`, an interrupted deployment goes on where it stopped.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type ArtifactResolver, DeploymentResultType, deploy } from "@nomicfoundation/ignition-core"
import { type Address, createPublicClient, type Hex, http, keccak256 } from "viem"
import AfgModule from "../ignition/modules/AFG.ts"
import { type ContractName, type Deployment, parseDeployment, readDeployment } from "../orchestrator/chain/deployment.ts"
import { AfgError, type ErrorTable } from "../orchestrator/errors.ts"
import { localAccount } from "../orchestrator/local-accounts.ts"
import { projectRoot } from "../orchestrator/setup-record.ts"

export const ERRORS = {
  "deployment-failed": {
    status: 500,
    what: "The contracts could not be deployed.",
    recovery: "Read the message; on a chain that was reset, delete the deployment's journal and JSON first.",
  },
} as const satisfies ErrorTable

const FEE_BPS = 150
/** Ignition's name of each contract's artifact, by the name that clients use. */
const ARTIFACTS = {
  AFGResolver: "ERC8183Resolver",
  ERC8183Escrow: "ERC8183Escrow",
  TestUSDC: "TestUSDC",
  P256Verifier: "ERC7913P256Verifier",
  Batcher: "Batcher",
} as const satisfies Record<ContractName, string>

const NAMES = Object.keys(ARTIFACTS) as ContractName[]

export type DeployOptions = {
  rpcUrl: string
  /** An account that the node itself can sign for. Default: the first development account. */
  deployer?: Address
  /** Who receives release fees. Default: the development account `treasury`. */
  treasury?: Address
  /** Where the JSON goes. When it already describes this chain, it is returned and nothing is deployed. */
  out?: string
  /** Directory of Ignition's journal. Without one an interrupted deployment starts afresh. */
  journal?: string
}

type Chain = ReturnType<typeof createPublicClient>

const codeHash = async (chain: Chain, address: Address): Promise<Hex | undefined> => {
  const code = await chain.getCode({ address })
  return code === undefined ? undefined : keccak256(code)
}

/** Whether every contract is on the chain with the code that is written down. */
export const isDeployed = async (chain: Chain, deployment: Deployment): Promise<boolean> => {
  if ((await chain.getChainId()) !== deployment.chainId) return false
  const matches = await Promise.all(
    Object.values(deployment.contracts).map(async (entry) => (await codeHash(chain, entry.address)) === entry.codeHash),
  )
  return matches.every(Boolean)
}

const byName = async <T>(value: (name: ContractName) => Promise<T>): Promise<Record<ContractName, T>> =>
  Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await value(name)] as const))) as Record<ContractName, T>

/** Deploys to the chain at `rpcUrl`, or finds there what `out` describes. Throws `deployment-failed`. */
export const deployLocal = async (options: DeployOptions): Promise<Deployment> => {
  const chain = createPublicClient({ transport: http(options.rpcUrl) })
  if (options.out !== undefined && existsSync(options.out)) {
    const known = readDeployment(options.out)
    if (await isDeployed(chain, known)) return known
  }

  // Hardhat would look for its configuration from where we were called, which may be anywhere.
  process.env.HARDHAT_CONFIG ??= join(projectRoot, "hardhat.config.ts")
  const { artifacts, tasks } = (await import("hardhat")).default
  await tasks.getTask("build").run({ quiet: true, noTests: true })
  const artifactResolver: ArtifactResolver = {
    loadArtifact: (name) => artifacts.readArtifact(name),
    getBuildInfo: async () => undefined,
  }

  const deployer = options.deployer ?? localAccount("deployer").address
  const treasury = options.treasury ?? localAccount("treasury").address
  if (options.journal !== undefined) mkdirSync(options.journal, { recursive: true })
  const result = await deploy({
    provider: { request: (request) => chain.request(request as Parameters<typeof chain.request>[0]) },
    artifactResolver,
    ignitionModule: AfgModule,
    deploymentParameters: { AFG: { treasury, feeBps: FEE_BPS } },
    accounts: [deployer],
    defaultSender: deployer,
    config: { requiredConfirmations: 1, blockPollingInterval: 20 },
    ...(options.journal === undefined ? {} : { deploymentDir: options.journal }),
  })
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT)
    throw new AfgError("deployment-failed", `deployment ended with ${result.type}: ${JSON.stringify(result)}`)

  const contracts = await byName(async (name) => {
    const address = result.contracts[`AFG#${ARTIFACTS[name]}`]?.address as Address
    const hash = await codeHash(chain, address)
    if (hash === undefined)
      throw new AfgError("deployment-failed", `no code at ${address} for ${name}: the journal belongs to a chain that is gone; delete it`)
    return { address, codeHash: hash }
  })
  const bytecodeHashes = await byName(async (name) => keccak256((await artifacts.readArtifact(ARTIFACTS[name])).bytecode as Hex))
  const deployment = parseDeployment({ chainId: await chain.getChainId(), contracts, feeBps: FEE_BPS, treasury, bytecodeHashes })
  if (options.out !== undefined) writeDeployment(options.out, deployment)
  return deployment
}

const writeDeployment = (file: string, deployment: Deployment): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.part`, `${JSON.stringify(deployment, null, 2)}\n`)
  renameSync(`${file}.part`, file)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rpc: { type: "string" }, out: { type: "string" }, treasury: { type: "string" } } })
  const { rpc, out, treasury } = values
  if (rpc === undefined) {
    process.stderr.write("usage: node scripts/deploy.ts --rpc URL [--out FILE] [--treasury ADDRESS]\n")
    process.exit(2)
  }
  const deployment = await deployLocal({
    rpcUrl: rpc,
    ...(out === undefined ? {} : { out }),
    ...(treasury === undefined ? {} : { treasury: treasury as Address }),
  })
  process.stdout.write(`${JSON.stringify(deployment, null, 2)}\n`)
}
