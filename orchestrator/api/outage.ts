/** Failures of what we stand on, told apart from failures of ours: the caller may try again. */
import { BaseError } from "viem"
import { isRevert } from "../chain/contract-error.ts"

const TRANSPORT = new Set(["HttpRequestError", "TimeoutError", "RpcRequestError", "SocketClosedError", "WebSocketRequestError"])

/** Node's network errors, and PostgreSQL's classes for a connection that is lost or a server that is shutting down. */
const DATABASE = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|57P0[123]|08\w{3}|53300)$/

const isChainOutage = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof Error && TRANSPORT.has(cause.name)) !== null && !isRevert(error)

const isDatabaseOutage = (error: unknown): boolean =>
  !(error instanceof BaseError) &&
  error instanceof Error &&
  (("code" in error && typeof error.code === "string" && DATABASE.test(error.code)) || /^Connection terminated/.test(error.message))

/** The code to answer with, or null when the failure is no outage. */
export const outageOf = (error: unknown): "chain_unavailable" | "store-unavailable" | null =>
  isChainOutage(error) ? "chain_unavailable" : isDatabaseOutage(error) ? "store-unavailable" : null
