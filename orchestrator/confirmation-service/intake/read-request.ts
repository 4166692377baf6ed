/** From bytes to a request and the contract it carries, each checked for its form; nothing is believed yet. */
import { type ActionDescriptor, type ConfirmationRequest, readRequest } from "../../aacp/index.ts"
import { CONTRACT_MEMBER } from "../../contract/fund-action.ts"
import { AfgError } from "../../errors.ts"
import { canonicalize, digestOf, isJsonObject, type JsonValue, parseStrictJson } from "../../json/index.ts"
import type { ConfirmErrorCode } from "../errors.ts"
import { LIFETIME_RANGE, MAX_REQUEST_BYTES } from "./limits.ts"

export type IncomingRequest = {
  readonly request: ConfirmationRequest
  readonly descriptor: ActionDescriptor
  /** The contract as it came, not yet checked. */
  readonly contract: JsonValue
  /** JCS of the request without the contract, whose hash is in the descriptor. */
  readonly body: string
  /** Over the whole request, contract included: what makes a repetition the same request. */
  readonly bodySha256: string
}

const refuse = (code: ConfirmErrorCode, message: string, path: string): never => {
  throw new AfgError(code, message, { path })
}

/**
 * Reads a confirmation request strictly. Throws the strict reader's `json-…`, `aacp-request-malformed`,
 * `aacp-descriptor-malformed`, `request-descriptor-missing`, `request-contract-missing` or `request-lifetime-refused`.
 */
export const readIncoming = (bytes: Uint8Array): IncomingRequest => {
  const document = parseStrictJson(bytes, { maxBytes: MAX_REQUEST_BYTES })
  const request = readRequest(document)
  const descriptor = request["action-descriptor"]
  if (descriptor === undefined) return refuse("request-descriptor-missing", "nothing could be shown without it", "/action-descriptor")
  const contract = isJsonObject(document) && Object.hasOwn(document, CONTRACT_MEMBER) ? document[CONTRACT_MEMBER] : undefined
  if (contract === undefined || !isJsonObject(document)) {
    return refuse("request-contract-missing", "the descriptor could not be checked without it", `/${CONTRACT_MEMBER}`)
  }
  const { min, max } = LIFETIME_RANGE
  if (request.lifetime < min || request.lifetime > max) {
    return refuse("request-lifetime-refused", `from ${min} to ${max} seconds`, "/lifetime")
  }
  const { [CONTRACT_MEMBER]: _contract, ...rest } = document
  return { request, descriptor, contract, body: canonicalize(rest), bodySha256: digestOf(document) }
}
