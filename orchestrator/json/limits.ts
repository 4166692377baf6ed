/** How much a document may be before anything looks at what it says. */
export type JsonLimits = {
  /** UTF-8 bytes. Default 1,048,576. */
  readonly maxBytes: number
  /** Arrays and objects inside one another. Default 64. At most 1,000, so that the reader cannot run out of stack. */
  readonly maxDepth: number
}

export const DEFAULT_LIMITS: JsonLimits = { maxBytes: 1_048_576, maxDepth: 64 }

const MAX_DEPTH = 1_000

export const limitsOf = (given: Partial<JsonLimits> = {}): JsonLimits => ({
  maxBytes: given.maxBytes ?? DEFAULT_LIMITS.maxBytes,
  maxDepth: Math.min(given.maxDepth ?? DEFAULT_LIMITS.maxDepth, MAX_DEPTH),
})
