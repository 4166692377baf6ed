/** A container's output as it comes, over the connection that the engine hands over before the container starts. */
import { request } from "node:http"
import type { Socket } from "node:net"
import { AfgError } from "../../errors.ts"

export type OutputPart = { stream: "stdout" | "stderr"; bytes: Buffer }

export type Attachment = {
  /** Resolves when the container's output has ended. */
  ended: Promise<void>
  close: () => void
}

const HEADER_BYTES = 8
const STDERR = 2

/** Splits the engine's framed stream: 1 byte stream, 3 zero, 4 length (big-endian), then the bytes. */
export const frameSplitter = (onPart: (part: OutputPart) => void): ((chunk: Buffer) => void) => {
  let header = Buffer.alloc(0)
  let left = 0
  let stream: OutputPart["stream"] = "stdout"
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (left === 0) {
        const part = chunk.subarray(at, at + HEADER_BYTES - header.length)
        header = Buffer.concat([header, part])
        at += part.length
        if (header.length < HEADER_BYTES) return
        stream = header[0] === STDERR ? "stderr" : "stdout"
        left = header.readUInt32BE(4)
        header = Buffer.alloc(0)
        continue
      }
      const bytes = chunk.subarray(at, at + left)
      at += bytes.length
      left -= bytes.length
      onPart({ stream, bytes })
    }
  }
}

/** Attaches to a created container. Throws `engine-refused` or `engine-unreachable`. */
export const attach = (socketPath: string, path: string, onPart: (part: OutputPart) => void): Promise<Attachment> =>
  new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method: "POST", headers: { host: "engine", connection: "Upgrade", upgrade: "tcp" } })
    const take = (socket: Socket, head: Buffer) => {
      const split = frameSplitter(onPart)
      const ended = new Promise<void>((done) => {
        socket.once("close", () => done())
        socket.once("end", () => done())
      })
      socket.on("error", () => socket.destroy())
      if (head.length > 0) split(head)
      socket.on("data", split)
      resolve({ ended, close: () => socket.destroy() })
    }
    call.once("upgrade", (_, socket, head) => take(socket as Socket, head))
    call.once("response", (answer) => {
      // Engines that do not upgrade send the same frames as the body of a 200.
      if (answer.statusCode === 200) return take(answer.socket as Socket, Buffer.alloc(0))
      answer.resume()
      reject(new AfgError("engine-refused", `attaching to the container: ${answer.statusCode}`))
    })
    call.once("error", (cause) => reject(new AfgError("engine-unreachable", `attaching to the container: ${cause.message}`, { cause })))
    call.end()
  })
