/** A Redis for the demonstration: the one at REDIS_URL, or a server of our own on a free port. */
import { mkdirSync } from "node:fs"
import { freePort } from "./chain.ts"
import { startProcess } from "./process.ts"

export type LocalRedis = { url: string; stop: () => Promise<void> }

/** Throws `process-failed` when there is no Redis to start: on Debian, `apt-get install redis-server` brings it. */
export const startRedis = async (directory: string, logFile: string): Promise<LocalRedis> => {
  const given = process.env.REDIS_URL
  if (given !== undefined && given !== "") return { url: given, stop: async () => undefined }
  mkdirSync(directory, { recursive: true })
  const port = await freePort()
  const server = await startProcess({
    name: "redis-server",
    command: "redis-server",
    args: ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--appendonly", "no", "--save", ""],
    logFile,
    ready: (line) => line.includes("Ready to accept connections"),
  })
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.stop() }
}
