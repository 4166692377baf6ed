/** Where the programs of the servers that tests start are on this host. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { findProgram } from "../../verifier-runner/host/programs.ts"

export type PostgresPrograms = { initdb: string; postgres: string }

export const findRedis = (): string | null => findProgram("redis-server") ?? findProgram("valkey-server")

/** Debian keeps PostgreSQL's programs out of PATH, by major version; the newest is taken. */
export const findPostgres = (): PostgresPrograms | null => {
  const base = "/usr/lib/postgresql"
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : []
  for (const directory of versions.map((version) => join(base, version, "bin"))) {
    const programs = { initdb: join(directory, "initdb"), postgres: join(directory, "postgres") }
    if (existsSync(programs.initdb) && existsSync(programs.postgres)) return programs
  }
  const initdb = findProgram("initdb")
  const postgres = findProgram("postgres")
  return initdb && postgres ? { initdb, postgres } : null
}
