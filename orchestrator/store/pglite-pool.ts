/**
 * PGlite in the shape of a `pg` pool, for both who use one: Kysely's PostgreSQL dialect and BullMQ's PostgreSQL backend.
 *
 * PGlite has one session. A client's transaction runs inside `db.transaction()`, whose lock keeps every other client's
 * statement out until it ends; LISTEN maps to `db.listen`.
 */
import { EventEmitter } from "node:events"
import { setImmediate as yieldToLoop } from "node:timers/promises"
import type { PGlite, Transaction } from "@electric-sql/pglite"

export type PoolResult = { rows: Record<string, unknown>[]; rowCount: number; command: string }

type Runner = Pick<PGlite | Transaction, "query" | "exec">

/** PGlite answers in microtasks: unless someone lets the event loop turn, timers and sockets starve. */
const TURN_AFTER_MS = 4

const commandOf = (text: string): string => /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? ""

const channelOf = (text: string): string =>
  text
    .replace(/^\s*(un)?listen\s+/i, "")
    .replace(/[;\s]+$/, "")
    .replace(/^"(.*)"$/, "$1")

type OpenTransaction = { runner: Transaction; finish: (how: "commit" | "rollback") => Promise<void>; failed: boolean }

const beginOn = async (db: PGlite): Promise<OpenTransaction> => {
  const started = Promise.withResolvers<Transaction>()
  const end = Promise.withResolvers<"commit" | "rollback">()
  const closed = db.transaction(async (transaction) => {
    started.resolve(transaction)
    if ((await end.promise) === "rollback") await transaction.rollback()
  })
  closed.catch(started.reject)
  return {
    runner: await started.promise,
    failed: false,
    finish: async (how) => {
      end.resolve(how)
      await closed
    },
  }
}

class PGliteClient extends EventEmitter {
  readonly #db: PGlite
  readonly #turn: () => Promise<void>
  readonly #unlisten = new Map<string, () => Promise<void>>()
  #transaction: OpenTransaction | null = null

  constructor(db: PGlite, turn: () => Promise<void>) {
    super()
    this.#db = db
    this.#turn = turn
  }

  async query(statement: string | { text: string; values?: unknown[] }, parameters?: readonly unknown[]): Promise<PoolResult> {
    const text = typeof statement === "string" ? statement : statement.text
    const values = typeof statement === "string" ? parameters : statement.values
    const result = await this.#dispatch(text, values ?? [])
    await this.#turn()
    return result
  }

  release(): void {
    for (const stop of this.#unlisten.values()) void stop()
    this.#unlisten.clear()
    // A client given back in mid-transaction must not keep everyone else out.
    const open = this.#transaction
    this.#transaction = null
    if (open !== null) void open.finish("rollback")
  }

  async #dispatch(text: string, values: readonly unknown[]): Promise<PoolResult> {
    const command = commandOf(text)
    switch (command) {
      case "BEGIN":
      case "START":
        this.#transaction ??= await beginOn(this.#db)
        return { rows: [], rowCount: 0, command }
      case "COMMIT":
      case "END":
        return this.#finish("commit")
      case "ROLLBACK":
        if (!/^\s*rollback\s*(transaction|work)?\s*;?\s*$/i.test(text)) return this.#run(command, text, values)
        return this.#finish("rollback")
      case "LISTEN":
        return this.#listen(channelOf(text))
      case "UNLISTEN":
        return this.#stopListening(channelOf(text))
      default:
        return this.#run(command, text, values)
    }
  }

  async #run(command: string, text: string, values: readonly unknown[]): Promise<PoolResult> {
    const open = this.#transaction
    const runner: Runner = open?.runner ?? this.#db
    try {
      // Only the simple protocol takes several statements at once, and only it has no parameters.
      if (values.length === 0 && text.includes(";")) {
        const results = await runner.exec(text)
        const last = results.at(-1)
        return { rows: (last?.rows ?? []) as Record<string, unknown>[], rowCount: last?.affectedRows ?? last?.rows.length ?? 0, command }
      }
      const result = await runner.query<Record<string, unknown>>(text, [...values])
      return { rows: result.rows, rowCount: result.affectedRows || result.rows.length, command }
    } catch (error) {
      if (open !== null) open.failed = true
      throw error
    }
  }

  async #finish(how: "commit" | "rollback"): Promise<PoolResult> {
    const open = this.#transaction
    this.#transaction = null
    if (open === null) return { rows: [], rowCount: 0, command: how.toUpperCase() }
    const actual = open.failed ? "rollback" : how
    await open.finish(actual)
    return { rows: [], rowCount: 0, command: actual.toUpperCase() }
  }

  async #listen(channel: string): Promise<PoolResult> {
    if (!this.#unlisten.has(channel)) {
      const stop = await this.#db.listen(channel, (payload) => this.emit("notification", { channel, payload }))
      this.#unlisten.set(channel, () => stop())
    }
    return { rows: [], rowCount: 0, command: "LISTEN" }
  }

  async #stopListening(channel: string): Promise<PoolResult> {
    const channels = channel === "*" ? [...this.#unlisten.keys()] : [channel]
    for (const name of channels) {
      await this.#unlisten.get(name)?.()
      this.#unlisten.delete(name)
    }
    return { rows: [], rowCount: 0, command: "UNLISTEN" }
  }
}

/** `end` leaves the database open: whoever opened it closes it. */
export class PGlitePool extends EventEmitter {
  /** What the two libraries look for on a real pool. */
  readonly options = { keepAlive: true }
  readonly #db: PGlite
  #turnedAt = performance.now()

  constructor(db: PGlite) {
    super()
    this.#db = db
  }

  async connect(): Promise<PGliteClient> {
    return new PGliteClient(this.#db, () => this.#turn())
  }

  async query(statement: string | { text: string; values?: unknown[] }, parameters?: readonly unknown[]): Promise<PoolResult> {
    const client = await this.connect()
    return client.query(statement, parameters)
  }

  async end(): Promise<void> {}

  async #turn(): Promise<void> {
    if (performance.now() - this.#turnedAt < TURN_AFTER_MS) return
    await yieldToLoop()
    this.#turnedAt = performance.now()
  }
}
