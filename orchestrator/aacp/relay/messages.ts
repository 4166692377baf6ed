/**
 * Requests and answers inside agents' messages (AACP variant B): as an A2A data part, and as an MCP embedded resource. The content is
 * carried as it is; whoever relays it has nothing to decide and nothing to change.
 */
import { AfgError } from "../../errors.ts"
import { canonicalText, isJsonObject, type JsonObject, parseJson } from "../json.ts"
import { MEDIA_TYPES } from "../media-types.ts"
import { type ConfirmationRequest, parseRequest, readRequest } from "../request.ts"
import { type ConfirmationStatus, parseStatus, readStatus } from "../status.ts"

export type Relayed =
  | { readonly kind: "request"; readonly request: ConfirmationRequest }
  | { readonly kind: "evidence"; readonly requestId: string; readonly evidence: string }
  | { readonly kind: "status"; readonly status: ConfirmationStatus }

/** Part of an A2A message. */
export type A2aPart = { readonly kind: "data"; readonly data: JsonObject; readonly metadata: { readonly mediaType: string } }

/** Content block of an MCP tool call or result. */
export type McpContent = {
  readonly type: "resource"
  readonly resource: { readonly uri: string; readonly mimeType: string; readonly text: string }
}

const refuse = (message: string): AfgError => new AfgError("aacp-request-malformed", message, { path: "" })

const idOf = (content: Relayed): string => {
  if (content.kind === "evidence") return content.requestId
  return content.kind === "request" ? content.request["request-id"] : content.status["request-id"]
}

export const toA2aPart = (content: Relayed): A2aPart => {
  const metadata = { mediaType: MEDIA_TYPES[content.kind] }
  if (content.kind === "evidence") return { kind: "data", data: { "request-id": content.requestId, evidence: content.evidence }, metadata }
  const object = content.kind === "request" ? content.request : content.status
  return { kind: "data", data: object as unknown as JsonObject, metadata }
}

/** Throws `aacp-request-malformed` or `aacp-status-malformed` for parts that carry nothing of this protocol. */
export const fromA2aPart = (part: unknown): Relayed => {
  const value = isJsonObject(part) ? part : {}
  const mediaType = isJsonObject(value.metadata) ? value.metadata.mediaType : undefined
  const data = value.kind === "data" && isJsonObject(value.data) ? value.data : {}
  if (mediaType === MEDIA_TYPES.request) return { kind: "request", request: readRequest(data) }
  if (mediaType === MEDIA_TYPES.status) return { kind: "status", status: readStatus(data) }
  const { "request-id": requestId, evidence } = data
  if (mediaType !== MEDIA_TYPES.evidence || typeof evidence !== "string" || typeof requestId !== "string")
    throw refuse("not a part of this protocol")
  return { kind: "evidence", requestId, evidence }
}

export const toMcpContent = (content: Relayed): McpContent => {
  const text = content.kind === "evidence" ? content.evidence : canonicalText(content.kind === "request" ? content.request : content.status)
  return { type: "resource", resource: { uri: `urn:uuid:${idOf(content)}`, mimeType: MEDIA_TYPES[content.kind], text } }
}

/** Throws as {@link fromA2aPart} does. */
export const fromMcpContent = (block: unknown): Relayed => {
  const resource = isJsonObject(block) && block.type === "resource" && isJsonObject(block.resource) ? block.resource : {}
  const { uri, mimeType, text } = resource
  if (typeof text !== "string" || typeof uri !== "string") throw refuse("not a resource of this protocol")
  if (mimeType === MEDIA_TYPES.request) return { kind: "request", request: parseRequest(text) }
  if (mimeType === MEDIA_TYPES.status) return { kind: "status", status: parseStatus(text) }
  if (mimeType !== MEDIA_TYPES.evidence || !uri.startsWith("urn:uuid:")) throw refuse("not a resource of this protocol")
  return { kind: "evidence", requestId: uri.slice("urn:uuid:".length), evidence: text }
}

/** Reads either form from JSON text, strictly. */
export const parseRelayed = (text: string): Relayed => {
  const value = parseJson(text)
  return isJsonObject(value) && value.type === "resource" ? fromMcpContent(value) : fromA2aPart(value)
}
