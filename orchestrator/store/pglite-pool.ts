/**
 * PGlite in the shape of a `pg` pool, for both who use one: Kysely's PostgreSQL dialect and BullMQ's PostgreSQL backend.
 *
 * PGlite has one session. Clients take turns at it: for one statement, or from BEGIN to the transaction's end. LISTEN maps to `db.listen`.
 */
import { EventEmitter } from "node:events"
import type { PGlite, Transaction } from "@electric-sql/pglite"
import { createTurns, type Turns } from "./turns.ts"

export type PoolResult = { rows: Record<string, unknown>[]; rowCount: number; command: string }

type Statement = string | { text: string; values?: unknown[] }

/** SQLSTATE of a COMMIT that could only roll back; `pg` answers it with the command ROLLBACK. */
const IN_FAILED_TRANSACTION = "25P02"

/** Blanks and comments that a statement may begin with. */
const PREAMBLE = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/

const commandOf = (statement: string): string => /^[a-z]+/i.exec(statement)?.[0].toUpperCase() ?? ""

const channelOf = (statement: string): string =>
  statement
    .replace(/^(un)?listen\s+/i, "")
    .replace(/[;\s]+$/, "")
    .replace(/^"(.*)"$/, "$1")

const isFailedCommit = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === IN_FAILED_TRANSACTION

type OpenTransaction = { runner: Transaction; end: (how: "COMMIT" | "ROLLBACK") => Promise<"COMMIT" | "ROLLBACK"> }

const beginOn = async (db: PGlite, done: () => void): Promise<OpenTransaction> => {
  const started = Promise.withResolvers<Transaction>()
  const ending = Promise.withResolvers<"COMMIT" | "ROLLBACK">()
  const closed = db.transaction(async (transaction) => {
    started.resolve(transaction)
    const how = await ending.promise
    if (how === "ROLLBACK") await transaction.rollback()
    return how
  })
  closed.catch(started.reject).finally(done)
  return {
    runner: await started.promise,
    end: async (how) => {
      ending.resolve(how)
      try {
        return await closed
      } catch (error) {
        if (isFailedCommit(error)) return "ROLLBACK"
        throw error
      }
    },
  }
}

class PGliteClient extends EventEmitter {
  readonly #db: PGlite
  readonly #turns: Turns
  readonly #unlisten = new Map<string, () => Promise<void>>()
  #transaction: OpenTransaction | null = null

  constructor(db: PGlite, turns: Turns) {
    super()
    this.#db = db
    this.#turns = turns
  }

  async query(statement: Statement, parameters?: readonly unknown[]): Promise<PoolResult> {
    const text = (typeof statement === "string" ? statement : statement.text).replace(PREAMBLE, "")
    const values = typeof statement === "string" ? parameters : statement.values
    return this.#dispatch(text, values ?? [])
  }

  /** Gives the client back. What it left open is ended: a forgotten transaction would keep everyone else out. */
  release(): void {
    const swallow = (error: unknown) => this.emit("error", error)
    if (this.listenerCount("error") === 0) this.on("error", () => undefined)
    for (const stop of this.#unlisten.values()) stop().catch(swallow)
    this.#unlisten.clear()
    const open = this.#transaction
    this.#transaction = null
    open?.end("ROLLBACK").catch(swallow)
  }

  async #dispatch(text: string, values: readonly unknown[]): Promise<PoolResult> {
    const command = commandOf(text)
    switch (command) {
      case "BEGIN":
      case "START":
        this.#transaction ??= await beginOn(this.#db, await this.#turns.take())
        return { rows: [], rowCount: 0, command }
      case "COMMIT":
      case "END":
        return this.#end("COMMIT")
      case "ROLLBACK":
        if (!/^rollback\s*(transaction|work)?\s*;?\s*$/i.test(text)) return this.#run(command, text, values)
        return this.#end("ROLLBACK")
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
    if (open === null) return this.#turns.during(() => this.#execute(this.#db, command, text, values))
    await this.#turns.breathe()
    return this.#execute(open.runner, command, text, values)
  }

  async #execute(runner: Pick<PGlite, "query" | "exec">, command: string, text: string, values: readonly unknown[]): Promise<PoolResult> {
    // Only the simple protocol takes several statements at once, and only it has no parameters.
    if (values.length === 0 && text.includes(";")) {
      const last = (await runner.exec(text)).at(-1)
      return { rows: (last?.rows ?? []) as Record<string, unknown>[], rowCount: last?.affectedRows || last?.rows.length || 0, command }
    }
    const result = await runner.query<Record<string, unknown>>(text, [...values])
    return { rows: result.rows, rowCount: result.affectedRows || result.rows.length, command }
  }

  async #end(how: "COMMIT" | "ROLLBACK"): Promise<PoolResult> {
    const open = this.#transaction
    this.#transaction = null
    return { rows: [], rowCount: 0, command: open === null ? how : await open.end(how) }
  }

  async #listen(channel: string): Promise<PoolResult> {
    if (!this.#unlisten.has(channel)) {
      const hear = (payload: string) => this.emit("notification", { channel, payload })
      const stop = await this.#turns.during(() => this.#db.listen(channel, hear))
      this.#unlisten.set(channel, () => this.#turns.during(() => stop()))
    }
    return { rows: [], rowCount: 0, command: "LISTEN" }
  }

  async #stopListening(channel: string): Promise<PoolResult> {
    const channels = channel === "*" ? [...this.#unlisten.keys()] : [channel]
    for (const name of channels) {
      const stop = this.#unlisten.get(name)
      this.#unlisten.delete(name)
      await stop?.()
    }
    return { rows: [], rowCount: 0, command: "UNLISTEN" }
  }
}

/** `end` leaves the database open: whoever opened it closes it. */
export class PGlitePool extends EventEmitter {
  /** What the two libraries look for on a real pool. */
  readonly options = { keepAlive: true }
  readonly #db: PGlite
  readonly #turns = createTurns()
  #uses = 0

  constructor(db: PGlite) {
    super()
    this.#db = db
    // Every queue and worker listens for errors of the pool that they share; there is no leak.
    this.setMaxListeners(0)
  }

  /** How often it was used: once for each statement outside a transaction, once for each transaction. */
  get uses(): number {
    return this.#uses
  }

  async connect(): Promise<PGliteClient> {
    this.#uses += 1
    return new PGliteClient(this.#db, this.#turns)
  }

  async query(statement: Statement, parameters?: readonly unknown[]): Promise<PoolResult> {
    const client = await this.connect()
    return client.query(statement, parameters)
  }

  async end(): Promise<void> {}
}
