import { type Client, createClient, http } from "viem"

/** A client as the orchestrator has it: no cache, no retries. */
export const clientOf = (rpc: string): Client => createClient({ transport: http(rpc, { retryCount: 0 }), cacheTime: 0 })
