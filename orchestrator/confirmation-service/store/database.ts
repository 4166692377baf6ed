/**
 * The service's own store: one SQLite file, through Node's own `node:sqlite` (`docs/decisions/0030-confirmation-store.md`).
 *
 * Every call is synchronous, so a transaction is a function and nothing can come between its statements. Commits are flushed
 * to the disk before they return. The command line opens the same file beside the running service; SQLite's lock orders them.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { AfgError } from "../../errors.ts"
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts"

export type Row = Readonly<Record<string, unknown>>

export type Database = {
  /** Runs one statement that changes something; answers how many rows it touched. */
  readonly run: (sql: string, values?: Readonly<Record<string, SQLInputValue>>) => number
  readonly get: (sql: string, values?: Readonly<Record<string, SQLInputValue>>) => Row | undefined
  readonly all: (sql: string, values?: Readonly<Record<string, SQLInputValue>>) => Row[]
  /** All of `work`, or nothing of it. Nested calls join the outer transaction. */
  readonly transaction: <T>(work: () => T) => T
  readonly close: () => void
}

const unusable = (message: string, cause?: unknown): AfgError => new AfgError("confirm-store-unusable", message, { cause })

/** A private directory and a private, existing file: SQLite gives its side files the same mode. */
const preparePrivateFile = (directory: string, name: string): string => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, name)
  closeSync(openSync(file, "a", 0o600))
  chmodSync(file, 0o600)
  return file
}

const wrap = (db: DatabaseSync): Database => {
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>()
  const prepared = (sql: string) => {
    const known = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, known)
    return known
  }
  let depth = 0
  const transaction = <T>(work: () => T): T => {
    if (depth > 0) return work()
    db.exec("BEGIN IMMEDIATE")
    depth += 1
    try {
      const result = work()
      db.exec("COMMIT")
      return result
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK")
      throw error
    } finally {
      depth -= 1
    }
  }
  return {
    run: (sql, values = {}) => Number(prepared(sql).run(values).changes),
    get: (sql, values = {}) => prepared(sql).get(values),
    all: (sql, values = {}) => prepared(sql).all(values),
    transaction,
    close: () => db.close(),
  }
}

const migrate = (database: Database, db: DatabaseSync): void =>
  database.transaction(() => {
    const version = Number(database.get("PRAGMA user_version")?.user_version ?? 0)
    if (version === SCHEMA_VERSION) return
    if (version !== 0) throw unusable(`the store is of version ${version}, this program knows ${SCHEMA_VERSION}`)
    db.exec(SCHEMA)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
  })

/** Opens (or makes) the store in `directory`. Throws `confirm-store-unusable`. */
export const openDatabase = (directory: string): Database => {
  try {
    const db = new DatabaseSync(preparePrivateFile(directory, "confirmations.sqlite"), { timeout: 5_000 })
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF")
    const database = wrap(db)
    migrate(database, db)
    return database
  } catch (cause) {
    if (cause instanceof AfgError) throw cause
    throw unusable(`cannot open the store in ${directory}: ${cause instanceof Error ? cause.message : cause}`, cause)
  }
}

/**
 * Holds the directory for one service process. The lock is a transaction that is never committed: the system ends it with
 * the process, however that dies. Throws `confirm-store-unusable` when another process holds it.
 */
export const lockDirectory = (directory: string): { release: () => void } => {
  const db = new DatabaseSync(preparePrivateFile(directory, "service.lock"), { timeout: 0 })
  try {
    db.exec("BEGIN EXCLUSIVE")
  } catch (cause) {
    db.close()
    throw unusable(`another confirmation service runs on ${directory}`, cause)
  }
  return { release: () => db.close() }
}
