/** `GET /openapi.json`: OpenAPI 3.1 with every route in it, and `x-aacp` where money moves (AACP §10). */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { readAnnotation } from "../../orchestrator/aacp/index.ts"
import { createApp } from "../../orchestrator/api/app.ts"
import type { ApiServices } from "../../orchestrator/api/context.ts"
import { fundAnnotation } from "../../orchestrator/contract/fund-action.ts"
import { type JsonValue, valueAt } from "../../orchestrator/json/index.ts"
import { type QuietApi, send, startQuietApi } from "./support/quiet.ts"

type Operation = {
  summary?: string
  parameters?: { in: string; name: string; required?: boolean }[]
  responses?: Record<string, unknown>
  "x-aacp"?: unknown
}
type Document = { openapi: string; info: object; paths: Record<string, Record<string, Operation>>; components: object }

/** Every `$ref` in the document. */
const refsIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return []
  const own = "$ref" in value && typeof value.$ref === "string" ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(refsIn)]
}

describe("the OpenAPI document", () => {
  let api: QuietApi
  let document: Document
  before(async () => {
    api = await startQuietApi()
    document = (await send(api.origin, { method: "GET", path: "/openapi.json", role: null })).json as unknown as Document
  })
  after(async () => {
    await api.stop()
  })

  it("is of version 3.1 and refers to nothing that is not in it", () => {
    assert.match(document.openapi, /^3\.1\.\d$/)
    const refs = refsIn(document)
    assert.ok(refs.length > 10)
    for (const ref of refs) {
      assert.ok(ref.startsWith("#/components/schemas/"), ref)
      assert.notEqual(valueAt(document as unknown as JsonValue, ref.slice(1)), undefined, ref)
    }
  })

  it("has exactly the routes that there are, each with its path parameters and an answer", () => {
    // Routes are registered before anything of the services is used.
    const services = { limits: { submissionsPerMinute: 6 } } as ApiServices
    const registered = createApp(services)
      .routes.filter(({ path }) => path !== "/*")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:([a-z]+)/g, "{$1}")}`)
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.deepEqual(described.sort(), [...new Set(registered)].sort())
    for (const [path, item] of Object.entries(document.paths))
      for (const operation of Object.values(item)) {
        const named = (operation.parameters ?? []).filter((parameter) => parameter.in === "path").map(({ name }) => name)
        assert.deepEqual(
          named,
          [...path.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name),
          path,
        )
        assert.ok(Object.keys(operation.responses ?? {}).some((status) => status.startsWith("2")))
        assert.ok((operation.summary ?? "").length > 0)
      }
  })

  it("marks funding, and funding alone, as what a human confirms", () => {
    const marked = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).flatMap((operation) => (operation["x-aacp"] === undefined ? [] : [[path, operation["x-aacp"]] as const])),
    )
    assert.deepEqual(
      marked.map(([path]) => path),
      ["/v1/jobs/{id}/fund"],
    )
    const [, annotation] = marked[0] ?? []
    assert.deepEqual(readAnnotation(annotation), fundAnnotation(api.origin))
  })

  it("names the signature's headers as needed where a signature is", () => {
    const parameters = document.paths["/v1/jobs"]?.post?.parameters ?? []
    const needed = parameters.filter(({ required }) => required).map(({ name }) => name)
    assert.deepEqual(needed.sort(), ["AFG-Address", "AFG-Nonce", "AFG-Signature", "AFG-Timestamp"])
  })
})
