/** The databases that the suites run on, each test with one of its own. */
import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { openStore, type Store } from "../../../orchestrator/store/index.ts"

export type TestStore = {
  dataDir: string
  databaseUrl: string | undefined
  /** Opens it; again after a close, or beside another one where the database allows it. */
  open: () => Promise<Store>
  /** Closes what is open and removes everything. */
  remove: () => Promise<void>
}

export type TestDatabase = {
  kind: Store["kind"]
  /** Why the suite cannot run on it; false when it can. */
  skip: string | false
  create: () => Promise<TestStore>
}

const serverUrl = process.env.TEST_DATABASE_URL

const onServer = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

const create = async (databaseUrl: string | undefined, drop: () => Promise<void>): Promise<TestStore> => {
  const dataDir = await mkdtemp(join(tmpdir(), "afg-store-"))
  const opened = new Set<Store>()
  return {
    dataDir,
    databaseUrl,
    open: async () => {
      const store = await openStore({ dataDir, databaseUrl })
      const close = async () => {
        opened.delete(store)
        await store.close()
      }
      const tracked = { ...store, close }
      opened.add(tracked)
      return tracked
    },
    remove: async () => {
      for (const store of opened) await store.close()
      await drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const createOnServer = async (): Promise<TestStore> => {
  if (serverUrl === undefined) throw new Error("TEST_DATABASE_URL is not set")
  const name = `afg_${randomUUID().replaceAll("-", "")}`
  await onServer(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return create(url.href, () => onServer(`drop database ${name} with (force)`))
}

export const DATABASES: readonly TestDatabase[] = [
  { kind: "pglite", skip: false, create: () => create(undefined, async () => undefined) },
  {
    kind: "postgres",
    skip: serverUrl === undefined && "TEST_DATABASE_URL is not set: `npm test` starts a PostgreSQL where it is installed",
    create: createOnServer,
  },
]
