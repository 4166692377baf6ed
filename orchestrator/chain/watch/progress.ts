/** How far the watcher has read, durably, with the hashes by which it notices a reorganisation. */
import { sql } from "kysely"
import type { ChainEvent } from "../../state-machine/index.ts"
import { eventKey } from "../../state-machine/index.ts"
import { appendEvents, type Connection, findJobByRef, orphanFrom, type StoredJob } from "../../store/index.ts"
import type { Hex } from "../../types.ts"
import type { BlockRef, PlacedFact, Scan } from "./scan.ts"

/** Hashes are kept for this many blocks behind the cursor; a deeper reorganisation is read again from the start. */
const BLOCKS_KEPT = 4_096

export type Progress = {
  /** First block not read yet. */
  next: number
  /** The newest block read whose hash is known. */
  newest: BlockRef | null
}

const toBlockRef = ({ number, hash }: { number: string | number | bigint; hash: string }): BlockRef => ({
  number: Number(number),
  hash: hash as Hex,
})

/** Null: nothing was read yet. */
export const readProgress = async (db: Connection, chainId: number): Promise<Progress | null> => {
  const cursor = await db.selectFrom("afg.chain_cursor").select("next_block").where("chain_id", "=", chainId).executeTakeFirst()
  if (cursor === undefined) return null
  const newest = await db
    .selectFrom("afg.chain_blocks")
    .select(["number", "hash"])
    .where("chain_id", "=", chainId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst()
  return { next: Number(cursor.next_block), newest: newest === undefined ? null : toBlockRef(newest) }
}

/** All blocks read whose hashes are known, oldest first. */
export const knownBlocks = async (db: Connection, chainId: number): Promise<BlockRef[]> => {
  const rows = await db
    .selectFrom("afg.chain_blocks")
    .select(["number", "hash"])
    .where("chain_id", "=", chainId)
    .orderBy("number")
    .execute()
  return rows.map(toBlockRef)
}

const moveCursor = async (db: Connection, chainId: number, next: number): Promise<void> => {
  await db
    .insertInto("afg.chain_cursor")
    .values({ chain_id: chainId, next_block: next })
    .onConflict((conflict) => conflict.column("chain_id").doUpdateSet({ next_block: next }))
    .execute()
}

const keepBlocks = async (db: Connection, chainId: number, blocks: readonly BlockRef[], next: number): Promise<void> => {
  await db
    .insertInto("afg.chain_blocks")
    .values(blocks.map(({ number, hash }) => ({ chain_id: chainId, number, hash })))
    .onConflict((conflict) => conflict.columns(["chain_id", "number"]).doUpdateSet(({ ref }) => ({ hash: ref("excluded.hash") })))
    .execute()
  await db
    .deleteFrom("afg.chain_blocks")
    .where("chain_id", "=", chainId)
    .where("number", "<", next - BLOCKS_KEPT)
    .execute()
}

const keepUnclaimed = async (db: Connection, chainId: number, facts: readonly PlacedFact[]): Promise<void> => {
  if (facts.length === 0) return
  await db
    .insertInto("afg.chain_unclaimed")
    .values(
      facts.map(({ ref, termsHash, event }) => ({
        chain_id: chainId,
        rail_ref: ref,
        event_key: eventKey(event),
        block_number: event.position.block,
        terms_hash: termsHash,
        body: JSON.stringify(event),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const byRef = (facts: readonly PlacedFact[]): Map<Hex, PlacedFact[]> => Map.groupBy(facts, ({ ref }) => ref)

/** Facts of other Terms on the same reference are not this job's. */
const ofJob = (job: StoredJob, facts: readonly PlacedFact[]): { own: ChainEvent[]; foreign: PlacedFact[] } => {
  const isOwn = ({ termsHash }: PlacedFact) => termsHash === null || termsHash.toLowerCase() === job.termsHash.toLowerCase()
  return { own: facts.filter(isOwn).map(({ event }) => event), foreign: facts.filter((fact) => !isOwn(fact)) }
}

export type Recorded = { /** With new events. */ jobs: string[] /** Named a job's reference with other Terms. */; foreign: PlacedFact[] }

const give = async (db: Connection, job: StoredJob, facts: readonly PlacedFact[], to: Recorded): Promise<void> => {
  const { own, foreign } = ofJob(job, facts)
  const fresh = await appendEvents(db, job.jobId, own)
  if (fresh.length > 0) to.jobs.push(job.jobId)
  to.foreign.push(...foreign)
}

/** Records what was read and moves the cursor behind it, all or nothing. */
export const record = (db: Connection, chainId: number, scan: Scan, next: number): Promise<Recorded> =>
  db.transaction().execute(async (transaction) => {
    const recorded: Recorded = { jobs: [], foreign: [] }
    for (const [ref, facts] of byRef(scan.facts)) {
      const job = await findJobByRef(transaction, ref)
      if (job === null) await keepUnclaimed(transaction, chainId, facts)
      else await give(transaction, job, facts, recorded)
    }
    await keepBlocks(transaction, chainId, scan.blocks, next)
    await moveCursor(transaction, chainId, next)
    return recorded
  })

const inChainOrder = ({ event: { position: a } }: PlacedFact, { event: { position: b } }: PlacedFact): number =>
  a.block - b.block || a.logIndex - b.logIndex

/** Gives facts that were read before their job was posted to that job. */
export const claim = async (db: Connection, chainId: number): Promise<Recorded> => {
  const recorded: Recorded = { jobs: [], foreign: [] }
  const { rows } = await sql<{ rail_ref: string }>`
    select distinct unclaimed.rail_ref from afg.chain_unclaimed as unclaimed
    join afg.jobs as jobs on jobs.rail_ref = unclaimed.rail_ref where unclaimed.chain_id = ${chainId}`.execute(db)
  for (const { rail_ref } of rows) {
    await db.transaction().execute(async (transaction) => {
      const job = await findJobByRef(transaction, rail_ref)
      if (job === null) return
      const taken = await transaction
        .deleteFrom("afg.chain_unclaimed")
        .where("chain_id", "=", chainId)
        .where("rail_ref", "=", rail_ref)
        .returning(["terms_hash", "body"])
        .execute()
      const facts = taken.map((row) => ({
        ref: rail_ref as Hex,
        termsHash: row.terms_hash as Hex | null,
        event: JSON.parse(row.body) as ChainEvent,
      }))
      await give(transaction, job, facts.sort(inChainOrder), recorded)
    })
  }
  return recorded
}

/** Forgets everything from `from` on: those blocks are not on the chain any more. Answers the jobs that lost events. */
export const rewind = (db: Connection, chainId: number, from: number): Promise<string[]> =>
  db.transaction().execute(async (transaction) => {
    const jobs = await orphanFrom(transaction, from)
    await transaction.deleteFrom("afg.chain_unclaimed").where("chain_id", "=", chainId).where("block_number", ">=", from).execute()
    await transaction.deleteFrom("afg.chain_blocks").where("chain_id", "=", chainId).where("number", ">=", from).execute()
    await moveCursor(transaction, chainId, from)
    return jobs
  })
