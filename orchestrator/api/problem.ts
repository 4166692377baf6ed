/** RFC 9457 problem documents: `code` is the contract, the rest is for people. */
import { ERRORS as AACP_ERRORS } from "../aacp/errors.ts"
import { ERRORS as CHAIN_ERRORS } from "../chain/errors.ts"
import { ERRORS as CONTRACT_ERRORS } from "../contract/errors.ts"
import { AfgError, type ErrorEntry, type ErrorTable, isAfgError } from "../errors.ts"
import { ERRORS as JSON_ERRORS } from "../json/errors.ts"
import { ERRORS as STORE_ERRORS } from "../store/errors.ts"
import { ERRORS as API_ERRORS, type ApiErrorCode } from "./errors.ts"
import { outageOf } from "./outage.ts"

export const PROBLEM_TYPE = "application/problem+json"

const TABLES: readonly ErrorTable[] = [API_ERRORS, AACP_ERRORS, CONTRACT_ERRORS, JSON_ERRORS, STORE_ERRORS, CHAIN_ERRORS]

const entryOf = (code: string): ErrorEntry | undefined => {
  for (const table of TABLES) if (Object.hasOwn(table, code)) return table[code]
  return undefined
}

/** An error that an API handler throws: the code's table entry gives status and recovery. */
export class ApiError extends AfgError {
  readonly headers: Readonly<Record<string, string>>
  /** Members added to the problem document, such as `request` of `confirmation_required`. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(
    code: ApiErrorCode | (string & {}),
    message: string,
    options: { path?: string; headers?: Record<string, string>; members?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(code, message, { path: options.path, cause: options.cause })
    this.headers = options.headers ?? {}
    this.members = options.members ?? {}
  }
}

export type Problem = { status: number; headers: Record<string, string>; document: Record<string, unknown> }

const codeOf = (error: unknown): string => {
  if (isAfgError(error)) return entryOf(error.code) === undefined ? "internal" : error.code
  return outageOf(error) ?? "internal"
}

/**
 * What a client sees of an error. Anything without a known code is `internal`. What went wrong on our side is told by the code's own
 * words: the error's text may name hosts, paths or statements, and stays in our log.
 */
export const problemOf = (error: unknown, requestId: string): Problem => {
  const code = codeOf(error)
  const entry = entryOf(code) ?? API_ERRORS.internal
  const known = isAfgError(error) && code !== "internal" && (error instanceof ApiError || entry.status < 500)
  return {
    status: entry.status,
    headers: { "Content-Type": PROBLEM_TYPE, ...(error instanceof ApiError ? error.headers : {}) },
    document: {
      type: `about:blank#${code}`,
      title: entry.what,
      status: entry.status,
      code,
      detail: known ? error.message : entry.what,
      recovery: entry.recovery,
      ...(known && error.path !== undefined ? { path: error.path } : {}),
      request_id: requestId,
      ...(error instanceof ApiError ? error.members : {}),
    },
  }
}
