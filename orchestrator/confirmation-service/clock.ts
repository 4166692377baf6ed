/** What time it is: the machine's, or on a local network whose time is moved, the chain's where that is ahead. */
import { z } from "zod"

export type Clock = {
  /** Unix seconds. */
  readonly now: () => number
  /** Looks again before a request is handled, where there is something to look at. */
  readonly refresh: () => Promise<void>
}

const wall = (): number => Date.now() / 1_000

export const systemClock: Clock = { now: () => Math.floor(wall()), refresh: async () => undefined }

const block = z.object({ result: z.object({ timestamp: z.string().regex(/^0x[0-9a-f]{1,12}$/) }) })

/** Longest wait for the chain's answer, in milliseconds. */
const TIMEOUT = 2_000

/**
 * For development: deadlines of contracts and of `Confirmation` are in the chain's time, and a local chain's time can be moved
 * ahead. While the chain cannot be reached, the last known distance holds.
 */
export const chainClock = (rpcUrl: string): Clock => {
  let ahead = 0
  const refresh = async (): Promise<void> => {
    try {
      const response = await fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["pending", false] }),
        signal: AbortSignal.timeout(TIMEOUT),
      })
      const { result } = block.parse(await response.json())
      ahead = Math.max(0, Number(result.timestamp) - wall())
    } catch {
      // Unreachable or not answering with a block: nothing new is known.
    }
  }
  return { now: () => Math.floor(wall() + ahead), refresh }
}

/** The clock of a configuration. */
export const clockFor = (rpcUrl: string | undefined): Clock => (rpcUrl === undefined ? systemClock : chainClock(rpcUrl))
