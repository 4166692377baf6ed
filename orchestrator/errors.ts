/**
 * One shape for every failure a user can meet: a stable code, what happened, what to do.
 *
 * Codes are append-only. Each folder declares its own table with {@link ErrorTable}; `docs/errors.md` is generated
 * from the tables, and a test fails when they drift.
 */
export type ErrorEntry = {
  /** HTTP status when an API answers with this code. */
  readonly status: number
  /** What happened, in general. */
  readonly what: string
  /** What the reader can do about it. */
  readonly recovery: string
}

export type ErrorTable = Readonly<Record<string, ErrorEntry>>

export type AfgErrorOptions = {
  /** RFC 6901 pointer to the member at fault. */
  path?: string | undefined
  cause?: unknown
  /** Machine-readable details, safe to show: never secrets, never deliverable content. */
  details?: Record<string, unknown> | undefined
}

/** An error with a stable `code`. `message` says what happened and, where known, what to do. */
export class AfgError extends Error {
  override readonly name = "AfgError"
  readonly code: string
  readonly path: string | undefined
  readonly details: Record<string, unknown> | undefined

  constructor(code: string, message: string, options: AfgErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.path = options.path
    this.details = options.details
  }
}

export const isAfgError = (value: unknown): value is AfgError => value instanceof AfgError
