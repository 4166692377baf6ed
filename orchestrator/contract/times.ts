/** Times of documents (RFC 3339, UTC, whole seconds) and of the chain (Unix seconds). */
import type { UnixSeconds } from "../types.ts"

/** `2026-09-25T20:00:00Z` → 1790366400. The form is the schema's business. */
export const toUnix = (time: string): UnixSeconds => Date.parse(time) / 1000

/** 1790366400 → `2026-09-25T20:00:00Z`. */
export const fromUnix = (seconds: UnixSeconds): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z")
