/**
 * What must hold around every transaction, on both databases: inside one, statements go through the transaction and nothing else; news of what it
 * changed is told after its commit.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { Kysely, KyselyPlugin, Transaction, TransactionBuilder } from "kysely"
import { AfgError } from "../errors.ts"
import type { Database } from "./schema.ts"

/** Inside or outside a transaction. */
export type Connection = Kysely<Database> | Transaction<Database>

/** `owner`: the database whose transaction it is; another one may be used meanwhile. */
type Scope = { owner: object; open: boolean; changed: Set<string> }

type Tell = (jobIds: ReadonlySet<string>) => void

const scopes = new AsyncLocalStorage<Scope>()

/** By what a database and its transactions have in common. */
const tellers = new WeakMap<object, Tell>()

const ownerOf = (db: Connection): object => db.getExecutor().adapter

const openScope = (owner: object): Scope | null => {
  const scope = scopes.getStore()
  return scope?.open && scope.owner === owner ? scope : null
}

/** The embedded database has one session: a statement beside an open transaction, awaited inside it, would wait for itself for ever. */
const refuseNested = (owner: object): void => {
  if (openScope(owner) !== null)
    throw new AfgError("store-nested", "inside a transaction, use the transaction: the store itself would wait until it has ended")
}

const guard = (owner: object): KyselyPlugin => ({
  transformQuery: ({ node }) => {
    refuseNested(owner)
    return node
  },
  transformResult: async ({ result }) => result,
})

/** Tells that a job changed: at once, or when the transaction that changed it has been committed. */
export const noteChange = (db: Connection, jobIds: Iterable<string>): void => {
  const owner = ownerOf(db)
  const scope = openScope(owner)
  if (scope !== null) for (const jobId of jobIds) scope.changed.add(jobId)
  else tellers.get(owner)?.(new Set(jobIds))
}

const scoped = (builder: TransactionBuilder<Database>, owner: object, tell: Tell): TransactionBuilder<Database> =>
  new Proxy(builder, {
    get: (target, property) => {
      if (property === "setIsolationLevel")
        return (...args: Parameters<typeof target.setIsolationLevel>) => scoped(target.setIsolationLevel(...args), owner, tell)
      if (property === "setAccessMode")
        return (...args: Parameters<typeof target.setAccessMode>) => scoped(target.setAccessMode(...args), owner, tell)
      if (property !== "execute") return Reflect.get(target, property, target)
      return async <T>(work: (transaction: Transaction<Database>) => Promise<T>): Promise<T> => {
        refuseNested(owner)
        const scope: Scope = { owner, open: true, changed: new Set() }
        try {
          const result = await scopes.run(scope, () => target.execute(work))
          if (scope.changed.size > 0) tell(scope.changed)
          return result
        } finally {
          scope.open = false
        }
      }
    },
  })

/** The database with these rules. `tell` hears of jobs whose changes are committed. */
export const guarded = (plain: Kysely<Database>, tell: Tell): Kysely<Database> => {
  const owner = ownerOf(plain)
  tellers.set(owner, tell)
  const db = plain.withPlugin(guard(owner))
  // Transactions begin on the plain one: in them every statement is allowed.
  db.transaction = () => scoped(plain.transaction(), owner, tell)
  return db
}
