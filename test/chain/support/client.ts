import { type Client, createClient, http } from "viem"
import { hardhat } from "viem/chains"

/** A client as the orchestrator has it: no cache, no retries. */
export const clientOf = (rpc: string): Client => createClient({ chain: hardhat, transport: http(rpc, { retryCount: 0 }), cacheTime: 0 })
