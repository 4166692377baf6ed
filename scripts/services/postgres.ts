/** A PostgreSQL on a data directory of its own, for one test run. */
import { randomBytes } from "node:crypto"
import { chownSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { PostgresPrograms } from "../../orchestrator/cli/doctor/servers.ts"
import { spawnQuiet } from "../setup/spawn.mjs"
import { onFreePort, type Server, startServer, temporaryDirectory } from "./server.ts"

/** The user that Debian's package makes, or else nobody: PostgreSQL refuses to run as root. */
const unprivileged = (): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync("/etc/passwd", "utf8").split("\n")
  const line = ["postgres", "nobody"].map((name) => users.find((user) => user.startsWith(`${name}:`))).find((user) => user !== undefined)
  const [, , uid, gid] = line?.split(":") ?? []
  if (uid === undefined || gid === undefined) throw new Error("there is no user `postgres` or `nobody` to run PostgreSQL as")
  return { uid: Number(uid), gid: Number(gid) }
}

/** The template cluster is made once; tests need no durability across power cuts, so nothing is synced. */
const initialise = async (programs: PostgresPrograms, directory: string, password: string, identity: ReturnType<typeof unprivileged>) => {
  const passwordFile = join(directory, "password")
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (identity) for (const path of [directory, passwordFile]) chownSync(path, identity.uid, identity.gid)
  const data = join(directory, "data")
  const args = ["-D", data, "-U", "afg", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8", "--locale=C", "--no-sync"]
  await spawnQuiet(programs.initdb, args, { cwd: directory, ...identity })
  return data
}

export const startPostgres = async (programs: PostgresPrograms): Promise<Server> => {
  const identity = unprivileged()
  return onFreePort(async (port) => {
    const directory = temporaryDirectory("postgres")
    const password = randomBytes(16).toString("hex")
    try {
      const data = await initialise(programs, directory, password, identity)
      const settings = {
        listen_addresses: "127.0.0.1",
        port,
        unix_socket_directories: "",
        fsync: "off",
        full_page_writes: "off",
        max_connections: 200,
      }
      const stop = await startServer({
        name: "postgres",
        command: programs.postgres,
        args: ["-D", data, ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`])],
        identity,
        ready: /database system is ready to accept connections/,
        signal: "SIGINT",
        directory,
      })
      return { url: `postgres://afg:${password}@127.0.0.1:${port}/postgres`, stop }
    } catch (error) {
      rmSync(directory, { recursive: true, force: true })
      throw error
    }
  })
}
