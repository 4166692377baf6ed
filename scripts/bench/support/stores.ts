/** The databases that benchmarks run on: empty ones, removed afterwards. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findPostgres } from "../../../orchestrator/cli/doctor/servers.ts"
import { openStore, type Store } from "../../../orchestrator/store/index.ts"
import { startPostgres } from "../../services/postgres.ts"

export type BenchRow = { what: string; ours: number; baseline: number; ratio: number; goal: number; ok: boolean }

export type StoreKind = Store["kind"]

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The value that all but one in a hundred do not exceed. */
export const p99 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0

const onStore = async <T>(databaseUrl: string | undefined, measure: (store: Store) => Promise<T>): Promise<T> => {
  const dataDir = await mkdtemp(join(tmpdir(), "afg-bench-"))
  try {
    const store = await openStore({ dataDir, databaseUrl })
    return await measure(store).finally(() => store.close())
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

const onServer = async <T>(measure: (store: Store) => Promise<T>): Promise<T | null> => {
  const programs = findPostgres()
  if (programs === null) return null
  const server = await startPostgres(programs)
  return onStore(server.url, measure).finally(server.stop)
}

/** Measures on every kind asked for (default: all); leaves out PostgreSQL where it is not installed. */
export const onStores = async <T>(
  kinds: readonly StoreKind[] = ["pglite", "postgres"],
  measure: (store: Store) => Promise<T>,
): Promise<T[]> => {
  const results: T[] = []
  for (const kind of kinds) {
    const result = kind === "pglite" ? await onStore(undefined, measure) : await onServer(measure)
    if (result !== null) results.push(result)
  }
  return results
}
