/** Migrations in order. Append only: what is released is never edited. */
import type { Kysely } from "kysely"
import { up as tables } from "./0001-tables.ts"
import { up as chain } from "./0002-chain.ts"
import { up as appendEvents } from "./0003-append-events.ts"

export type Migration = { name: string; up: (db: Kysely<unknown>) => Promise<void> }

export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-tables", up: tables },
  { name: "0002-chain", up: chain },
  { name: "0003-append-events", up: appendEvents },
]
