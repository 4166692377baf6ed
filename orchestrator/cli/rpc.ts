/** The chain a command was pointed at with `--rpc`, and what is deployed there. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { createPublicClient, http, type PublicClient } from "viem"
import { type Deployment, readDeployment } from "../chain/deployment.ts"
import { projectRoot } from "../setup-record.ts"
import { type CliIo, UsageError } from "./io.ts"

/** A client of the RPC at `url`. Throws `usage` (exit 2) for something that is no http(s) URL. */
export const rpcClient = (url: string): PublicClient => {
  if (!/^https?:\/\//.test(url)) throw new UsageError("usage", `--rpc takes an http(s) URL, not ${url}`)
  return createPublicClient({ transport: http(url, { retryCount: 1, timeout: 10_000 }) })
}

/** The deployment record of a chain: `DEPLOYMENT_FILE`, else `deployments/<chain id>.json`; undefined where there is none for it. */
export const deploymentOf = (chainId: number, env: CliIo["env"]): Deployment | undefined => {
  const file = env.DEPLOYMENT_FILE ?? join(projectRoot, "deployments", `${chainId}.json`)
  if (env.DEPLOYMENT_FILE === undefined && !existsSync(file)) return undefined
  const deployment = readDeployment(file)
  return deployment.chainId === chainId ? deployment : undefined
}
