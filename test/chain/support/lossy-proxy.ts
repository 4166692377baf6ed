/** A proxy before a node that carries requests to it, and loses replies on order. */
import { createServer, request } from "node:http"

export type LossyProxy = {
  url: string
  /** Loses the reply to the next request of this method: the node gets it, the client gets a broken connection. */
  loseReplyOf: (method: string) => void
  /** How often the node was asked this. */
  count: (method: string) => number
  /** Params of every such request. */
  asked: (method: string) => unknown[]
  close: () => Promise<void>
}

export const startLossyProxy = async (target: string): Promise<LossyProxy> => {
  let losing: string | null = null
  const seen: { method: string; params: unknown }[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const body = Buffer.concat(chunks)
      const { method, params } = JSON.parse(body.toString()) as { method: string; params: unknown }
      seen.push({ method, params })
      const lose = losing === method
      if (lose) losing = null
      const onward = request(target, { method: "POST", headers: { "content-type": "application/json" } }, (answer) => {
        const parts: Buffer[] = []
        answer.on("data", (chunk: Buffer) => parts.push(chunk))
        answer.on("end", () => {
          if (lose) return incoming.socket.destroy()
          outgoing.writeHead(answer.statusCode ?? 502, { "content-type": "application/json" })
          outgoing.end(Buffer.concat(parts))
        })
      })
      onward.on("error", () => incoming.socket.destroy())
      onward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no address")
  return {
    url: `http://127.0.0.1:${address.port}`,
    loseReplyOf: (method) => {
      losing = method
    },
    count: (method) => seen.filter((one) => one.method === method).length,
    asked: (method) => seen.filter((one) => one.method === method).map(({ params }) => params),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
