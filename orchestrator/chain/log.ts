/** Where the chain's edge says what it does. */
export type Log = (level: "info" | "warn" | "error", message: string, details?: Record<string, unknown>) => void
