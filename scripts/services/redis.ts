/** A Redis that keeps nothing, for one test run. */
import { onFreePort, type Server, startServer, temporaryDirectory } from "./server.ts"

export const startRedis = (program: string): Promise<Server> =>
  onFreePort(async (port) => {
    const directory = temporaryDirectory("redis")
    const stop = await startServer({
      name: "redis-server",
      command: program,
      // BullMQ asks for noeviction; the tests that empty or restart a server do it on servers of their own.
      args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"],
      ready: /Ready to accept connections/,
      signal: "SIGTERM",
      directory,
    })
    return { url: `redis://127.0.0.1:${port}`, stop }
  })
