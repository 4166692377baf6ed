/** Strict JSON: one reader, one canonical form, one digest for everything that is signed or hashed. */
export { canonicalBytes, canonicalize, digestOf, sha256Hex } from "./canonical.ts"
export { DEFAULT_LIMITS, type JsonLimits } from "./limits.ts"
export { fromPointer, type PathSegment, toPointer, valueAt } from "./pointer.ts"
export { parseStrictJson } from "./reader.ts"
export { isJsonObject, type JsonObject, type JsonValue } from "./value.ts"
