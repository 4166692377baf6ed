/** Checks of the chain: the one that `RPC_URL` names, with the contracts as deployed, or else a local one. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { type Address, createPublicClient, type Hex, http, keccak256 } from "viem"
import { z } from "zod"
import { projectRoot } from "../../setup-record.ts"
import { type CheckResult, check, type Env } from "./check.ts"

const LOCAL_CHAIN_ID = 31_337
/** A public chain's newest block may be this old before we doubt one of the clocks. */
const BLOCK_AGE_S = 120

const deployment = z.object({
  chainId: z.number(),
  contracts: z.record(
    z.string(),
    z.object({ address: z.string().regex(/^0x[0-9a-fA-F]{40}$/), codeHash: z.string().regex(/^0x[0-9a-f]{64}$/) }),
  ),
})

const readDeployment = async (env: Env, chainId: number): Promise<z.infer<typeof deployment> | null> => {
  const file = env.DEPLOYMENT_FILE ?? join(projectRoot, "deployments", `${chainId}.json`)
  return existsSync(file) ? deployment.parse(JSON.parse(await readFile(file, "utf8"))) : null
}

const remote = async (url: string, env: Env): Promise<string> => {
  const client = createPublicClient({ transport: http(url, { timeout: 5_000, retryCount: 0 }) })
  const chainId = await client.getChainId().catch(() => {
    throw new Error(`nothing answers at RPC_URL ${new URL(url).host}`)
  })
  const block = await client.getBlock()
  const age = Math.floor(Date.now() / 1000) - Number(block.timestamp)
  if (chainId !== LOCAL_CHAIN_ID && Math.abs(age) > BLOCK_AGE_S)
    throw new Error(`chain ${chainId}: the newest block's time differs from this clock by ${age} s`)
  const found = await readDeployment(env, chainId)
  if (found === null) return `chain ${chainId} at block ${block.number}; no deployment of ours is known on it`
  if (found.chainId !== chainId) throw new Error(`RPC_URL is chain ${chainId}, but the deployment file is of chain ${found.chainId}`)
  for (const [name, { address, codeHash }] of Object.entries(found.contracts)) {
    const code: Hex = (await client.getCode({ address: address as Address })) ?? "0x"
    if (code === "0x") throw new Error(`chain ${chainId}: there is no ${name} at ${address}`)
    if (keccak256(code) !== codeHash)
      throw new Error(`chain ${chainId}: the code of ${name} at ${address} is ${keccak256(code)}, not ${codeHash}`)
  }
  return `chain ${chainId} at block ${block.number}; ${Object.keys(found.contracts).length} contracts have the code that was deployed`
}

/** Starts a chain inside this process and asks it who it is: its native part is what is missing after a wrong `npm ci`. */
const local = async (): Promise<string> => {
  if (!existsSync(join(projectRoot, "artifacts", "contracts"))) throw new Error("the contracts are not compiled")
  // Hardhat would look for its configuration from where the command runs, which may be anywhere.
  process.env.HARDHAT_CONFIG ??= join(projectRoot, "hardhat.config.ts")
  const { network } = await import("hardhat")
  const connection = await network.create()
  try {
    const chainId = Number(await connection.provider.request({ method: "eth_chainId" }))
    if (chainId !== LOCAL_CHAIN_ID) throw new Error(`the local chain is ${chainId}, not ${LOCAL_CHAIN_ID}`)
    return `a local chain ${chainId} starts; contracts are compiled (RPC_URL is not set)`
  } finally {
    await connection.close()
  }
}

export const checkChain = (env: Env): Promise<CheckResult> => {
  const url = env.RPC_URL
  return url
    ? check("chain", "correct RPC_URL or DEPLOYMENT_FILE; contracts with other code are not to be trusted with money", () =>
        remote(url, env),
      )
    : check("chain", "npm run setup", local)
}
