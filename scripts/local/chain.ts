/** A Hardhat node of one's own: started, its clock moved, stopped. */
import { createServer } from "node:net"
import { join } from "node:path"
import { createPublicClient, createTestClient, http, type PublicClient, type TestClient } from "viem"
import { hardhat } from "viem/chains"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { type ManagedProcess, startProcess } from "./process.ts"

export type LocalChain = {
  rpc: string
  process: ManagedProcess
  client: PublicClient
  /** Moves the chain's time forward and mines one block, as if nobody had done anything meanwhile. */
  warp: (seconds: number) => Promise<void>
}

/** A port of the loopback interface that nobody listens on now. */
export const freePort = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject(new Error("no address"))))
    })
  })

/** Connects to a node that is already running. */
export const connectChain = (rpc: string): { client: PublicClient; test: TestClient } => {
  const transport = http(rpc, { retryCount: 3 })
  return {
    client: createPublicClient({ chain: hardhat, transport, cacheTime: 0, pollingInterval: 100 }) as PublicClient,
    test: createTestClient({ chain: hardhat, mode: "hardhat", transport }),
  }
}

export const warpChain = async (rpc: string, seconds: number): Promise<void> => {
  const { test } = connectChain(rpc)
  await test.increaseTime({ seconds })
  await test.mine({ blocks: 1 })
}

/** Starts `hardhat node` on a free port of the loopback interface. */
export const startChain = async (logFile: string, port?: number): Promise<LocalChain> => {
  const chosen = port ?? (await freePort())
  const rpc = `http://127.0.0.1:${chosen}`
  // The package's own file, not npx: killing npx would leave the node behind.
  const cli = join(projectRoot, "node_modules", "hardhat", "dist", "src", "cli.js")
  const node = await startProcess({
    name: "hardhat node",
    args: [cli, "node", "--hostname", "127.0.0.1", "--port", String(chosen)],
    // Hardhat looks for its configuration from where it runs; whoever calls us may be anywhere.
    cwd: projectRoot,
    logFile,
    ready: (line) => line.includes("Started HTTP and WebSocket JSON-RPC server"),
  })
  const { client } = connectChain(rpc)
  return { rpc, process: node, client, warp: (seconds) => warpChain(rpc, seconds) }
}
