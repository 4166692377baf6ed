/**
 * One process per data directory. The lock is a Unix socket that its holder listens on: it cannot be stale, because a dead process
 * answers no connection, whatever killed it.
 */
import { createHash } from "node:crypto"
import { mkdirSync, realpathSync, rmSync } from "node:fs"
import { createConnection, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AfgError } from "../errors.ts"

export type DirectoryLock = { release: () => Promise<void> }

/**
 * Named by the directory's hash, because socket paths are short-limited and directories are not. Linux has a namespace of sockets without
 * files, which vanish with their process; elsewhere the file may outlive it.
 */
const socketPath = (directory: string): string => {
  const name = `afg-${createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 24)}`
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.lock`)
}

const listen = (path: string): Promise<Server | null> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end(`${process.pid}\n`))
    server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(null) : reject(error)))
    server.listen(path, () => {
      server.unref()
      resolve(server)
    })
  })

/** The holder's pid, or null when nobody answers. */
const askHolder = (path: string): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = createConnection(path)
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.once("error", () => resolve(null))
    socket.once("close", () => resolve(text === "" ? null : text.trim()))
  })

/** Takes the directory for this process. Throws `store-in-use`, naming the process that has it. */
export const lockDirectory = async (directory: string): Promise<DirectoryLock> => {
  mkdirSync(directory, { recursive: true })
  const path = socketPath(directory)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const server = await listen(path)
    if (server !== null) {
      return {
        release: () =>
          new Promise((resolve) => {
            server.close(() => resolve())
          }),
      }
    }
    const holder = await askHolder(path)
    if (holder !== null) throw new AfgError("store-in-use", `process ${holder} has ${directory} open`, { details: { pid: holder } })
    // A file outlived its process; whoever binds first after this has the lock.
    if (!path.startsWith("\0")) rmSync(path, { force: true })
  }
  throw new AfgError("store-in-use", `another process is opening ${directory}`)
}
