/** Plain requests to a container engine's API on its Unix socket. */
import { type IncomingHttpHeaders, request } from "node:http"
import type { Readable } from "node:stream"
import { AfgError } from "../../errors.ts"

export type EngineResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }

export type EngineRequest = {
  method?: "GET" | "POST" | "PUT" | "DELETE"
  /** Sent as JSON, unless it is a stream. */
  body?: unknown
  /** Bytes of a tar archive. */
  stream?: Readable
  timeoutMs?: number
}

/** Throws `engine-unreachable` when nothing answers on the socket within the time. */
export const engineRequest = (socketPath: string, path: string, options: EngineRequest = {}): Promise<EngineResponse> =>
  new Promise((resolve, reject) => {
    const { method = "GET", body, stream, timeoutMs = 30_000 } = options
    const fail = (cause: unknown) =>
      reject(
        new AfgError(
          "engine-unreachable",
          `no container engine answers on ${socketPath}: ${cause instanceof Error ? cause.message : cause}`,
          {
            cause,
          },
        ),
      )
    const type = stream ? "application/x-tar" : "application/json"
    const call = request(
      { socketPath, path, method, headers: { host: "engine", "content-type": type }, signal: AbortSignal.timeout(timeoutMs) },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on("data", (chunk: Buffer) => chunks.push(chunk))
        answer.once("error", fail)
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }))
      },
    )
    call.once("error", fail)
    if (stream) {
      stream.once("error", (cause) => {
        call.destroy()
        fail(cause)
      })
      stream.pipe(call)
    } else call.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** The parsed answer; throws `engine-refused` with the engine's own words when it is not a success. */
export const engineJson = async (socketPath: string, path: string, options: EngineRequest = {}): Promise<unknown> => {
  const { status, body } = await engineRequest(socketPath, path, options)
  const text = body.toString("utf8")
  if (status >= 300) throw new AfgError("engine-refused", `${options.method ?? "GET"} ${path.split("?")[0]}: ${status} ${text.trim()}`)
  return text.trim() === "" ? undefined : JSON.parse(text)
}

/** Standard output and error of a container without a terminal, from the engine's framed stream. */
export const demultiplex = (framed: Buffer): { stdout: string; stderr: string } => {
  const parts: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  while (at + 8 <= framed.length) {
    const length = framed.readUInt32BE(at + 4)
    const chunk = framed.subarray(at + 8, at + 8 + length)
    parts[framed[at] === 2 ? 1 : 0].push(chunk)
    at += 8 + length
  }
  return { stdout: Buffer.concat(parts[0]).toString("utf8"), stderr: Buffer.concat(parts[1]).toString("utf8") }
}
