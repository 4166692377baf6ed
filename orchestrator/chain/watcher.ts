/**
 * Follows the chain: polls logs by block range, keeps block hashes, drops what a reorganisation orphaned, and gives every event to its job
 * once. What happened while nobody watched is read first.
 */
import type { Client } from "viem"
import { getBlock, getChainId } from "viem/actions"
import { AfgError } from "../errors.ts"
import { failpoint } from "../failpoints.ts"
import type { Store } from "../store/index.ts"
import type { UnixSeconds } from "../types.ts"
import type { Log } from "./log.ts"
import type { Rail } from "./rails/rail.ts"
import { claim, knownBlocks, type Recorded, readProgress, record, rewind } from "./watch/progress.ts"
import { type BlockRef, type Head, headAt, latestHead, scanRange } from "./watch/scan.ts"

export type WatcherOptions = {
  client: Client
  chainId: number
  rail: Rail
  store: Store
  /** First block of interest: that of the deployment. Default 0. */
  fromBlock?: number
  /** Blocks to wait before a log counts. Default 0. */
  confirmations?: number
  /** Milliseconds between looks: while the chain moves, and while it is quiet. Default 100 and 200 on the local chain, else 1,000 and 4,000. */
  pollMs?: { busy: number; idle: number }
  /** These jobs have gained or lost events. */
  onJobs: (jobIds: string[]) => Promise<void>
  /** The head or the chain's clock has moved: what is due by time may have changed. */
  onHead: (chainNow: UnixSeconds) => Promise<void>
  log: Log
}

export type Watcher = {
  /** Reads everything up to the head once, then keeps looking. Throws `chain_mismatch` or `chain_unavailable`. */
  start: () => Promise<void>
  /** One look, to the end. For tests and for those who just sent a transaction. */
  look: () => Promise<void>
  close: () => Promise<void>
}

/** Public RPCs refuse wider ranges. */
const WIDEST_RANGE = 2_000
const LONGEST_BACKOFF_MS = 10_000
/** A clock that merely ticks is no news. */
const CLOCK_JUMP_S = 2
const LOCAL_CHAIN_ID = 31337

/**
 * The chain's time: that of its pending block, so that a quiet chain does not stop the clock. Throws `chain_unavailable`.
 */
export const chainNow = async (client: Client): Promise<UnixSeconds> => {
  try {
    return Number((await getBlock(client, { blockTag: "pending" })).timestamp)
  } catch (cause) {
    throw unavailable(cause)
  }
}

const unavailable = (cause: unknown): AfgError =>
  new AfgError("chain_unavailable", `the chain does not answer: ${cause instanceof Error ? cause.message.split("\n", 1)[0] : cause}`, {
    cause,
  })

export const createWatcher = (options: WatcherOptions): Watcher => {
  const { client, chainId, rail, store, onJobs, onHead, log } = options
  const { fromBlock = 0, confirmations = 0 } = options
  const pollMs = options.pollMs ?? (chainId === LOCAL_CHAIN_ID ? { busy: 100, idle: 200 } : { busy: 1_000, idle: 4_000 })
  let seen: Head | null = null
  let clockOffset: number | null = null
  let stopped = false
  let looking: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const isCanonical = async ({ number, hash }: BlockRef): Promise<boolean> => (await headAt(client, number))?.hash === hash

  /** The newest block read that is still there, found by halving: below a block that is there, all are. Null: none. */
  const commonBlock = async (): Promise<BlockRef | null> => {
    const known = await knownBlocks(store.db, chainId)
    let [there, gone] = [-1, known.length]
    while (gone - there > 1) {
      const middle = (there + gone) >> 1
      const block = known[middle]
      if (block !== undefined && (await isCanonical(block))) there = middle
      else gone = middle
    }
    return known[there] ?? null
  }

  /** Where to go on: behind the newest block read that is still there. */
  const follow = async (): Promise<{ next: number; previous: BlockRef | null }> => {
    const progress = await readProgress(store.db, chainId)
    if (progress === null) return { next: fromBlock, previous: null }
    const { next, newest } = progress
    if (newest === null || (await isCanonical(newest))) return { next, previous: newest }
    const common = await commonBlock()
    const from = common === null ? fromBlock : common.number + 1
    const jobs = await rewind(store.db, chainId, from)
    log("warn", "the chain was reorganised", { chain: chainId, from, read: next - 1, jobs: jobs.length })
    if (jobs.length > 0) await onJobs(jobs)
    return { next: from, previous: common }
  }

  const tell = async ({ jobs, foreign }: Recorded): Promise<void> => {
    for (const { ref, event } of foreign) log("warn", "other Terms on a job's reference", { ref, type: event.type, tx: event.position.tx })
    if (jobs.length > 0) await onJobs([...new Set(jobs)])
  }

  /** Reads up to the head. False: the chain changed under us, look again. */
  const read = async (head: Head): Promise<boolean> => {
    const last = head.number - confirmations
    let { next, previous } = await follow()
    while (next <= last) {
      const to = Math.min(last, next + WIDEST_RANGE - 1)
      const scan = await scanRange(client, rail.logs, previous, next, to)
      if (scan === null) return false
      for (const { position, reason } of scan.bad) log("warn", "a log that cannot be read", { ...position, reason })
      failpoint("watcher.appended")
      const recorded = await record(store.db, chainId, scan, to + 1)
      failpoint("watcher.advanced")
      await tell(recorded)
      next = to + 1
      previous = scan.blocks.at(-1) ?? null
    }
    return true
  }

  const lookOnce = async (): Promise<boolean> => {
    const [head, now] = await Promise.all([latestHead(client), chainNow(client)])
    const moved = seen === null || head.hash !== seen.hash
    if (moved && (await read(head))) seen = head
    await tell(await claim(store.db, chainId))
    const offset = now - Math.floor(Date.now() / 1_000)
    const jumped = clockOffset === null || Math.abs(offset - clockOffset) >= CLOCK_JUMP_S
    if (jumped) clockOffset = offset
    if (moved || jumped) await onHead(now)
    return moved || jumped
  }

  /** Looks follow one another: two at once would read the same range twice. */
  const look = (): Promise<boolean> => {
    const mine = looking.then(lookOnce, lookOnce)
    looking = mine.catch(() => undefined)
    return mine
  }

  const later = (ms: number, failures: number): void => {
    if (stopped) return
    timer = setTimeout(() => {
      look().then(
        (moved) => {
          if (failures > 0) log("info", "the chain answers again", { chain: chainId })
          later(moved ? pollMs.busy : pollMs.idle, 0)
        },
        (error: unknown) => {
          if (failures === 0)
            log("warn", "cannot read the chain", { chain: chainId, reason: error instanceof Error ? error.message : error })
          later(Math.min(pollMs.idle * 2 ** failures, LONGEST_BACKOFF_MS), failures + 1)
        },
      )
    }, ms)
  }

  return {
    look: async () => {
      await look()
    },
    start: async () => {
      const served = await getChainId(client).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      if (served !== chainId) throw new AfgError("chain_mismatch", `the RPC serves chain ${served}, the deployment is on ${chainId}`)
      await look()
      later(pollMs.busy, 0)
    },
    close: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
