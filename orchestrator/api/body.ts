/** Request bodies: bounded, read strictly, checked against a schema. */
import type { z } from "zod"
import { parseStrictJson, toPointer } from "../json/index.ts"
import type { ApiContext } from "./context.ts"
import { ApiError } from "./problem.ts"

/** Reads the body up to `limit` bytes. Throws `body_too_large` before reading more. */
export const readBody = async (c: ApiContext, limit: number): Promise<Uint8Array> => {
  const tooLarge = (): ApiError => new ApiError("body_too_large", `the limit is ${limit} bytes`)
  if (Number(c.req.header("content-length") ?? 0) > limit) throw tooLarge()
  const stream = c.req.raw.body
  if (stream === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream as ReadableStream<Uint8Array>) {
    size += chunk.length
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The body as strict JSON of that schema. An empty body is `{}`. Throws `json-…` or `body_invalid` with a pointer. */
export const jsonBody = <T>(c: ApiContext, schema: z.ZodType<T>): T => {
  const bytes = c.get("body")
  const parsed = schema.safeParse(bytes.length === 0 ? {} : parseStrictJson(bytes))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ApiError("body_invalid", issue?.message ?? "invalid", {
    path: toPointer((issue?.path ?? []).map((part) => (typeof part === "symbol" ? String(part) : part))),
  })
}
