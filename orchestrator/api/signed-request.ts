/**
 * How an agent signs a request: EIP-191 over the JCS of what the request is. Pure; used by server and client.
 *
 * The four headers carry what the server cannot see otherwise. A request's body is covered by its sha256, the query
 * string by the path.
 */
import { canonicalize, sha256Hex } from "../json/index.ts"
import type { Address, Hex } from "../types.ts"

export const REQUEST_VERSION = "afg-request/0"

export const SIGNATURE_HEADERS = {
  address: "AFG-Address",
  nonce: "AFG-Nonce",
  timestamp: "AFG-Timestamp",
  signature: "AFG-Signature",
} as const

export type RequestDescription = {
  method: string
  /** Path with query string, as sent. */
  path: string
  body: Uint8Array
  address: Address
  /** 16 to 64 characters, used once per address. */
  nonce: string
  /** Unix seconds. */
  timestamp: number
}

/** The text that the wallet signs as a personal message (EIP-191). */
export const requestMessage = (request: RequestDescription): string =>
  canonicalize({
    afg: REQUEST_VERSION,
    method: request.method.toUpperCase(),
    path: request.path,
    body_sha256: sha256Hex(request.body),
    address: request.address.toLowerCase(),
    nonce: request.nonce,
    timestamp: request.timestamp,
  })

/** Signs with any wallet that can sign a personal message. */
export type SignMessage = (message: string) => Promise<Hex>

export const signRequest = async (request: RequestDescription, sign: SignMessage): Promise<Record<string, string>> => ({
  [SIGNATURE_HEADERS.address]: request.address,
  [SIGNATURE_HEADERS.nonce]: request.nonce,
  [SIGNATURE_HEADERS.timestamp]: String(request.timestamp),
  [SIGNATURE_HEADERS.signature]: await sign(requestMessage(request)),
})
