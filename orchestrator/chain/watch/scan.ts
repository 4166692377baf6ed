/** Reads a range of the chain so that blocks and logs are of one and the same chain, even while it reorganises. */
import type { Client } from "viem"
import { getBlock, getLogs } from "viem/actions"
import type { ChainEvent, ChainPosition } from "../../state-machine/index.ts"
import type { Hex, UnixSeconds } from "../../types.ts"
import type { RailLogs } from "../rails/logs.ts"

export type BlockRef = { number: number; hash: Hex }
export type Head = BlockRef & { timestamp: UnixSeconds }

/** An event with the reference that it is about, and the Terms where its log names them. */
export type PlacedFact = { ref: Hex; termsHash: Hex | null; event: ChainEvent }

export type BadLog = { position: ChainPosition; reason: string }

export type Scan = {
  /** Blocks whose hashes are now known, ascending; the last is the end of the range. */
  blocks: BlockRef[]
  facts: PlacedFact[]
  /** Logs at our addresses that could not be read. */
  bad: BadLog[]
}

type Block = { number: bigint | null; hash: Hex | null; timestamp: bigint }

const toHead = (block: Block): Head => {
  if (block.number === null || block.hash === null) throw new RangeError("a block without number or hash")
  return { number: Number(block.number), hash: block.hash, timestamp: Number(block.timestamp) }
}

export const latestHead = async (client: Client): Promise<Head> => toHead(await getBlock(client, { blockTag: "latest" }))

/** Null: the chain has no such block now. */
export const headAt = async (client: Client, number: number): Promise<Head | null> => {
  try {
    return toHead(await getBlock(client, { blockNumber: BigInt(number) }))
  } catch (error) {
    if (error instanceof Error && error.name === "BlockNotFoundError") return null
    throw error
  }
}

/**
 * Logs of `from`…`to`, on top of `previous`, the newest block read before. Null when the chain changed while we read, which makes the
 * reading worthless: the range's last block is looked up first and last, so that all in between is of its chain.
 */
export const scanRange = async (
  client: Client,
  logs: RailLogs,
  previous: BlockRef | null,
  from: number,
  to: number,
): Promise<Scan | null> => {
  const end = await headAt(client, to)
  if (end === null) return null
  const found = await getLogs(client, { address: [...logs.addresses], fromBlock: BigInt(from), toBlock: BigInt(to) })
  const times = new Map<Hex, UnixSeconds>([[end.hash, end.timestamp]])
  const blocks = new Map<number, BlockRef>()
  const scan: Scan = { blocks: [], facts: [], bad: [] }
  for (const log of found) {
    const { blockNumber, blockHash, transactionHash, logIndex } = log
    if (blockNumber === null || blockHash === null || transactionHash === null || logIndex === null) return null
    const position = { block: Number(blockNumber), blockHash, tx: transactionHash, logIndex }
    blocks.set(position.block, { number: position.block, hash: blockHash })
    let at = times.get(blockHash)
    if (at === undefined) {
      const block = await headAt(client, position.block)
      if (block === null || block.hash !== blockHash) return null
      at = block.timestamp
      times.set(blockHash, at)
    }
    try {
      const fact = logs.read(log)
      if (fact === null) continue
      const event = { ...fact.fact, source: "chain", at, position } as ChainEvent
      scan.facts.push({ ref: fact.ref.toLowerCase() as Hex, termsHash: fact.termsHash, event })
    } catch (error) {
      scan.bad.push({ position, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  if (previous !== null && (await headAt(client, previous.number))?.hash !== previous.hash) return null
  const again = await headAt(client, to)
  if (again === null || again.hash !== end.hash) return null
  blocks.set(to, { number: to, hash: end.hash })
  scan.blocks = [...blocks.values()].sort((a, b) => a.number - b.number)
  return scan
}
